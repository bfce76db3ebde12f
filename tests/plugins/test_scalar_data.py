"""Charts of a view, and what is cached from one view to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.scalars.chart import NoPointsError, ScalarData
from tbtui.settings.settings import ChartSettings, TagMerge
from tbtui.view.run_names import RunColours
from tests.helpers.snapshots import references, run
from tests.helpers.views import FALLING, plain_view, run_of, series, view

if TYPE_CHECKING:
    from tbtui.view.view import View

TWO = {"a": {"loss": FALLING, "acc": FALLING}, "b": {"loss": FALLING}}


def test_chart_has_lines_of_drawn_runs_in_tree_order_with_inks() -> None:
    colours = RunColours({"b": 7, "a": 3})
    runs = (run("b", {"loss": FALLING}), run("a", {"loss": FALLING}), run("c", {"acc": FALLING}))
    chart = ScalarData().chart(view(*runs, colours=colours), "loss")
    assert [line.key.run for line in chart.lines] == ["a", "b"]
    assert chart.inks == (3, 7)


def test_runs_that_are_not_drawn_have_no_line() -> None:
    chart = ScalarData().chart(plain_view(TWO, hidden_runs=frozenset({"a"})), "loss")
    assert [line.key.run for line in chart.lines] == ["b"]


@pytest.mark.parametrize(
    ("tag", "display_name", "title"),
    [
        ("loss/train", "", "loss/train"),
        ("loss/scalar_summary", "", "loss"),
        ("loss/scalar_summary", "the loss", "the loss"),
        ("scalar_summary", "", "scalar_summary"),
    ],
)
def test_title(tag: str, display_name: str, title: str) -> None:
    made = run_of(series(tag, FALLING, display_name=display_name, description="**what it is**"))
    chart = ScalarData().chart(view(made), tag)
    assert (chart.title, chart.description) == (title, "**what it is**")


def test_a_later_run_may_give_the_display_name() -> None:
    made = run_of(series("t", FALLING)), run_of(series("t", FALLING, run_name="b", display_name="shown"))
    assert ScalarData().chart(view(*made), "t").title == "shown"


def test_a_tag_that_no_drawn_run_holds_is_an_answer_in_words() -> None:
    with pytest.raises(NoPointsError, match="no run that is shown holds a value"):
        ScalarData().chart(plain_view(TWO, hidden_runs=frozenset({"a"})), "acc")


def test_a_tag_that_is_an_image_in_another_run_is_no_line_there() -> None:
    runs = run("a", {"mixed": FALLING}), run("b", others=[references("b", "mixed", "images")])
    assert [line.key.run for line in ScalarData().chart(view(*runs), "mixed").lines] == ["a"]


def test_the_chart_is_the_same_object_until_something_changes() -> None:
    data = ScalarData()
    chart = data.chart(plain_view(TWO), "loss")
    assert data.chart(plain_view(TWO), "loss") is chart
    assert data.chart(plain_view(TWO, smoothing=0.9), "loss") is not chart


def test_an_update_of_one_run_makes_that_runs_line_alone() -> None:
    data = ScalarData()
    other = run_of(series("loss", FALLING, run_name="b"))
    before = data.chart(view(run_of(series("loss", FALLING)), other), "loss")
    after = data.chart(view(run_of(series("loss", (*FALLING, 0.5), revision=2)), other), "loss")
    assert after.lines[0] is not before.lines[0]
    assert after.lines[1] is before.lines[1]
    assert after.lines[0].values[-1] == 0.5


def test_another_y_scale_keeps_all_lines() -> None:
    data = ScalarData()
    linear = data.chart(plain_view(TWO), "loss")
    log = data.chart(plain_view(TWO, charts={"loss": ChartSettings(y_scale="log")}), "loss")
    assert (linear.y_axis.scale, log.y_axis.scale) == ("linear", "log")
    assert all(one is other for one, other in zip(linear.lines, log.lines, strict=True))


@pytest.mark.parametrize(
    "choices",
    [
        {"smoothing": 0.9},
        {"x_axis": "wall"},
        {"y_scale": "log"},
        {"charts": {"loss": ChartSettings(y_scale="log")}},
        {"hidden_runs": frozenset({"b"})},
    ],
)
def test_whatever_alters_a_chart_alters_its_look(choices: dict[str, object]) -> None:
    data = ScalarData()
    assert data.look(plain_view(TWO), "loss") != data.look(plain_view(TWO, **choices), "loss")


def test_a_joined_chart_names_its_tags_as_they_come_and_go() -> None:
    data = ScalarData()
    runs = {"a": {"loss/train": FALLING, "loss/val": FALLING}, "b": {"loss/test": FALLING}}
    joined = {"joints": (TagMerge(pattern="loss"),), "hidden_runs": frozenset({"b"})}
    titles = []
    for everywhere in (False, True):
        shown = plain_view(runs, empty_cards=everywhere, **joined)
        titles.append(data.chart(shown, *data.cards(shown).keys).title)
    assert titles == ["loss/{train,val}", "loss/{test,train,val}"]


def test_a_narrower_band_leaves_no_room_for_the_wider_one() -> None:
    data, runs = ScalarData(), {f"adam/s{end}": {"loss": (0.0, float(end))} for end in (3, 4, 5, 8)}
    wide, narrow = (plain_view(runs, group_level=1, smoothing=0, spread=spread) for spread in ("minmax", "std"))
    assert data.chart(wide, "loss").y_axis.high >= 8
    assert data.chart(narrow, "loss").y_axis == ScalarData().chart(narrow, "loss").y_axis


def test_what_does_not_touch_a_chart_leaves_its_look() -> None:
    data = ScalarData()
    look = data.look(plain_view(TWO), "acc")
    assert (
        data.look(plain_view(TWO, charts={"loss": ChartSettings(y_scale="log")}, hidden_runs=frozenset({"b"})), "acc")
        == look
    )


def test_another_ink_or_revision_is_another_look() -> None:
    data = ScalarData()
    look = data.look(view(run_of(series("t", FALLING)), colours=RunColours({"a": 0})), "t")
    assert data.look(view(run_of(series("t", FALLING)), colours=RunColours({"a": 1})), "t") != look
    assert data.look(view(run_of(series("t", FALLING, revision=2)), colours=RunColours({"a": 0})), "t") != look


def test_charts_longest_unseen_are_forgotten_first_and_the_newest_never() -> None:
    tags = dict.fromkeys("wxyz", FALLING)
    shown = plain_view({"a": tags})
    data = ScalarData(most_points=8, least_charts=1)
    first = {tag: data.chart(shown, tag) for tag in "wxy"}
    assert data.chart(shown, "y") is first["y"]
    assert data.chart(shown, "x") is first["x"]
    assert data.chart(shown, "w") is not first["w"]
    tight = ScalarData(most_points=1, least_charts=1)
    assert tight.chart(shown, "w") is tight.chart(shown, "w")


def test_enormous_steps_are_counted_from_the_least_of_the_chart() -> None:
    low, high = 2**60, 2**60 + 3
    runs = run_of(series("t", (1, 2), steps=(high, high + 1))), run_of(series("t", (1,), steps=(low,), run_name="b"))
    chart = ScalarData().chart(view(*runs), "t")
    assert chart.x_axis.origin == low
    assert [line.x.tolist() for line in chart.lines] == [[3.0, 4.0], [0.0]]


# Joined tags, averages

SEEDS = {f"{name}/s{index}": {"loss": FALLING} for name in ("adam", "sgd") for index in range(3)}


def test_a_joined_chart_has_a_line_for_each_tag_of_each_run() -> None:
    data = ScalarData()
    shown = plain_view({"a": {"x": FALLING, "y": FALLING}, "b": {"y": FALLING}}, joints=(TagMerge(tags=("y", "x")),))
    chart = data.chart(shown, data.cards(shown).keys[0])
    assert [(line.key.run, line.key.tag) for line in chart.lines] == [("a", "x"), ("a", "y"), ("b", "y")]
    assert chart.inks == (0, 0, 1)
    assert chart.description == ""


def test_a_joined_chart_says_what_its_tags_are_called() -> None:
    data = ScalarData()
    made = run_of(series("x", FALLING, display_name="loss/train"), series("y", FALLING, display_name="loss/val"))
    shown = view(made, joints=(TagMerge(tags=("x", "y")),))
    assert data.chart(shown, data.cards(shown).keys[0]).title == "loss/{train,val}"


@pytest.mark.parametrize(
    ("tags", "best"),
    [
        (("acc", "f1"), "max"),
        (("loss", "err"), "min"),
        (("acc", "loss"), None),
        (("acc", "lr"), None),
        (("lr", "norm"), None),
    ],
)
def test_the_best_end_of_joined_tags_is_what_they_agree_on(tags: tuple[str, ...], best: str | None) -> None:
    data = ScalarData()
    shown = plain_view({"a": dict.fromkeys(tags, FALLING)}, joints=(TagMerge(tags=tags),))
    assert data.chart(shown, data.cards(shown).keys[0]).best == best


def test_averages_stand_where_their_first_run_does_and_wear_its_ink() -> None:
    colours = RunColours({"adam/s0": 5, "sgd/s0": 9})
    runs = [run(name, held) for name, held in {**SEEDS, "lonely": {"loss": FALLING}}.items()]
    chart = ScalarData().chart(view(*runs, colours=colours, group_level=1), "loss")
    assert [line.name for line in chart.lines] == ["adam ×3", "lonely", "sgd ×3"]
    assert (chart.inks[0], chart.inks[2]) == (5, 9)


def test_a_group_is_averaged_over_those_of_its_runs_that_hold_the_tag() -> None:
    runs = {**SEEDS, "adam/s1": {"loss": FALLING, "acc": FALLING}, "adam/s2": {"acc": FALLING}}
    names = {
        tag: [line.name for line in ScalarData().chart(plain_view(runs, group_level=1), tag).lines]
        for tag in ("loss", "acc")
    }
    assert names == {"loss": ["adam ×2", "sgd ×3"], "acc": ["adam ×2"]}
    alone = plain_view({**SEEDS, "adam/s1": {"acc": FALLING}}, group_level=1)
    assert [line.name for line in ScalarData().chart(alone, "acc").lines] == ["adam/s1"]


def test_joined_tags_are_averaged_each_by_itself() -> None:
    data = ScalarData()
    runs = {f"adam/s{index}": {"x": FALLING, "y": (1.0, 1.0)} for index in range(2)}
    shown = plain_view(runs, group_level=1, joints=(TagMerge(tags=("x", "y")),), smoothing=0)
    chart = data.chart(shown, data.cards(shown).keys[0])
    assert [(line.name, line.key.tag, len(line.x)) for line in chart.lines] == [
        ("adam ×2", "x", 4),
        ("adam ×2", "y", 2),
    ]


def test_update_of_one_run_keeps_other_lines_and_their_averages() -> None:
    def shown(revision: int) -> View:
        runs = [run(name, held) for name, held in SEEDS.items() if name != "adam/s0"]
        values = (*FALLING, 0.5)[: 3 + revision]
        fresh = run_of(series("loss", values, run_name="adam/s0", revision=revision))
        return view(fresh, *runs, group_level=1)

    data = ScalarData()
    before, after = data.chart(shown(1), "loss"), data.chart(shown(2), "loss")
    assert after.lines[0] is not before.lines[0]
    assert after.lines[0].members[1] is before.lines[0].members[1]
    assert after.lines[1] is before.lines[1]


def test_skipped_steps_are_not_on_the_axes_and_earlier_runs_have_no_line() -> None:
    runs = run_of(series("t", (9, 5, 1), steps=(0, 10, 20))), run_of(series("t", (7,), steps=(3,), run_name="b"))
    chart = ScalarData().chart(view(*runs, skip_steps=10, smoothing=0), "t")
    assert [line.key.run for line in chart.lines] == ["a"]
    assert (chart.x_axis.low, chart.x_axis.high) == (10, 20)
    assert chart.y_axis.high < 6


def test_charts_in_sight_are_kept_however_many_points_they_have() -> None:
    shown = plain_view({"a": dict.fromkeys("wxyz", FALLING)})
    data = ScalarData(most_points=1, least_charts=4)
    charts = [data.chart(shown, tag) for tag in "wxyz"]
    assert all(data.chart(shown, tag) is chart for tag, chart in zip("wxyz", charts, strict=True))
