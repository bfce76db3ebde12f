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


def test_chart_has_lines_of_drawn_runs_in_tree_order_with_colours() -> None:
    colours = RunColours({"b": 7, "a": 3})
    runs = (run("b", {"loss": FALLING}), run("a", {"loss": FALLING}), run("c", {"acc": FALLING}))
    chart = ScalarData().chart(view(*runs, colours=colours), "loss")
    assert [line.key.run for line in chart.lines] == ["a", "b"]
    assert chart.inks == (3, 7)


def test_chart_hidden_runs_have_no_line() -> None:
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
def test_chart_title(tag: str, display_name: str, title: str) -> None:
    made = run_of(series(tag, FALLING, display_name=display_name, description="**what it is**"))
    chart = ScalarData().chart(view(made), tag)
    assert (chart.title, chart.description) == (title, "**what it is**")


def test_chart_display_name_may_come_from_a_later_run() -> None:
    made = run_of(series("t", FALLING)), run_of(series("t", FALLING, run_name="b", display_name="shown"))
    assert ScalarData().chart(view(*made), "t").title == "shown"


def test_chart_tag_missing_in_drawn_runs_has_a_message() -> None:
    with pytest.raises(NoPointsError, match="no visible run has a value"):
        ScalarData().chart(plain_view(TWO, hidden_runs=frozenset({"a"})), "acc")


def test_chart_tag_that_is_an_image_in_a_run_has_no_line_there() -> None:
    runs = run("a", {"mixed": FALLING}), run("b", others=[references("b", "mixed", "images")])
    assert [line.key.run for line in ScalarData().chart(view(*runs), "mixed").lines] == ["a"]


def test_chart_is_the_same_object_until_a_change() -> None:
    data = ScalarData()
    chart = data.chart(plain_view(TWO), "loss")
    assert data.chart(plain_view(TWO), "loss") is chart
    assert data.chart(plain_view(TWO, smoothing=0.9), "loss") is not chart


def test_chart_update_of_one_run_recomputes_only_its_line() -> None:
    data = ScalarData()
    other = run_of(series("loss", FALLING, run_name="b"))
    before = data.chart(view(run_of(series("loss", FALLING)), other), "loss")
    after = data.chart(view(run_of(series("loss", (*FALLING, 0.5), revision=2)), other), "loss")
    assert after.lines[0] is not before.lines[0]
    assert after.lines[1] is before.lines[1]
    assert after.lines[0].values[-1] == 0.5


def test_chart_y_scale_change_keeps_all_lines() -> None:
    data = ScalarData()
    linear = data.chart(plain_view(TWO), "loss")
    log = data.chart(plain_view(TWO, charts={"loss": ChartSettings(y_scale="log")}), "loss")
    assert (linear.y_axis.scale, log.y_axis.scale) == ("linear", "log")
    assert all(one is other for one, other in zip(linear.lines, log.lines, strict=True))


@pytest.mark.parametrize(
    "settings",
    [
        {"smoothing": 0.9},
        {"x_axis": "wall"},
        {"y_scale": "log"},
        {"charts": {"loss": ChartSettings(y_scale="log")}},
        {"hidden_runs": frozenset({"b"})},
    ],
)
def test_fingerprint_changes_with_the_chart(settings: dict[str, object]) -> None:
    data = ScalarData()
    assert data.build_chart_key(plain_view(TWO), "loss") != data.build_chart_key(plain_view(TWO, **settings), "loss")


def test_joined_chart_follows_added_and_removed_tags() -> None:
    data = ScalarData()
    runs = {"a": {"loss/train": FALLING, "loss/val": FALLING}, "b": {"loss/test": FALLING}}
    joined = {"joints": (TagMerge(pattern="loss"),), "hidden_runs": frozenset({"b"})}
    titles = []
    for everywhere in (False, True):
        shown = plain_view(runs, empty_cards=everywhere, **joined)
        titles.append(data.chart(shown, *data.cards(shown).keys).title)
    assert titles == ["loss/{train,val}", "loss/{test,train,val}"]


def test_chart_narrower_band_shrinks_the_axis() -> None:
    data, runs = ScalarData(), {f"adam/s{end}": {"loss": (0.0, float(end))} for end in (3, 4, 5, 8)}
    wide, narrow = (plain_view(runs, group_level=1, smoothing=0, spread=spread) for spread in ("minmax", "std"))
    assert data.chart(wide, "loss").y_axis.high >= 8
    assert data.chart(narrow, "loss").y_axis == ScalarData().chart(narrow, "loss").y_axis


def test_fingerprint_ignores_unrelated_changes() -> None:
    data = ScalarData()
    look = data.build_chart_key(plain_view(TWO), "acc")
    assert (
        data.build_chart_key(
            plain_view(TWO, charts={"loss": ChartSettings(y_scale="log")}, hidden_runs=frozenset({"b"})), "acc"
        )
        == look
    )


