"""The Compare tab, driven by keys over synthetic runs."""

from __future__ import annotations

import math
import re
import threading
from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App, ComposeResult

from tbtui.plugins.comparison import comparison as column_module
from tbtui.plugins.comparison.attributes import ATTRIBUTE, build_attribute_key
from tbtui.plugins.comparison.comparison import find_point
from tbtui.plugins.comparison.pane import pane as pane_module
from tbtui.plugins.comparison.pane.pane import ComparisonPane
from tbtui.plugins.comparison.settings import SORT_TAG
from tbtui.plugins.hparams.attributes import read_hparams
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tbtui.widgets import worker as worker_module
from tbtui.widgets.data_grid import DataGrid
from tests.helpers.screen_text import screen_lines, screen_text
from tests.helpers.sessions import search_store
from tests.helpers.settings import settings_of
from tests.helpers.snapshots import run, store
from tests.helpers.views import FALLING, series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from textual.geometry import Region
    from textual.pilot import Pilot

    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.pane import Choose, CopyRequested

NAN = math.nan
RUNS: Mapping[str, Mapping[str, Sequence[float]]] = {
    "adam/seed0": {"acc/val": (0.5, 0.9375), "loss/train": (2.5, 0.0213), "loss/val": (2.0, 0.142), "lr": (0.1, 0.001)},
    "adam/seed1": {"acc/val": (0.5, 0.9), "loss/train": (2.25, 0.0341), "loss/val": (1.5, 12.5), "lr": (0.1, 0.001)},
    "diverges": {"acc/val": (0.25, 0.1), "loss/train": (2.75, NAN), "lr": (0.1, 0.001)},
}


class Shown(App[None]):
    """The pane, and as much of the app as it speaks to."""

    AUTO_FOCUS = "DataGrid"

    def __init__(self, *runs: RunSnapshot, **settings: Any) -> None:
        super().__init__()
        self.pane = ComparisonPane()
        self.snapshot = store(*(runs or (run(name, tags) for name, tags in RUNS.items())))
        self.settings = settings_of(**settings)
        self.copied: list[str] = []
        self._colours, self._facts = RunColours(), SummaryCache()

    def compose(self) -> ComposeResult:
        yield self.pane

    @property
    def grid(self) -> DataGrid:
        return self.query_one(DataGrid)

    def view(self) -> View:
        return build_view(self.snapshot, self.settings, self._colours, self._facts)

    def show(self, *runs: RunSnapshot, **settings: Any) -> None:
        """Hand the pane other runs, or the same otherwise seen."""
        if runs:
            self.snapshot = store(*runs)
        self.settings = settings_of(self.settings, **settings)
        self.pane.show(self.view())

    def on_choose(self, message: Choose) -> None:
        self.settings = message.of(self.settings)
        self.show()

    def on_copy_requested(self, message: CopyRequested) -> None:
        self.copied.append(message.run)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()
    await pilot.pause()


def lines(app: Shown) -> list[str]:
    """What is on the screen, blank lines and the edge left out."""
    return [line.rstrip("▏▌ ")[1:] for line in screen_lines(app) if line.strip()]


def column(app: Shown, title: str) -> list[str]:
    """What the cells below a title say, from top to bottom."""
    key = next(key for key in app.grid.columns_in_sight if key == title)
    index = app.grid.columns_in_sight.index(key)
    rows = len(app.grid.rows_in_sight)
    held = [re.sub("★ *", " ★", line).replace(" Δ0 ", " ").split() for line in screen_lines(app)[2 : 2 + rows]]
    return [row[2 + index] for row in held]


def names(app: Shown) -> list[str]:
    """The first column."""
    return [line.split()[1] for line in screen_lines(app)[2 : 2 + len(app.grid.rows_in_sight)]]


async def test_comparison_pane_before_the_first_view_shows_reading() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)):
        assert "reading the logs" in screen_text(app)
        assert app.pane.status() == ""


async def test_comparison_pane_shows_the_table() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert "\n".join(lines(app)) == dedent("""\
                          acc ──────  loss ─────────────────
            run                  val         val       train          lr
            ● adam/seed0  ★   0.9375  ★    0.142  ★   0.0213       0.001
            ● adam/seed1      0.9         12.5        0.0341       0.001
            ● diverges        0.1              –        ✗NaN       0.001
            adam/seed0   acc/val
            last 0.9375 @ 1   min 0.5 @ 0   max ★ 0.9375 @ 1""")
        assert app.pane.status() == "last of 4 tags"


