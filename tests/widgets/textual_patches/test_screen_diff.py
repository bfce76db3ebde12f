"""The terminal shows the same as if every update were written whole, with fewer bytes."""

from __future__ import annotations

import re
from typing import Any

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.strip import Strip

from tbtui.widgets.textual_patches.screen_diff import MAX_PARAMETERS, DiffedApp, ScreenDiff

WIDTH, HEIGHT = 16, 3
TRUE = ColorSystem.TRUECOLOR
STYLES = [
    None,
    Style(color="#ff8000"),
    Style(color="#ff8000", bgcolor="#102030"),
    Style(bgcolor="#102030"),
    Style(bold=True),
    Style(bold=True, color="#ff8000", bgcolor="#102030"),
    Style(dim=True, reverse=True, color="red"),
    Style(underline=True, color="color(200)", bgcolor="color(17)"),
]
TEXTS = st.text("ab ─漢", min_size=1, max_size=WIDTH)
SEGMENTS = st.tuples(TEXTS, st.sampled_from(STYLES)).map(lambda pair: Segment(*pair))
LINES = st.lists(SEGMENTS, min_size=1, max_size=4)
WRITES = st.lists(st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), LINES), max_size=12)


def strip_from(x: int, segments: list[Segment]) -> Strip:
    """Return a strip that ends at the last column at the latest."""
    return Strip(segments).crop(0, WIDTH - x)