def test_fingerprint_includes_colour_and_revision() -> None:
    data = ScalarData()
    look = data.build_chart_key(view(run_of(series("t", FALLING)), colours=RunColours({"a": 0})), "t")
    assert data.build_chart_key(view(run_of(series("t", FALLING)), colours=RunColours({"a": 1})), "t") != look
    assert (
        data.build_chart_key(view(run_of(series("t", FALLING, revision=2)), colours=RunColours({"a": 0})), "t") != look
    )


def test_cache_drops_least_recently_seen_and_never_the_newest() -> None:
    tags = dict.fromkeys("wxyz", FALLING)
    shown = plain_view({"a": tags})
    data = ScalarData(most_points=8, least_charts=1)
    first = {tag: data.chart(shown, tag) for tag in "wxy"}
    assert data.chart(shown, "y") is first["y"]
    assert data.chart(shown, "x") is first["x"]
    assert data.chart(shown, "w") is not first["w"]
    tight = ScalarData(most_points=1, least_charts=1)
    assert tight.chart(shown, "w") is tight.chart(shown, "w")


def test_enormous_steps_are_relative_to_the_least_of_the_chart() -> None:
    low, high = 2**60, 2**60 + 3
    runs = run_of(series("t", (1, 2), steps=(high, high + 1))), run_of(series("t", (1,), steps=(low,), run_name="b"))
    chart = ScalarData().chart(view(*runs), "t")
    assert chart.x_axis.origin == low
    assert [line.x.tolist() for line in chart.lines] == [[3.0, 4.0], [0.0]]


# Joined tags, averages

SEEDS = {f"{name}/s{index}": {"loss": FALLING} for name in ("adam", "sgd") for index in range(3)}


def test_joined_chart_has_one_line_per_run_and_tag() -> None:
    data = ScalarData()
    shown = plain_view({"a": {"x": FALLING, "y": FALLING}, "b": {"y": FALLING}}, joints=(TagMerge(tags=("y", "x")),))
    chart = data.chart(shown, data.cards(shown).keys[0])
    assert [(line.key.run, line.key.tag) for line in chart.lines] == [("a", "x"), ("a", "y"), ("b", "y")]
    assert chart.inks == (0, 0, 1)
    assert chart.description == ""


def test_joined_chart_names_its_tags() -> None:
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
def test_joined_chart_best_direction_needs_agreement(tags: tuple[str, ...], best: str | None) -> None:
    data = ScalarData()
    shown = plain_view({"a": dict.fromkeys(tags, FALLING)}, joints=(TagMerge(tags=tags),))
    assert data.chart(shown, data.cards(shown).keys[0]).best == best


def test_averages_have_position_and_colour_of_their_first_run() -> None:
    colours = RunColours({"adam/s0": 5, "sgd/s0": 9})
    runs = [run(name, held) for name, held in {**SEEDS, "lonely": {"loss": FALLING}}.items()]
    chart = ScalarData().chart(view(*runs, colours=colours, group_level=1), "loss")
    assert [line.name for line in chart.lines] == ["adam ×3", "lonely", "sgd ×3"]
    assert (chart.inks[0], chart.inks[2]) == (5, 9)


def test_averages_use_runs_of_the_group_that_hold_the_tag() -> None:
    runs = {**SEEDS, "adam/s1": {"loss": FALLING, "acc": FALLING}, "adam/s2": {"acc": FALLING}}
    names = {
        tag: [line.name for line in ScalarData().chart(plain_view(runs, group_level=1), tag).lines]
        for tag in ("loss", "acc")
    }
    assert names == {"loss": ["adam ×2", "sgd ×3"], "acc": ["adam ×2"]}
    alone = plain_view({**SEEDS, "adam/s1": {"acc": FALLING}}, group_level=1)
    assert [line.name for line in ScalarData().chart(alone, "acc").lines] == ["adam/s1"]


def test_averages_are_per_joined_tag() -> None:
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


def test_skipped_steps_are_off_the_axes_and_earlier_runs_omitted() -> None:
    runs = run_of(series("t", (9, 5, 1), steps=(0, 10, 20))), run_of(series("t", (7,), steps=(3,), run_name="b"))
    chart = ScalarData().chart(view(*runs, skip_steps=10, smoothing=0), "t")
    assert [line.key.run for line in chart.lines] == ["a"]
    assert (chart.x_axis.low, chart.x_axis.high) == (10, 20)
    assert chart.y_axis.high < 6


def test_cache_keeps_visible_charts_of_any_size() -> None:
    shown = plain_view({"a": dict.fromkeys("wxyz", FALLING)})
    data = ScalarData(most_points=1, least_charts=4)
    charts = [data.chart(shown, tag) for tag in "wxyz"]
    assert all(data.chart(shown, tag) is chart for tag, chart in zip("wxyz", charts, strict=True))