async def test_comparison_pane_figure_key_cycles() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        told = []
        for _ in range(4):
            await press(pilot, "t")
            told.append((app.pane.status().split()[0], column(app, "acc/val"), column(app, "loss/train")))
        assert told == [
            ("best", ["★0.9375", "0.9", "0.25"], ["★0.0213", "0.0341", "2.75"]),
            ("min", ["★0.5", "★0.5", "0.1"], ["★0.0213", "0.0341", "2.75"]),
            ("max", ["★0.9375", "0.9", "0.25"], ["2.5", "★2.25", "2.75"]),
            ("last", ["★0.9375", "0.9", "0.1"], ["★0.0213", "0.0341", "✗NaN"]),
        ]


async def test_comparison_pane_enter_sorts_by_the_column_at_the_cursor() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await press(pilot, "right", "right", "enter")
        assert names(app) == ["adam/seed0", "adam/seed1", "diverges"]
        assert "▲ train" in screen_text(app)
        assert app.pane.status() == "last of 4 tags · sorted by loss/train ▲"
        await press(pilot, "enter")
        assert names(app) == ["adam/seed1", "adam/seed0", "diverges"]
        assert "▼ train" in screen_text(app)
        await press(pilot, "left", "enter", "enter")
        assert names(app) == ["adam/seed1", "adam/seed0", "diverges"]
        assert "▼ val" in screen_text(app)
        await press(pilot, "enter")
        assert names(app) == list(RUNS)
        assert app.pane.status() == "last of 4 tags"
        assert "▼" not in screen_text(app)


async def test_comparison_pane_title_click_sorts() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        await pilot.click(DataGrid, offset=(screen_lines(app)[1].index("lr") - 1, 1))
        await pilot.pause()
        await pilot.pause()
        assert SORT_TAG.value(app.settings) == "lr"
        assert "▲ lr" in screen_text(app)


async def test_comparison_pane_cursor_stays_on_its_run_when_sorted() -> None:
    app = Shown(*(run(f"seed{number}", {"loss": (float(number % 7),)}) for number in range(60)))
    async with app.run_test(size=(60, 20)) as pilot:
        app.show()
        await press(pilot, "enter")
        assert app.grid.cursor_row == "seed0"  # as long as nobody moved it is on the first
        await press(pilot, "enter")
        assert app.grid.cursor_row == "seed6"
        await press(pilot, "enter", "pagedown", "pagedown")
        at, top = app.grid.cursor_row, app.grid.rows_in_sight.index(app.grid.cursor_row or "")
        await press(pilot, "enter")
        assert (app.grid.cursor_row, app.grid.rows_in_sight.index(at or "")) == (at, top)


async def test_comparison_pane_shows_differences_to_a_baseline() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await press(pilot, "down", "d")
        assert "Δ adam/seed1 " in screen_text(app)
        assert app.pane.status() == "last of 4 tags · Δ to adam/seed1"
        assert column(app, "acc/val") == ["★+0.0375", "0.9", "-0.8"]
        assert column(app, "loss/train") == ["★-0.0128", "0.0341", "✗NaN"]
        assert column(app, "loss/val") == ["★-12.358", "12.5", "–"]
        assert column(app, "lr") == ["±0", "0.001", "±0"]
        await press(pilot, "up")
        assert lines(app)[-1].endswith("max ★ 0.9375 @ 1   Δ +0.0375")
        await press(pilot, "percent_sign")
        assert column(app, "acc/val") == ["★0.9375", "0.9", "0.1"]
        assert app.pane.status() == "last of 4 tags · baseline adam/seed1"
        assert lines(app)[-1].endswith("Δ +0.0375")
        await press(pilot, "percent_sign", "down", "d")
        assert app.settings == Settings()
        assert column(app, "lr") == ["0.001", "0.001", "0.001"]


async def test_comparison_pane_differences_use_the_shown_figure() -> None:
    app = Shown(baseline="adam/seed0", figure="max")
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert column(app, "loss/train") == ["2.5", "★-0.25", "+0.25"]


@pytest.mark.parametrize(
    ("settings", "acc", "status"),
    [
        (
            {"baseline": "adam/seed0", "hidden_runs": frozenset({"adam/seed0"})},
            ["★-0.0375", "-0.8375"],
            "Δ to adam/seed0",
        ),
        ({"baseline": "gone"}, ["★0.9375", "0.9", "0.1"], "Δ to gone (gone)"),
    ],
)
async def test_comparison_pane_baseline_out_of_sight_is_used(
    settings: dict[str, Any], acc: list[str], status: str
) -> None:
    app = Shown(**settings)
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert column(app, "acc/val") == acc
        assert app.pane.status() == f"last of 4 tags · {status}"