class Screen:
    """A terminal and what is written to it."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> None:
        self._stream.feed(text)

    @property
    def cells(self) -> list[list[Any]]:
        return [[as_seen(self.screen.buffer[y][x]) for x in range(WIDTH)] for y in range(HEIGHT)]


def as_seen(cell: Any) -> Any:
    """Return a cell without what does not show on a blank."""
    if cell.data != " " or cell.reverse or cell.underscore or cell.strikethrough or cell.blink:
        return cell
    return cell._replace(fg="default", bold=False, italics=False)


def written(diff: ScreenDiff, x: int, y: int, *segments: Segment) -> str:
    """Return the output for one strip."""
    diff.write(x, y, [Strip(segments)], TRUE)
    return diff.flush()


def whole(x: int, y: int, strip: Strip) -> str:
    """Return what Textual writes."""
    parts = [
        Strip.render_style(segment.style, segment.text, TRUE) if segment.style else segment.text for segment in strip
    ]
    return f"\x1b[{y + 1};{x + 1}H{''.join(parts)}"


def covers_half_a_character(cells: list[str], x: int, width: int) -> bool:
    """Return True if a write would leave half of a wide character, which terminals treat differently."""
    return (x < WIDTH and cells[x] == "") or (x + width < WIDTH and cells[x + width] == "")


@given(WRITES)
def test_diff_shows_what_whole_updates_show(writes: list[tuple[int, int, list[Segment]]]) -> None:
    diffed, plain, diff = Screen(), Screen(), ScreenDiff(WIDTH, HEIGHT)
    for x, y, segments in writes:
        strip = strip_from(x, segments)
        if covers_half_a_character([cell.data for cell in plain.cells[y]], x, strip.cell_length):
            continue
        diffed.write(written(diff, x, y, *strip))
        plain.write(whole(x, y, strip))
        assert diffed.cells == plain.cells


@given(LINES, st.integers(0, HEIGHT - 1))
def test_diff_equal_line_writes_nothing(segments: list[Segment], y: int) -> None:
    diff = ScreenDiff(WIDTH, HEIGHT)
    strip = strip_from(0, segments)
    assert diff.write(0, y, [strip], TRUE)
    assert diff.flush()
    assert not diff.write(0, y, [strip], TRUE)
    assert not diff.write(0, y, [Strip([Segment(char, s.style) for s in strip for char in s.text])], TRUE)
    assert diff.flush() == ""


@given(WRITES)
def test_diff_shows_all_writes_of_an_update_at_once(writes: list[tuple[int, int, list[Segment]]]) -> None:
    diffed, plain, diff = Screen(), Screen(), ScreenDiff(WIDTH, HEIGHT)
    for x, y, segments in writes:
        strip = strip_from(x, segments)
        if not covers_half_a_character([cell.data for cell in plain.cells[y]], x, strip.cell_length):
            diff.write(x, y, [strip], TRUE)
            plain.write(whole(x, y, strip))
    diffed.write(diff.flush())
    assert diffed.cells == plain.cells


def test_diff_writes_each_colour_once_however_lines_cross() -> None:
    diff = ScreenDiff(WIDTH, HEIGHT)
    red, blue = Style(color="#ff0000"), Style(color="#0000ff")
    for y in range(HEIGHT):
        diff.write(0, y, [Strip([Segment("⣿", (red, blue)[x % 2]) for x in range(WIDTH)])], TRUE)
    text = diff.flush()
    assert text.count("m") == 3  # red, blue, and the end
    assert text.count("⣿") == WIDTH * HEIGHT


def test_diff_text_behind_a_blank_of_its_style_has_its_colour() -> None:
    diff, screen = ScreenDiff(WIDTH, HEIGHT), Screen()
    segments = [Segment("a", Style(color="#ff8000", bgcolor="#102030")), Segment(" b", Style(bgcolor="#102030"))]
    screen.write(written(diff, 0, 0, *segments))
    assert [cell.fg for cell in screen.cells[0][:3:2]] == ["ff8000", "default"]


def test_diff_blanks_of_another_colour_of_text_are_not_written() -> None:
    diff = ScreenDiff(WIDTH, HEIGHT)
    written(diff, 0, 0, Segment("ab   c", Style(color="red", bgcolor="#102030")))
    text = written(diff, 0, 0, Segment("ab   c", Style(color="blue", bgcolor="#102030")))
    assert text.count(" ") == 3  # between letters that changed
    assert text.count("m") == 2  # the colour, and the end
    assert written(diff, 0, 0, Segment("ab", Style(color="blue", bgcolor="#102030"))) == ""
    assert written(diff, 2, 0, Segment("   ", Style(color="green", bold=True, bgcolor="#102030"))) == ""
    assert written(diff, 2, 0, Segment("   ", Style(color="green", underline=True, bgcolor="#102030"))) != ""


@given(WRITES)
def test_diff_sequences_have_no_more_parameters_than_mlterm_reads(
    writes: list[tuple[int, int, list[Segment]]],
) -> None:
    diff = ScreenDiff(WIDTH, HEIGHT)
    text = "".join(written(diff, x, y, *strip_from(x, segments)) for x, y, segments in writes)
    assert all(len(found.split(";")) <= MAX_PARAMETERS for found in re.findall(r"\x1b\[([\d;]*)m", text))


def test_diff_writes_the_changed_cells_alone() -> None:
    diff = ScreenDiff(WIDTH, HEIGHT)
    red = Style(color="#ff0000")
    written(diff, 0, 1, Segment("left", red), Segment("        "), Segment("right"))
    assert written(diff, 0, 1, Segment("lift", red), Segment("        "), Segment("night")) == (
        "\x1b[2;13Hn\x1b[2G\x1b[38;2;255;0;0mi\x1b[0m"
    )


def test_diff_changes_one_colour_and_keeps_the_other() -> None:
    diff = ScreenDiff(WIDTH, HEIGHT)
    ground = "#102030"
    line = [Segment("a", Style(color="#00ff00", bgcolor=ground)), Segment("b", Style(color="#ff0000", bgcolor=ground))]
    assert written(diff, 0, 0, *line) == ("\x1b[1;1H\x1b[38;2;0;255;0;48;2;16;32;48ma\x1b[38;2;255;0;0mb\x1b[0m")


def test_diff_forgotten_cells_are_written_again() -> None:
    diff = ScreenDiff(WIDTH, HEIGHT)
    line = Segment("0123456789")
    written(diff, 0, 0, line)
    diff.invalidate_cells(3, 0, 2, 1)
    assert written(diff, 0, 0, line) == "\x1b[1;4H34"
    diff.invalidate()
    assert written(diff, 0, 0, line) == "\x1b[1;1H0123456789"
    assert written(diff, 0, HEIGHT, line) == ""


def test_canary_textual_writes_whole_regions_through_display() -> None:
    """`App._display` is what the diff wraps; if it is gone, the diff writes nothing."""
    assert "_display" in vars(App)
    assert issubclass(DiffedApp, App)
