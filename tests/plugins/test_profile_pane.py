"""The Profile tab, driven by keys over captures of the corpus."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App, ComposeResult

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.profile.capture import list_capture_sources, load_capture
from tbtui.plugins.profile.details import list_row_details
from tbtui.plugins.profile.pane.pane import ProfilePane
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from textual.pilot import Pilot

CORPUS = Path(__file__).parents[1] / "corpus" / "profile"


class Shown(App[None]):
    """The pane, and as much of the app as it speaks to."""

    AUTO_FOCUS = "DataGrid"

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.pane = ProfilePane()
        self._loader = Loader(parse_sources([str(root)]), reload_seconds=0)
        self._colours, self._facts = RunColours(), SummaryCache()

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.load()

    def load(self, **settings: Any) -> None:
        snapshot = self._loader.load_all().snapshot
        self.pane.show(build_view(snapshot, Settings(**settings), self._colours, self._facts))


async def text_of(app: Shown, pilot: Pilot[None]) -> str:
    await pilot.pause()
    await app.pane.idle()
    await pilot.pause()
    return screen_text(app)


async def pressed(app: Shown, pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await app.pane.idle()
    return await text_of(app, pilot)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (45, 45), (40, 12), (20, 5)])
async def test_overview_answers_in_every_size(size: tuple[int, int]) -> None:
    app = Shown(CORPUS / "public" / "amd_mi250")
    async with app.run_test(size=size) as pilot:
        text = await text_of(app, pilot)
        assert "rank0" in text
        if size[0] >= 40:
            assert "launching" in text
        if size[1] >= 24:
            assert "launch-bound: GPU 2" in text


async def test_views_steps_and_details_have_keys() -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(110, 36)) as pilot:
        text = await text_of(app, pilot)
        assert "169.9 ms a step ±97.0 % · 3 steps" in text
        assert "CPU operators" in text
        assert app.pane.status() == "all 3 steps"
        assert "step 2: 24.24 ms" in await pressed(app, pilot, "right_square_bracket")
        assert app.pane.status() == "step 2"
        assert "step 4: 400.4 ms" in await pressed(app, pilot, "left_square_bracket", "left_square_bracket")
        text = await pressed(app, pilot, "escape", "m", "o")
        assert "▕" not in text
        assert text.index("aten::mm") < text.index("aten::sqrt")
        assert "no kernels were recorded" in await pressed(app, pilot, "m", "e")
        text = await pressed(app, pilot, "m", "s", "enter")
        assert "shapes:" in text
        assert "[32,256] [256,64]" in text


async def test_rows_are_sorted_and_filtered() -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(110, 36)) as pilot:
        await text_of(app, pilot)
        text = await pressed(app, pilot, "m", "o", "right", "right", "right", "t")
        assert "▼ calls" in text
        grid_rows = [row.calls for row in app.pane.views.table.matching_rows]  # type: ignore[union-attr]
        assert grid_rows == sorted(grid_rows, reverse=True)
        text = await pressed(app, pilot, "t")
        assert "▲ calls" in text
        text = await pressed(app, pilot, "slash", "s", "q", "r", "t")
        assert "aten::sqrt" in text
        assert "aten::mm" not in text
        await pressed(app, pilot, "enter", "escape")
        table = app.pane.views.table
        assert table is not None
        assert len(table.matching_rows) == table.row_count > 60


async def test_captures_are_chosen_and_filtered() -> None:
    app = Shown(CORPUS)
    async with app.run_test(size=(100, 30)) as pilot:
        first = app.pane.selection.source
        text = await text_of(app, pilot)
        assert "1 of 8" in text
        assert "2 of 8" in await pressed(app, pilot, "greater_than_sign")
        assert app.pane.selection.source != first
        text = await pressed(app, pilot, "I")
        assert "choose a profile" in text
        assert len(re.findall(r"│ ● .* kB .*│$", text, re.MULTILINE)) == 8  # the border hides none
        await pressed(app, pilot, "down", "enter")
        assert "3 of 8" in await text_of(app, pilot)
        app.load(tag_filter="nothing like it")
        assert "hides all profiles" in await text_of(app, pilot)


async def test_capture_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    target = tmp_path / "rank0.pt.trace.json.gz"
    shutil.copy(next((CORPUS / "public" / "triton").iterdir()), target)
    app = Shown(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        assert "13.34 s" in await text_of(app, pilot)
        shutil.copy(next((CORPUS / "public" / "amd_mi250").iterdir()), target)
        app.load()
        assert "9.288 ms" in await text_of(app, pilot)
        target.write_bytes(b"{}")
        app.load()
        assert "cannot be read" in await text_of(app, pilot)


async def test_hostile_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    name = "\\u001b[31m\\u202e evil \\n name"
    event = f'{{"ph": "X", "cat": "cpu_op", "name": "{name}", "pid": 1, "tid": 1, "ts": 1, "dur": 5}}'
    (tmp_path / "a.pt.trace.json").write_text(f'{{"traceEvents": [{event}]}}')
    app = Shown(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        for keys in ((), ("o",), ("enter",), ("escape", "i")):
            text = await pressed(app, pilot, *keys)
            assert "\x1b" not in text
            assert "\u202e" not in text


def test_details_of_an_operator_name_its_callers_and_modules() -> None:
    (run,) = Loader(parse_sources([str(CORPUS / "torch")]), reload_seconds=0).load_all().snapshot.runs.values()
    analysis = load_capture(list_capture_sources(run)[0])
    rows = {row.name: row for row in analysis.operators}
    lines = list_row_details(analysis, rows["aten::addmm"])
    assert lines[0] == "18 calls"
    assert not any(line.startswith("device 0") for line in lines), "nothing ran on a device"
    assert any(line.endswith("aten::linear") for line in lines[lines.index("called by:") :][:3])
    assert any("nn.Module: Linear" in line for line in lines[lines.index("modules:") :])
    assert "shapes:" in lines


async def test_timeline_is_moved_by_keys_and_mouse() -> None:
    app = Shown(CORPUS / "public" / "amd_mi250")
    async with app.run_test(size=(100, 30)) as pilot:
        await text_of(app, pilot)
        text = await pressed(app, pilot, "m", "T")
        assert "│step 1" in text
        assert "choose an event" in text
        view = app.pane.views.timeline
        assert view.has_focus
        before = view.visible_range
        await pressed(app, pilot, "j", "j", "z", "z")
        assert view.visible_range is not None
        assert before is not None
        assert view.visible_range.width == pytest.approx(before.width / 4, rel=0.02)
        text = await pressed(app, pilot, "F", "slash", *"hipLaunch", "enter")
        assert "hipLaunchKernel" in text
        launch = view.visible_range.event
        text = await pressed(app, pilot, "U")
        assert "launched" in text
        await pressed(app, pilot, "U")
        assert view.visible_range.event == launch
        text = await pressed(app, pilot, "escape", "v", "n", "enter")
        assert " x  hipLaunchKernel" in text
        text = await pressed(app, pilot, "escape", "escape", "right_square_bracket")
        assert "step 1: 9.288 ms" in text
        await pressed(app, pilot, "enter")
        await pressed(app, pilot, "escape")
        await pilot.click(type(view), offset=(60, 3))
        assert await text_of(app, pilot)
        assert view.visible_range.event >= 0
        assert "launching" in await pressed(app, pilot, "escape", "m", "s")


async def test_timeline_folds_all_tracks_and_shows_them_again() -> None:
    app = Shown(CORPUS / "public" / "amd_mi250")
    async with app.run_test(size=(100, 30)) as pilot:
        await text_of(app, pilot)
        await pressed(app, pilot, "m", "T")
        view = app.pane.views.timeline
        assert view.visible_range is not None
        assert view.index is not None
        await pressed(app, pilot, "*")
        assert view.visible_range.folded == frozenset(range(len(view.index.tracks)))
        await pressed(app, pilot, "*")
        assert not view.visible_range.folded


async def test_all_tracks_are_folded_and_unfolded() -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(100, 30)) as pilot:
        await text_of(app, pilot)
        before = await pressed(app, pilot, "m", "T", "down", "down", "down")
        assert "▹ python" in before
        folded = await pressed(app, pilot, "asterisk")
        assert "▸ python" in folded
        assert "mk_torch_prof.py(19): train" in before
        assert "mk_torch_prof.py(19): train" not in folded
        assert "mk_torch_prof.py(19): train" in await pressed(app, pilot, "asterisk")


async def test_timeline_fits_any_size() -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(80, 24)) as pilot:
        await text_of(app, pilot)
        await pressed(app, pilot, "m", "T")
        for size in ((120, 40), (45, 45), (40, 12), (12, 4), (80, 24)):
            await pilot.resize_terminal(*size)
            await text_of(app, pilot)
            await pressed(app, pilot, "down", "z", "space", "Z", "L")


async def test_flame_graph_is_walked_zoomed_and_searched() -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(110, 36)) as pilot:
        await text_of(app, pilot)
        text = await pressed(app, pilot, "m", "K")
        assert "torch/_tensor.py(566): backward" in text
        assert "all calls, time of the host" in text
        text = await pressed(app, pilot, "down", "down", "enter")
        assert app.pane.views.flame.focus_frame == app.pane.views.flame.cursor > 0
        assert "esc close" in await pressed(app, pilot, "enter")
        await pressed(app, pilot, "escape", "backspace", "right", "up")
        text = await pressed(app, pilot, "slash", *"aten::sqrt", "enter")
        assert "matches: " in text
        assert app.pane.views.flame.flame is not None
        assert app.pane.views.flame.flame.names[app.pane.views.flame.cursor] == "aten::sqrt"
        text = await pressed(app, pilot, "escape", "B", "U")
        assert "modules and operators" in text
        assert "Sequential_0" in text
        await pilot.click(type(app.pane.views.flame), offset=(10, 1))
        assert app.pane.views.flame.cursor > 0


@pytest.mark.parametrize("keys", [("pagedown", "pageup"), ("ctrl+d", "ctrl+u"), ("ctrl+f", "ctrl+b")])
async def test_flame_graph_pages_along_the_widest_stack(keys: tuple[str, str]) -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(110, 6)) as pilot:
        await text_of(app, pilot)
        await pressed(app, pilot, "m", "K")
        view = app.pane.views.flame
        assert view.flame is not None
        await pressed(app, pilot, keys[0])
        depth = int(view.flame.depths[view.cursor])
        assert depth == view.size.height // 2
        text = await pressed(app, pilot, keys[0], keys[0], keys[0])
        assert int(view.flame.depths[view.cursor]) > view.size.height  # deeper than the screen, and still on it
        assert view.flame.names[view.cursor] in text.replace("\n", "")
        assert view.focus_frame > 0
        await pressed(app, pilot, *[keys[1]] * 8)
        assert view.cursor == 0


async def test_operators_are_grouped_by_shape_and_module() -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(110, 36)) as pilot:
        await text_of(app, pilot)
        assert "[32,256]" in await pressed(app, pilot, "m", "o", "B")
        assert "Linear_" in await pressed(app, pilot, "B")
        assert ".py(" in await pressed(app, pilot, "B")
        assert "[32,256]" not in await pressed(app, pilot, "B")


async def test_memory_input_and_communication_have_views() -> None:
    app = Shown(CORPUS)
    async with app.run_test(size=(110, 36)) as pilot:
        await text_of(app, pilot)
        for source in app.pane.selection.listed.sources:
            if source.run == "torch/all_on":
                app.pane._choose(source)
        text = await pressed(app, pilot, "m", "M")
        assert "CPU: peak 413 kB" in text
        assert "at peak" in text
        assert "operators that allocated what is held at the peak" in await pressed(app, pilot, "enter")
        text = await pressed(app, pilot, "escape", "m", "I")
        assert "not input-bound" in text
        assert "enumerate(DataLoader)" in text
        assert "no collectives were recorded" in await pressed(app, pilot, "m", "X")
        app.pane.reveal("rank34")
        assert "gloo:all_reduce" in await text_of(app, pilot)


@pytest.mark.parametrize(
    ("columns", "head"),
    [
        (110, "w0 · 169.9 ms a step ±97.0 % · 3 steps · CPU "),
        (42, "w0 · 169.9 ms a step ±97.0 % "),
        (32, "w0 · 169.9 ms a step "),
        (22, "w0 · 169.9 ms/step "),
    ],
)
async def test_head_loses_whole_parts_in_a_narrow_pane(columns: int, head: str) -> None:
    app = Shown(CORPUS / "torch" / "all_on")
    async with app.run_test(size=(columns, 24)) as pilot:
        assert head in (await text_of(app, pilot)).splitlines()[0] + " "


async def test_two_captures_are_compared() -> None:
    app = Shown(CORPUS)
    async with app.run_test(size=(110, 36)) as pilot:
        await text_of(app, pilot)
        text = await pressed(app, pilot, "d")
        assert "compare with" in text
        text = await pressed(app, pilot, "enter")
        assert "in the baseline" in text
        assert "diff ms" in text
        assert "this ms  baseline" in text
        assert "gone" in text or "new" in text


async def test_damage_is_told_above_the_breakdown(tmp_path: Path) -> None:
    source = CORPUS / "torch" / "all_on"
    data = gzip.decompress(next(source.iterdir()).read_bytes())
    (tmp_path / "w0.pt.trace.json").write_bytes(data[: len(data) // 2])
    app = Shown(tmp_path)
    async with app.run_test(size=(90, 30)) as pilot:
        lines = (await text_of(app, pilot)).splitlines()
        assert lines[2].lstrip().startswith("! the trace is cut: its last")


async def test_all_steps_have_a_bar_or_a_column() -> None:
    app = Shown(CORPUS / "jax")
    async with app.run_test(size=(100, 30)) as pilot:
        line = next(line for line in (await text_of(app, pilot)).splitlines() if " steps 0" in line)
        assert [part in line for part in ("174.9 µs", "64.48 µs", "22.59 µs", "20.51 µs", "25.75 µs")] == [True] * 5
        await pilot.resize_terminal(60, 30)
        assert " steps 0–4 " in await text_of(app, pilot)


async def test_two_captures_of_one_worker_are_told_apart(tmp_path: Path) -> None:
    (source,) = (CORPUS / "torch" / "all_on").iterdir()
    for moment in ("1795582049402492555", "1795582059402492555"):
        shutil.copy(source, tmp_path / f"w0.{moment}.pt.trace.json.gz")
    app = Shown(tmp_path)
    async with app.run_test(size=(50, 40)) as pilot:
        await text_of(app, pilot)
        text = await pressed(app, pilot, "d", "enter")
        assert "1 of 2 ▕" in text
        assert "2 of 2 ▕" in text
        assert "0.0 % faster" in text