async def test_comparison_pane_value_key_needs_a_baseline() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await press(pilot, "percent_sign")
        assert app.settings == Settings()
        assert "percent_sign" not in app.screen.active_bindings
        await press(pilot, "d")
        assert "percent_sign" in app.screen.active_bindings


async def test_comparison_pane_runs_are_switched_off_and_on() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await press(pilot, "down", "space")
        assert names(app) == ["adam/seed0", "diverges"]
        assert app.grid.cursor_row == "diverges"
        await press(pilot, "a")
        assert names(app) == list(RUNS)


async def test_comparison_pane_copy_key_copies_the_run_path() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        await press(pilot, "C", "d", "enter", "space", "a", "t")  # before there is anything
        app.show(figure="last")
        await press(pilot, "down", "C")
        assert app.copied == ["adam/seed1"]


async def test_comparison_pane_run_without_tags_is_reported_without_a_row() -> None:
    app = Shown(*(run(name, tags) for name, tags in RUNS.items()), run("hparams"), run("other", {"reward": (1.0,)}))
    async with app.run_test(size=(120, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert names(app) == [*RUNS, "other"]
        assert " 4 of 5 runs " in screen_text(app)
        app.show(tag_filter="loss")
        await pilot.pause()
        assert names(app) == [*RUNS]
        assert " 3 of 5 runs " in screen_text(app)


async def test_comparison_pane_distinct_columns_have_distinct_titles() -> None:
    tags = ("epoch_loss", "evaluation_accuracy_vs_iterations", "evaluation_loss_vs_iterations")
    app = Shown(run("validation", dict.fromkeys(tags, (0.5,))))
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert lines(app)[0].split() == ["run", "evaluation_a…ons", "evaluation_l…ons", "epoch_loss"]


async def test_comparison_pane_columns_follow_filter_and_folded_groups() -> None:
    app = Shown(tag_filter="loss")
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert app.grid.columns_in_sight == ("loss/val", "loss/train")
        app.show(tag_filter="", hidden_groups=frozenset({"loss"}))
        assert app.grid.columns_in_sight == ("acc/val", "lr")
        app.show(hidden_groups=frozenset({"loss", "acc", "lr"}))
        await pilot.pause()
        assert "all groups of tags are folded away" in screen_text(app)
        assert "@" not in screen_text(app)
        assert app.pane.status() == "last of 0 tags"
        app.show(hidden_groups=frozenset())
        await pilot.pause()
        assert "folded" not in screen_text(app)
        assert lines(app)[-1].startswith("last 0.9375 @ 1")


async def test_comparison_pane_cursor_describes_its_cell_and_reveal_moves_it() -> None:
    app = Shown()
    async with app.run_test(size=(45, 45)) as pilot:
        app.show()
        await press(pilot, "G", "right", "right")
        assert lines(app)[-2:] == ["diverges   loss/train", "last ✗NaN @ 1   min ★ 2.75 @ 0"]
        app.pane.reveal("lr")
        await pilot.pause()
        assert app.grid.cursor_column == "lr"
        assert lines(app)[-2] == "diverges   lr"
        app.pane.reveal("unheard of")
        assert app.grid.cursor_column == "lr"


async def test_comparison_pane_skipped_steps_do_not_count() -> None:
    app = Shown(run("a", {"t": (1.0, 5.0, 3.0)}), run("b", {"t": (2.0,)}), figure="min", skip_steps=1)
    async with app.run_test(size=(60, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert column(app, "t") == ["3", "–"]


async def test_comparison_pane_superseded_points_do_not_count() -> None:
    app = Shown(run("a", others=[series("t", (9.0, 0.0, 4.0, 6.0), steps=(0, 10, 5, 6))]), figure="min")
    async with app.run_test(size=(60, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert column(app, "t") == ["4"]


async def test_comparison_pane_live_value_repaints_one_cell() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await press(pilot, "right", "right", "right")
        before = [run(name, tags) for name, tags in RUNS.items() if name != "adam/seed1"]
        grown = [series(tag, values, run_name="adam/seed1") for tag, values in RUNS["adam/seed1"].items()]
        grown[1] = series("loss/train", (2.25, 0.0341, 0.0342), run_name="adam/seed1", revision=2)
        painted: list[Region] = []

        def note(*regions: Region, **_: Any) -> DataGrid:
            painted.extend(regions)
            return app.grid

        app.grid.refresh = note  # type: ignore[method-assign]
        app.show(*before, run("adam/seed1", others=grown, revision=2))
        await pilot.pause()
        assert [(region.y, region.height) for region in painted] == [(3, 1)]
        assert "0.0342" in app.grid.get_text().splitlines()[3]


async def test_comparison_pane_reads_hyperparameters_again_only_for_other_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def noted(payloads: Any, runs: Mapping[str, RunSnapshot], settings: Any) -> Any:
        read.append(len(runs))
        return read_hparams(payloads, runs, settings)

    monkeypatch.setattr(pane_module, "read_hparams", noted)
    app = Shown()
    async with app.run_test(size=(120, 40)) as pilot:
        app.show()
        await app.pane.idle()
        assert read == [3]
        await press(pilot, "t", "enter", "d")
        await app.pane.idle()
        assert read == [3]
        app.snapshot = replace(app.snapshot, revision=2)
        app.show()
        await app.pane.idle()
        assert read == [3, 3]


async def test_comparison_pane_cost_is_bounded_by_visible_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[str, str]] = []

    def look(held: Any, *asked: Any, **how: Any) -> Any:
        looked.append((held.run, held.tag))
        return find_point(held, *asked, **how)

    monkeypatch.setattr(column_module, "find_point", look)
    shared = {f"t{index}": FALLING for index in range(5000)}
    one = run("a", shared)
    app = Shown(*(replace(one, name=f"r{number}") for number in range(300)))
    async with app.run_test(size=(120, 40)) as pilot:
        app.show()
        await pilot.pause()
        columns = len(app.grid.columns_in_sight)
        assert len(looked) <= 300 * columns + 1  # and the point under the cursor
        await press(pilot, "G", "pageup", "g", "right")
        assert len(looked) <= 300 * columns + 10
        await press(pilot, "L")
        assert app.grid.cursor_column == f"t{columns + 1}"
        assert len(looked) <= 300 * (columns + 2) + 10


async def test_comparison_pane_widths_do_not_depend_on_values() -> None:
    app = Shown(*(run(f"r{number}", {"a": (10.0**-number,), "b": (-(10.0**number),)}) for number in range(40)))
    async with app.run_test(size=(60, 12)) as pilot:
        app.show()
        await pilot.pause()
        header = screen_lines(app)[:2]
        for _ in range(6):
            await press(pilot, "pagedown")
            assert screen_lines(app)[:2] == header


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (45, 45), (40, 12), (30, 8), (10, 4), (1, 1)])
async def test_comparison_pane_draws_any_size(size: tuple[int, int]) -> None:
    app = Shown(baseline="adam/seed0")
    async with app.run_test(size=size) as pilot:
        app.show()
        await press(pilot, "right", "pagedown", "t", "enter", "L", "G")
        if size >= (30, 8):
            assert len(app.grid.columns_in_sight) >= 1
            assert app.grid.cursor_column in app.grid.columns_in_sight
        assert ("diverges   lr" in screen_text(app)) == (size[1] >= 16)


async def test_comparison_pane_error_is_shown_until_the_next_view() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:

        def fail(tag: str) -> bool:
            raise RuntimeError("out of luck")

        app.show()
        app.pane.show(replace(app.view(), settings=Settings(tag_filter="x"), tag_matches=fail))
        await pilot.pause()
        assert "the runs cannot be compared" in screen_text(app)
        assert "out of luck" in screen_text(app)
        assert "@" not in screen_text(app)
        app.show()
        await pilot.pause()
        assert names(app) == list(RUNS)


async def test_comparison_pane_slow_results_appear_when_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        while "…" in screen_text(app) or "★" not in screen_text(app):
            await pilot.pause()
        assert column(app, "acc/val") == ["★0.9375", "0.9", "0.1"]


async def test_comparison_pane_view_before_mount_is_shown() -> None:
    class Early(Shown):
        def compose(self) -> ComposeResult:
            self.show()
            yield self.pane

    app = Early()
    async with app.run_test(size=(90, 20)) as pilot:
        await pilot.pause()
        assert names(app) == list(RUNS)


async def test_comparison_pane_thread_ends_with_the_pane() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert any(thread.name == "tbtui-worker" for thread in threading.enumerate())
    assert not any(thread.name == "tbtui-worker" for thread in threading.enumerate())


async def test_comparison_pane_markup_and_escapes_in_names_are_literal() -> None:
    evil = "[bold red]x[/] \x1b[2J\x1b]0;owned\x07\u202e"
    app = Shown(run(evil, {evil: FALLING, "y" * 4000: FALLING}), run("表" * 300, {evil: FALLING}))
    async with app.run_test(size=(100, 20)) as pilot:
        app.show()
        await press(pilot, "enter", "d", "right", "down", "t")
        text = screen_text(app)
        assert "[bold red]x[" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text + app.pane.status())
        assert SORT_TAG.value(app.settings) == evil


WIDE: Mapping[str, Mapping[str, Sequence[float]]] = {
    **{f"lr={rate}": {"loss": (1.0, rate), "val/loss": (1.0, rate), "epoch": (9.0,)} for rate in (0.1, 0.2, 0.3, 0.4)},
    "lr=0.5": {"loss": (1.0, 0.5), "epoch": (9.0,), "only/once": (1.0,)},
    "odd": {"only/once": (1.0,)},
}


async def test_comparison_pane_puts_sparse_columns_and_empty_rows_aside() -> None:
    app = Shown(*(run(name, tags) for name, tags in WIDE.items()))
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await pilot.pause()
        assert app.grid.columns_in_sight == ("val/loss", "loss", "epoch", "only/once")
        app.show(
            *(run(name, tags) for name, tags in WIDE.items()), *(run(f"{n}", {"loss": (1.0, n)}) for n in range(9))
        )
        await pilot.pause()
        assert app.grid.columns_in_sight == ("loss", "val/loss", "epoch")
        assert "14 of 15 runs" in screen_text(app)
        assert app.pane.status() == "last of 3 tags, 1 aside (O)"
        await press(pilot, "O")
        assert app.grid.columns_in_sight == ("loss", "val/loss", "epoch", "only/once")
        assert app.pane.status() == "last of 4 tags"
        assert "odd" in names(app)
        await press(pilot, "O")
        app.pane.reveal("only/once")
        await press(pilot)
        assert app.grid.cursor_column == "only/once"


async def test_comparison_pane_columns_are_moved_pinned_and_hidden() -> None:
    app = Shown()
    async with app.run_test(size=(90, 20)) as pilot:
        app.show()
        await press(pilot, "right", "right", "p")
        assert app.grid.columns_in_sight == ("loss/train", "acc/val", "loss/val", "lr")
        await press(pilot, "right", "greater_than_sign")
        assert app.grid.columns_in_sight == ("loss/train", "loss/val", "acc/val", "lr")
        await press(pilot, "underscore")
        assert app.grid.columns_in_sight == ("loss/train", "loss/val", "lr")
        assert app.pane.status() == "last of 3 tags, 1 aside (O)"
        await press(pilot, "O")
        app.grid.move_to_column("acc/val")
        await press(pilot, "underscore", "O")
        assert app.grid.columns_in_sight == ("loss/train", "loss/val", "acc/val", "lr")


async def test_comparison_pane_hparams_of_sessions_stand_behind_two_metrics() -> None:
    app = Shown(*search_store(6).runs.values())
    async with app.run_test(size=(120, 20)) as pilot:
        app.show()
        await pilot.pause()
        await app.pane.idle()
        await pilot.pause()
        keys = [key.removeprefix(ATTRIBUTE) for key in app.grid.columns_in_sight]
        assert keys == ["val/loss", "acc", "lr", "opt"]  # the same value in all runs is put aside
        assert app.pane.status() == "last of 2 tags, 1 aside (O)"
        app.grid.move_to_column(build_attribute_key("opt"))
        await press(pilot, "enter")
        assert lines(app)[-2:] == ["t00   opt", "hyperparameter adam"]
        assert names(app)[:4] == ["t00", "t02", "t04", "t01"]


async def test_comparison_pane_writes_the_table_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = Shown(sort_tag="loss/train", sort_descending=True)
    async with app.run_test(size=(90, 24)) as pilot:
        app.show()
        await press(pilot, "w")
        assert "write 3 runs, 4 columns as shown" in screen_text(app)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
    assert (tmp_path / "comparison.csv").read_text().splitlines() == [
        "run,acc/val,loss/val,loss/train,lr",
        "adam/seed1,0.9,12.5,0.0341,0.001",
        "adam/seed0,0.9375,0.142,0.0213,0.001",
        "diverges,0.1,,NaN,0.001",
    ]
