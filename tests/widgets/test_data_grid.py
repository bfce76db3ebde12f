"""The table widget with an artificial table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App
from textual.events import MouseScrollDown, MouseScrollLeft, MouseScrollRight, MouseScrollUp

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.widgets import data_grid
from tbtui.widgets import worker as worker_module
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.grid_viewport import HEADER_HEIGHT, ColumnHead
from tbtui.widgets.worker import Worker
from tests.helpers.screen_text import widget_lines

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.geometry import Region
    from textual.pilot import Pilot

    from tbtui.charts.cells import Cells
    from tbtui.charts.styled_text import Cell


class Table:
    """Cells that say where they are: `r3c5`."""

    corner = "name"

    def __init__(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        *,
        changed: Mapping[tuple[str, str], str] | None = None,
        heads: Mapping[str, ColumnHead] | None = None,
        meaning: Hashable = None,
    ) -> None:
        self.rows = tuple(Row(key, (("● ", 0),), key) for key in rows)
        self.columns = tuple(columns)
        self.meaning = meaning
        self.asked: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self._changed = changed or {}
        self._heads = heads or {}

    def head(self, column: str) -> ColumnHead:
        return self._heads.get(column, ColumnHead(column, 8))

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Cell]]]:
        self.asked.append((tuple(columns), tuple(rows)))
        for column in columns:
            yield column, {row.key: self._cell(row.key, column) for row in self.rows}

    def _cell(self, row: str, column: str) -> Cell:
        return ((self._changed.get((row, column), row + column).rjust(8), Ink.TEXT),)


class Host(App[None]):
    """A table of twelve lines: ten rows below the header."""

    CSS = "DataGrid { height: 12; width: 40; }"
    AUTO_FOCUS = "DataGrid"

    def __init__(self, *, wide_names: bool = False) -> None:
        super().__init__()
        self._worker = Worker(lambda: None)  # with all patience results are there when asked for
        self.grid = DataGrid(self._worker, wide_names=wide_names)
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.grid

    def on_unmount(self) -> None:
        self._worker.close()

    def on_data_grid_moved(self) -> None:
        self.said.append(f"moved {self.at}")

    def on_data_grid_head_chosen(self) -> None:
        self.said.append(f"head {self.grid.cursor_column}")

    @property
    def at(self) -> str:
        return f"{self.grid.cursor_row} {self.grid.cursor_column}"

    @property
    def lines(self) -> list[str]:
        return widget_lines(self.grid)

    @property
    def corner(self) -> str:
        """What the first cell in sight says."""
        return self.lines[HEADER_HEIGHT].rstrip("▏▌").split()[2]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


def names(letter: str, count: int) -> list[str]:
    return [f"{letter}{number}" for number in range(count)]


def table(rows: int = 30, columns: int = 20, **more: Any) -> Table:
    return Table(names("r", rows), names("c", columns), **more)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def test_data_grid_shows_the_visible_part() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await pilot.pause()
        assert host.lines[:4] == [
            "                                    17 ›",
            "name            c0        c1        c2",
            "● r0          r0c0      r0c1      r0c2 ▌",
            "● r1          r1c0      r1c1      r1c2 ▌",
        ]
        assert host.grid.columns_in_sight == ("c0", "c1", "c2")
        assert host.grid.rows_in_sight == tuple(names("r", 10))


async def test_data_grid_draws_groups_above_titles() -> None:
    heads = {
        "a/x": ColumnHead("x", 8, "a"),
        "a/y": ColumnHead("y", 8, "a", "▲"),
        "b": ColumnHead("b", 8),
        "c/a title that is too long": ColumnHead("a title that is too long", 8, "a group that is too long"),
        "d": ColumnHead("words", 8, at_right=False),
    }
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        host.grid.styles.width = 70
        await pilot.pause()
        host.grid.show(Table(["r"], tuple(heads), heads=heads))
        await pilot.pause()
        assert host.lines[:2] == [
            "          a ────────────────            a group…",
            "name             x       ▲ y         b  a ti…ong  words",
        ]


async def test_data_grid_keys_keep_the_cursor_visible() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        for key, at, corner in [
            ("j", "r1 c0", "r0c0"),
            ("down", "r2 c0", "r0c0"),
            ("k", "r1 c0", "r0c0"),
            ("l", "r1 c1", "r0c0"),
            ("right", "r1 c2", "r0c0"),
            ("right", "r1 c3", "r0c1"),
            ("h", "r1 c2", "r0c1"),
            ("left", "r1 c1", "r0c1"),
            ("left", "r1 c0", "r0c0"),
            ("left", "r1 c0", "r0c0"),
            ("pagedown", "r10 c0", "r1c0"),
            ("pagedown", "r19 c0", "r10c0"),
            ("pageup", "r10 c0", "r10c0"),
            ("up", "r9 c0", "r9c0"),
            ("G", "r29 c0", "r20c0"),
            ("L", "r29 c3", "r20c1"),
            ("shift+right", "r29 c6", "r20c4"),
            ("H", "r29 c3", "r20c3"),
            ("shift+left", "r29 c0", "r20c0"),
            ("g", "r0 c0", "r0c0"),
            ("end", "r29 c0", "r20c0"),
            ("home", "r0 c0", "r0c0"),
        ]:
            await press(pilot, key)
            assert (host.at, host.corner) == (at, corner), key
        assert host.said[0] == "moved r1 c0"
        assert host.said[-1] == "moved r0 c0"
        assert len(host.said) == 21  # a key that leads nowhere says nothing


async def test_data_grid_counts_hidden_columns() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table(columns=2000))
        host.grid.move_to_column("c1234")
        await pilot.pause()
        assert host.lines[0].split() == ["‹", "1,232", "765", "›"]
        host.grid.move_to_column("c1999")
        assert host.lines[0].split() == ["‹", "1,997"]
        host.grid.move_to_column("unheard of")
        assert host.grid.cursor_column == "c1999"


async def test_data_grid_columns_stay_while_rows_scroll() -> None:
    rows = [*names("r", 20), *(f"a name as long as row {number}" for number in range(20))]
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(Table(rows, ["c", "d"]))
        await pilot.pause()
        header = host.lines[:HEADER_HEIGHT]
        await press(pilot, "G")
        assert host.lines[:HEADER_HEIGHT] == header
        assert host.lines[1:3] + host.lines[-1:] == [
            "name                   c         d",
            "● a name…ow 10  a name a  a name a     ▏",
            "● a name…ow 19  a name a  a name a     ▌",
        ]


async def test_data_grid_names_drop_their_common_beginning_first() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(Table([f"experiment/of/today/seed{number}" for number in range(3)], ["c"]))
        await pilot.pause()
        assert [line[:9] for line in host.lines[2:5]] == ["● seed0  ", "● seed1  ", "● seed2  "]
        assert host.lines[1] == "name             c"  # and no room is kept for it


async def test_data_grid_cut_names_stay_distinct() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(Table([f"{name}_lr1e{rate}_seed0" for name in ("adam", "sgd") for rate in (3, 4)], ["c"]))
        await pilot.pause()
        assert [line.split()[1] for line in host.lines[2:6]] == [
            "adam_lr1e3",
            "adam_lr1e4",
            "sgd_lr1e3",
            "sgd_lr1e4",
        ]
        host.grid.styles.width = 24
        await pilot.pause()
        assert [line.split()[1] for line in host.lines[2:6]] == ["adam…1e3", "adam…1e4", "sgd_…1e3", "sgd_…1e4"]


async def test_data_grid_wide_names_take_what_the_columns_leave() -> None:
    host = Host(wide_names=True)
    async with host.run_test() as pilot:
        host.grid.show(Table(["a_kernel_new", "an_operator_with_a_long_name", "a_kernel"], ["c"]))
        await pilot.pause()
        cells = "a_kernel_newc", "an_operator_with_a_long_namec", "a_kernelc"
        assert [line.split()[1] for line in host.lines[2:5]] == [
            "a_kernel_new",
            "an_operator_w…_a_long_name",
            "a_kernel",
        ]
        assert [line.split()[2] for line in host.lines[2:5]] == [cell[:8] for cell in cells]


async def test_data_grid_keeps_cursor_and_scroll_position_by_key() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await press(pilot, "pagedown", "pagedown", "L")
        assert host.at == "r18 c3"
        line = host.lines.index(next(line for line in host.lines if "r18c3" in line))
        host.grid.show(Table([*names("new", 7), *names("r", 30)], [*names("n", 5), *names("c", 20)]))
        await pilot.pause()
        assert host.at == "r18 c3"
        assert "r18c3" in host.lines[line]
        host.grid.show(Table(list(reversed(names("r", 30))), names("c", 20)))
        await pilot.pause()
        assert host.at == "r18 c3"
        assert "r18c3" in host.lines[line]


async def test_data_grid_untouched_stays_at_the_first_cell() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(Table(names("r", 5)[3:], names("c", 5)[3:]))
        host.grid.show(table(5, 5))
        await pilot.pause()
        assert (host.at, host.corner) == ("r0 c0", "r0c0")
        await press(pilot, "right")  # across alone: other rows still come in at the top
        host.grid.show(Table(["new", *names("r", 5)], ["new", *names("c", 5)]))
        await pilot.pause()
        assert host.at == "new c1"


async def test_data_grid_requests_only_visible_columns() -> None:
    host = Host()
    async with host.run_test() as pilot:
        shown = table(3000, 5000)
        host.grid.show(shown)
        await pilot.pause()
        assert shown.asked == [(("c0", "c1", "c2"), tuple(names("r", 10)))]
        await press(pilot, "G", "pageup", "k", "right", "right")
        assert len(shown.asked) == 1  # rows come without asking, and these columns are there
        await press(pilot, "right")
        assert shown.asked[1:] == [(("c1", "c2", "c3"), tuple(f"r{number}" for number in range(2989, 2999)))]


async def test_data_grid_shows_pending_cells() -> None:
    class Slow(Table):
        def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Cell]]]:
            yield columns[0], {rows[0]: (("first", Ink.TEXT),)}

    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(Slow(["r0", "r1"], ["c0", "c1"]))
        await pilot.pause()
        assert [line.split()[2:] for line in host.lines[2:4]] == [["first", "…"], ["…", "…"]]


async def test_data_grid_draws_only_changed_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, Mapping[str, Cell]] = {}

    class Steady(Table):
        """Returns the same object for a column each time."""

        def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Cell]]]:
            for column, cells in super().cells(columns, rows):
                yield column, known.setdefault(column, cells)

    drawn: list[int] = []
    original = data_grid.draw_column

    def draw(cells: Mapping[str, Cell], rows: Sequence[str], width: int) -> Cells:
        drawn.append(len(rows))
        return original(cells, rows, width)

    monkeypatch.setattr(data_grid, "draw_column", draw)
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(Steady(names("r", 30), names("c", 20)))
        await pilot.pause()
        drawn.clear()
        await press(pilot, "down", "right")
        assert drawn == []  # only the cursor moved
        await press(pilot, "G")
        assert drawn == [10] * 3  # three columns of other rows
        drawn.clear()
        known["c1"] = {"r29": (("other", Ink.TEXT),)}
        host.grid.show(Steady(names("r", 30), names("c", 20)))
        await pilot.pause()
        assert drawn == [10]
        assert "other" in host.lines[-1]


async def test_data_grid_removes_cells_of_another_meaning() -> None:
    class Silent(Table):
        def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Cell]]]:
            return iter(())

    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table(2, 2))
        host.grid.show(Silent(["r0", "r1"], ["c0", "c1"]))
        await pilot.pause()
        assert "r0c1" in host.lines[2]  # the same figures, perhaps a little old
        host.grid.show(Silent(["r0", "r1"], ["c0", "c1"], meaning="best"))
        await pilot.pause()
        assert host.lines[2].split() == ["●", "r0", "…", "…"]


async def test_data_grid_repaints_only_changed_cells() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await pilot.pause()
        painted: list[Region] = []

        def note(*regions: Region, **_: object) -> DataGrid:
            painted.extend(regions)
            return host.grid

        host.grid.refresh = note  # type: ignore[method-assign,assignment]
        host.grid.show(table())
        assert painted == []
        host.grid.show(table(changed={("r3", "c1"): "changed", ("r20", "c1"): "below", ("r3", "c9"): "beside"}))
        assert [(region.y, region.height) for region in painted] == [(HEADER_HEIGHT + 3, 1)]
        painted.clear()
        host.grid.action_move(1)
        assert {region.y for region in painted} == {HEADER_HEIGHT, HEADER_HEIGHT + 1}


async def test_data_grid_mouse_points_scrolls_and_chooses_titles() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await pilot.click(DataGrid, offset=(22, 5))
        assert host.at == "r3 c1"
        await pilot.click(DataGrid, offset=(1, 6))  # a name: its row
        assert host.at == "r4 c1"
        await pilot.click(DataGrid, offset=(34, 1))
        assert host.said[-2:] == ["moved r4 c2", "head c2"]
        await pilot.click(DataGrid, offset=(1, 0))
        assert host.said[-1] == "head c2"
        for wheel, corner in [
            (MouseScrollDown, "r3c0"),
            (MouseScrollRight, "r3c1"),
            (MouseScrollRight, "r3c2"),
            (MouseScrollLeft, "r3c1"),
            (MouseScrollUp, "r0c1"),
            (MouseScrollUp, "r0c1"),
        ]:
            await pilot._post_mouse_events([wheel], widget=host.grid)
            await pilot.pause()
            assert (host.corner, host.at) == (corner, "r4 c2")
        for _ in range(30):
            await pilot._post_mouse_events([MouseScrollRight], widget=host.grid)
        assert host.grid.columns_in_sight == ("c17", "c18", "c19")  # not beyond the end
        await press(pilot, "down")
        assert host.corner == "r0c17"  # rows move no columns
        assert host.at == "r5 c2"
        await press(pilot, "right")
        assert "c3" in host.grid.columns_in_sight


async def test_data_grid_shift_wheel_scrolls_columns() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await pilot._post_mouse_events([MouseScrollDown], widget=host.grid, shift=True)
        await pilot.pause()
        assert host.corner == "r0c1"


async def test_data_grid_click_below_the_rows_does_nothing() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table(3, 3))
        await pilot.click(DataGrid, offset=(14, 9))
        assert host.said == []


async def test_data_grid_without_a_table_shows_the_message() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await press(pilot, "down", "right")
        host.grid.show_message("nothing to see", "look elsewhere")
        await press(pilot, "down", "G", "right", "L")
        await pilot.click(DataGrid, offset=(14, 4))
        assert "nothing to see" in "\n".join(host.lines)
        assert host.at == "None None"
        host.grid.show(table())
        await pilot.pause()
        assert host.at == "r1 c1"
        assert "nothing" not in "\n".join(host.lines)


async def test_data_grid_wheel_without_a_table_does_nothing() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show_message("nothing to see")
        for turned in (MouseScrollLeft, MouseScrollRight, MouseScrollUp, MouseScrollDown):
            await pilot._post_mouse_events([turned], widget=host.grid)
            await pilot.pause()
        assert "nothing to see" in "\n".join(host.lines)
        host.grid.show(table())
        await pilot.pause()
        assert host.corner == "r0c0"


async def test_data_grid_shows_an_error_and_recovers() -> None:
    class Broken(Table):
        def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Cell]]]:
            yield columns[0], {}
            raise RuntimeError("[b]out of luck[/b]\x1b[2J")

    host = Host()
    async with host.run_test(size=(60, 24)) as pilot:
        host.grid.styles.width = 60
        await pilot.pause()
        host.grid.show(Broken(["r"], ["c"]))
        await pilot.pause()
        text = "\n".join(host.lines)
        assert "the table cannot be worked out" in text
        assert "RuntimeError: [b]out of luck[/b]·[2J" in text
        assert host.said == ["moved None None"]
        host.grid.show(table())
        await pilot.pause()
        assert host.corner == "r0c0"


async def test_data_grid_shows_the_cursor_only_with_the_focus() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await press(pilot, "down", "right")

        def marked() -> list[tuple[int, str]]:
            plain = host.grid.render_line(11)._segments[-1].style
            backgrounds = ((y, part) for y in range(12) for part in host.grid.render_line(y))
            return [
                (y, part.text)
                for y, part in backgrounds
                if part.style and plain and part.style.bgcolor != plain.bgcolor and part.text
            ]

        assert "".join(text for _, text in marked()) == "    r1c1"
        assert {y for y, _ in marked()} == {HEADER_HEIGHT + 1}
        host.set_focus(None)
        await pilot.pause()
        assert marked() == []


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (8, 3), (12, 5), (40, 12), (45, 45), (300, 90)])
async def test_data_grid_fits_any_size(size: tuple[int, int]) -> None:
    host = Host()
    async with host.run_test(size=size) as pilot:
        host.grid.styles.width, host.grid.styles.height = size
        await pilot.pause()
        host.grid.show(Table([f"名前 of row {number}" for number in range(100)], names("c", 100)))
        await press(pilot, "G", "L", "right", "left", "pageup")
        assert all(host.grid.render_line(y).cell_length == size[0] for y in range(size[1]))
        assert host.grid.cursor_row in host.grid.rows_in_sight or size[1] <= HEADER_HEIGHT
        assert host.grid.cursor_column in host.grid.columns_in_sight or size[0] < 12
        if size[0] >= 12:
            assert len(host.grid.columns_in_sight) >= 1


async def test_data_grid_smaller_size_keeps_the_cursor_visible() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        await press(pilot, "pagedown", "right", "right")
        assert host.at == "r9 c2"
        host.grid.styles.height, host.grid.styles.width = 6, 20
        await pilot.pause()
        await pilot.pause()
        assert "r9" in host.grid.rows_in_sight
        assert host.grid.columns_in_sight == ("c2",)


@pytest.mark.parametrize(
    ("theme", "by"), [("ansi-dark", "reverse"), ("textual-dark", "bgcolor"), ("textual-light", "bgcolor")]
)
async def test_data_grid_cursor_is_visible_in_any_theme(theme: str, by: str) -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table())
        host.theme = theme
        await press(pilot, "down")
        parts = {part.text.strip(): part.style for part in host.grid.render_line(HEADER_HEIGHT + 1) if part.style}
        assert getattr(parts["r1c0"], by) != getattr(parts["r1c1      r1c2"], by)


async def test_data_grid_pinned_columns_stay_in_sight_while_others_scroll() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table(heads={"c0": ColumnHead("c0", 8, is_pinned=True)}))
        await press(pilot, *["right"] * 5)
        assert host.lines[:3] == [
            "     ‹ 3                            14 ›",
            "name            c0│       c4        c5",
            "● r0          r0c0│     r0c4      r0c5 ▌",
        ]
        assert host.at == "r0 c5"
        await press(pilot, *["left"] * 5)
        assert host.grid.columns_in_sight == ("c0", "c1", "c2")
        assert host.at == "r0 c0"


async def test_data_grid_leaves_room_for_a_column_beside_pinned_ones() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.grid.show(table(heads={name: ColumnHead(name, 8, is_pinned=True) for name in names("c", 6)}))
        await press(pilot, *["right"] * 19)
        assert host.grid.columns_in_sight == ("c0", "c18", "c19")
