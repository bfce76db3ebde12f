"""Details of the tags of a chart."""

from __future__ import annotations

import math
from dataclasses import replace
from textwrap import dedent

from tbtui.plugins.scalars.pane.forms import format_about_lines
from tests.helpers.views import FALLING, plain_view, run_of, series, view


def test_about_lists_the_tag_its_description_and_runs() -> None:
    made = (
        run_of(
            series(
                "loss",
                (9, 5, math.nan, 4, math.inf, 3),
                steps=(0, 10, 20, 10, 20, 12_345),
                display_name="Loss",
                description="Mean of\nthe **batch**",
            )
        ),
        run_of(series("loss", (1,), steps=(7,), run_name="b")),
        run_of(series("loss", (1,), run_name="c")),
        run_of(series("acc", (1,), run_name="d")),
    )
    assert "\n".join(format_about_lines(view(*made, hidden_runs=frozenset({"c"})), ["loss"])) == dedent("""\
        tag loss
        plugin scalars, data class scalar
        called Loss

        Mean of
        the **batch**

        a: 6 points at steps 0–12345, 2 superseded, 1 NaN, 1 infinite
            /logs/a/events.out.tfevents.1
        b: 1 point at step 7
            /logs/b/events.out.tfevents.1
        and 1 run that is not shown""")


def test_about_lists_joined_tags_in_turn() -> None:
    lines = format_about_lines(plain_view({"a": {"x": FALLING, "y": FALLING}}), ["x", "y"])
    assert [line for line in lines if line.startswith("tag ")] == ["tag x", "tag y"]


def test_about_states_facts_shared_by_all_runs_once() -> None:
    made = [run_of(series("t", FALLING, run_name=name, description="same")) for name in "ab"]
    other = run_of(series("t", FALLING, run_name="c", description="other"))
    lines = format_about_lines(view(*made, other), ["t"])
    assert (lines.count("same"), lines.count("other")) == (1, 1)


def test_about_reports_a_tag_missing_in_visible_runs() -> None:
    lines = format_about_lines(
        plain_view({"a": {"x": FALLING}, "b": {"y": FALLING}, "c": {"y": FALLING}}, solo="a"), ["y"]
    )
    assert lines == ("tag y", "", "no visible run has a value of it", "and 2 runs that are not shown")


def test_about_reports_a_damaged_file() -> None:
    made = run_of(series("t", FALLING))
    made = replace(made, files=(replace(made.files[0], state="corrupt"),))
    assert "    /logs/a/events.out.tfevents.1 (corrupt)" in format_about_lines(view(made), ["t"])


def test_about_counts_plugin_metadata() -> None:
    made = series("t", FALLING)
    odd = replace(made, metadata=replace(made.metadata, content=b"\x08\x01", data_class=0))
    assert (
        format_about_lines(view(run_of(odd)), ["t"])[1] == "plugin scalars, data class unknown, 2 bytes of plugin data"
    )
