"""Test SVG and PNG drawings: valid documents for any names, and lines at the data."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tbtui.charts.annotations import Band, ReferenceLine
from tbtui.charts.axis import Axis
from tbtui.charts.card import draw_card
from tbtui.charts.cells import Cells
from tbtui.charts.ink_colours import DARK_THEME_COLOURS, PAPER_THEME_COLOURS, InkTheme
from tbtui.charts.line_chart import RESTART_SIGN, LineChart, Sign, Trace, draw_line_picture
from tbtui.charts.series_colours import LIGHT_PALETTE
from tbtui.export.drawing.png import PIXELS_PER_UNIT, Fonts, encode_png
from tbtui.export.drawing.shapes import CELL_HEIGHT, CELL_WIDTH, Boxes, Drawing, Fill, Stroke, TextLine
from tbtui.export.drawing.sheet import MARGIN, Card, LegendEntry, draw_sheet
from tbtui.export.drawing.svg import STEPS_PER_UNIT, encode_svg

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = InkTheme(PAPER_THEME_COLOURS)
X, Y = Axis(0.0, 10.0, kind="step"), Axis(0.0, 1.0)


def chart(*traces: Trace, **more: object) -> Card:
    made = draw_line_picture(LineChart(traces, X, Y, **more), 58, 18)  # type: ignore[arg-type]
    return Card(0, 0, draw_card("loss", made.at(), 60, 20), made)


def drawn(card: Card, *names: LegendEntry, background: str | None = "#ffffff", title: str = "") -> Drawing:
    return draw_sheet([card], names, 60, 20, COLOURS, background=background, caption="smooth off · x step", title=title)


def document(drawing: Drawing) -> ET.Element:
    return ET.fromstring("".join(encode_svg(drawing)))


def pixels(drawing: Drawing) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(encode_png(drawing))), np.int16)


def place(card: Card, x: float, y: float) -> tuple[int, int]:
    """Return the row and column of the pixel of a value."""
    assert card.body is not None
    plot = card.body.layout.plot
    across = MARGIN + (1 + plot.left) * CELL_WIDTH + (x / 10 * (2 * plot.width - 1) + 0.5) * CELL_WIDTH / 2
    down = MARGIN + (1 + plot.top) * CELL_HEIGHT + ((1 - y) * (4 * plot.height - 1) + 0.5) * CELL_HEIGHT / 4
    return round(down * PIXELS_PER_UNIT), round(across * PIXELS_PER_UNIT)


def is_near(found: np.ndarray, colour: str, slack: int = 60) -> bool:
    expected = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return bool(np.abs(found - expected).max() <= slack)


LINE = Trace(np.array([0.0, 5.0, 10.0]), np.array([0.0, 1.0, 0.5]), 0)


def test_png_line_is_at_its_values() -> None:
    card = chart(LINE)
    image = pixels(drawn(card, LegendEntry("run", 0)))
    for x, y in ((2.5, 0.5), (5.0, 1.0), (7.5, 0.75), (9.9, 0.51)):
        row, column = place(card, x, y)
        assert is_near(image[row, column], LIGHT_PALETTE[0]), (x, y)
    row, column = place(card, 2.5, 0.9)
    assert is_near(image[row, column], "#ffffff")


def test_svg_line_equals_the_png_line() -> None:
    card = chart(LINE)
    paths = [
        path.get("d", "") for path in document(drawn(card)).iter(f"{SVG}path") if path.get("stroke") == LIGHT_PALETTE[0]
    ]
    row, column = place(card, 0.0, 0.0)
    assert len(paths) == 1
    assert paths[0].startswith("M")
    x, y = map(int, paths[0][1:].split("l")[0].split())
    assert abs(x - column * STEPS_PER_UNIT / PIXELS_PER_UNIT) <= STEPS_PER_UNIT
    assert abs(y - row * STEPS_PER_UNIT / PIXELS_PER_UNIT) <= STEPS_PER_UNIT


def test_document_lines_are_not_drawn_as_cells_too() -> None:
    card = chart(LINE, signs=(Sign(5.0, RESTART_SIGN, 0, 0.5),), levels=(ReferenceLine(0.25, "goal"),))
    labels = [element.text for element in document(drawn(card, LegendEntry("the run", 0))).iter(f"{SVG}text")]
    assert "loss" in labels
    assert "goal" in labels
    assert "the run" in labels
    assert "smooth off · x step" in labels
    assert RESTART_SIGN not in "".join(filter(None, labels))
    assert not any("\u2800" <= char < "\u2900" for text in labels for char in text or "")
    assert {"0.0", "1.0", "0", "10"} <= set(labels)


def test_document_draws_gaps_single_points_and_spikes() -> None:
    values = np.array([0.2, np.nan, 0.4, np.nan, 0.6, 9e9, 0.6, np.inf, 0.1, 0.1, 0.1])
    card = chart(Trace(np.arange(11.0), values, 0))
    image = pixels(drawn(card))
    row, column = place(card, 2.0, 0.4)
    assert is_near(image[row, column], LIGHT_PALETTE[0])  # a single point, visible
    row, column = place(card, 1.0, 0.3)
    assert is_near(image[row, column], "#ffffff")  # no line across NaN
    row, column = place(card, 6.0, 0.95)
    strip = image[row, column - 12 : column + 12].reshape(-1, 3)
    assert any(is_near(pixel, LIGHT_PALETTE[0]) for pixel in strip)  # a spike ends at the edge of the plot
    top = place(card, 0, 1.0)[0]
    assert not any(is_near(pixel, LIGHT_PALETTE[0]) for pixel in image[top - 30 : top - 10].reshape(-1, 3))


def test_document_layers_bands_below_faint_lines_below_lines() -> None:
    flat, x = np.full(2, 0.5), np.array([0.0, 10.0])
    band = Band(x, np.full(2, 0.2), np.full(2, 0.8), 1)
    card = chart(Trace(x, flat, 0), Trace(x, flat, 2, is_faint=True), bands=(band,))
    image = pixels(drawn(card))
    assert is_near(image[place(card, 5.0, 0.5)], LIGHT_PALETTE[0])
    inside, outside = image[place(card, 5.0, 0.7)], image[place(card, 5.0, 0.9)]
    assert is_near(outside, "#ffffff", 0)
    assert not is_near(inside, "#ffffff", 20)


def test_document_without_background_is_transparent() -> None:
    card = chart(LINE)
    image = pixels(drawn(card, background=None))
    assert image.shape[2] == 4
    assert image[0, 0].tolist()[3] == 0
    row, column = place(card, 2.5, 0.5)
    assert image[row, column, 3] > 200
    assert is_near(image[row, column, :3], LIGHT_PALETTE[0])
    assert document(drawn(card, background=None)).find(f"{SVG}rect") is None


def test_png_strip_height_does_not_change_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = drawn(chart(LINE, Trace(LINE.x, LINE.y[::-1], 1, pattern=1)), LegendEntry("a", 0), LegendEntry("b", 1, 1))
    whole = pixels(drawing)
    monkeypatch.setattr("tbtui.export.drawing.png.MAX_STRIP_PIXELS", 200_000)
    assert np.abs(pixels(drawing) - whole).max() <= 8


def test_document_same_drawing_is_byte_identical() -> None:
    drawing = drawn(chart(LINE), LegendEntry("a", 0))
    assert encode_png(drawing) == encode_png(drawing)
    assert "".join(encode_svg(drawing)) == "".join(encode_svg(drawing))


HOSTILE = "a<b>&\"'\x1b[31m\x00\x85\ud800\ufffe]]>\u202e漢字"


def test_document_hostile_names_are_escaped(tmp_path: Path) -> None:
    card = Card(0, 0, draw_card(HOSTILE, Cells.blank(0, 0), 60, 20))
    drawing = drawn(card, LegendEntry(HOSTILE, 0), LegendEntry("", 1), title=HOSTILE)
    (tmp_path / "a.svg").write_bytes("".join(encode_svg(drawing)).encode())
    root = ET.parse(tmp_path / "a.svg").getroot()
    assert root[0].text == "a<b>&\"'·[31m·␣··]]>漢字"
    assert encode_png(drawing).startswith(b"\x89PNG")


@settings(max_examples=40)
@given(st.text(max_size=30), st.text(max_size=30))
def test_document_accepts_any_text(name: str, title: str) -> None:
    card = Card(0, 0, draw_card(title, Cells.blank(0, 0), 40, 4))
    root = document(
        draw_sheet([card], [LegendEntry(name, 3)], 40, 4, InkTheme(DARK_THEME_COLOURS), background=None, title=title)
    )
    assert root.tag == f"{SVG}svg"
    assert float(root.get("width", "0")) == 40 * CELL_WIDTH + 2 * MARGIN


def test_svg_columns_do_not_depend_on_the_font() -> None:
    texts = [text for text in document(drawn(chart(LINE), LegendEntry("漢字 run", 0))).iter(f"{SVG}text") if text.text]
    lengths = {text.text: text.get("textLength") for text in texts}
    assert lengths["漢字 run"] == str(8 * CELL_WIDTH)
    assert lengths["loss"] == str(4 * CELL_WIDTH)


def shapes(*made: Boxes | Stroke | Fill | TextLine) -> Drawing:
    return Drawing(40, 36, made, "#ffffff")


def test_document_draws_every_shape() -> None:
    square = np.array([(2.0, 2.0), (12.0, 2.0), (12.0, 12.0), (2.0, 12.0)])
    image = pixels(
        shapes(
            Boxes(np.array([(20.0, 0.0, 8.0, 9.0)]), "#ff0000"),
            Fill(square, "#00ff00", opacity=0.5),
            Stroke(np.array([(20.0, 20.0)]), "#0000ff", 6.0),
            Stroke(np.array([(0.0, 30.0), (40.0, 30.0)]), "#000000", 2.0, (4.0, 4.0)),
        )
    )
    assert is_near(image[8, 48], "#ff0000", 0)
    assert is_near(image[8, 54], "#ff0000", 0)
    assert is_near(image[8, 57], "#ffffff", 0)
    assert is_near(image[14, 14], "#80ff80", 2)
    assert is_near(image[40, 40], "#0000ff", 2)
    assert is_near(image[60, 4], "#000000", 2)
    assert is_near(image[60, 12], "#ffffff", 2)


def test_png_characters_stay_in_their_columns() -> None:
    image = pixels(Drawing(80, 18, (TextLine(0, 0, 10, "| 漢| i   |", "#000000"),), "#ffffff"))
    dark = image.min(axis=2) < 128
    for column, drawn_there in enumerate((1, 0, 1, 1, 1, 0, 1, 0, 0, 0)):
        assert dark[:, column * 16 : (column + 1) * 16].any() == drawn_there, column


def test_png_without_system_fonts_still_draws_text() -> None:
    words = shapes(TextLine(0, 0, 4, "ab漢", "#000000"))
    image = np.asarray(Image.open(io.BytesIO(encode_png(words, Fonts(16, directories=())))))
    dark = image.min(axis=2) < 128
    assert dark[:, :16].any()
    assert dark[:, 16:32].any()


def test_png_character_without_glyph_is_a_dot() -> None:
    fonts = Fonts(16)
    assert fonts.choose("\u0378")[0] in "·."
    assert fonts.choose("A")[0] == "A"
    assert Fonts(16, directories=()).choose("\U0001f469")[0] in "·."
