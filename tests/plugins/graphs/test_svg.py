"""A layout as a document that any reader of SVG takes."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.diagram import Box, BoxFace, Diagram, Link, ZoomLevel
from tbtui.plugins.graphs.diagram_layout import FULL, TINY, ZOOMS
from tbtui.plugins.graphs.layout.layout import lay_out
from tbtui.plugins.graphs.svg import encode_svg
from tests.helpers.diagrams import cycle, diagrams, nested, residual_network, sequential

SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text.encode())


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [one for one in root.iter() if name in one.get("class", "").split()]


def test_svg_has_boxes_lines_arrows_labels_and_text() -> None:
    root = parsed(encode_svg(lay_out(sequential(), FULL), title="digits"))
    assert root.findtext(f"{SVG}title") == "digits"
    assert len(of_class(root, "box")) == 8
    assert len(of_class(root, "scope")) == 6
    lines = of_class(root, "line")
    assert len(lines) == 7
    assert all(line.get("marker-end") == "url(#head)" for line in lines)
    assert [one.text for one in of_class(root, "label")][:2] == ["4×64", "4×1×8×8"]
    assert "▸ Conv2d[1]" in [one.text for one in root.iter(f"{SVG}text")]


def test_svg_open_box_has_a_title_and_outgoing_links_no_arrow() -> None:
    root = parsed(encode_svg(lay_out(residual_network(), FULL)))
    assert [one.text for one in of_class(root, "title")] == ["▾ layer1.0"]
    assert len(of_class(root, "opened")) == 1
    assert sum(line.get("marker-end") is None for line in of_class(root, "line")) == 1


def test_svg_control_dashed_set_aside_dotted_series_stacked() -> None:
    assert len(of_class(parsed(encode_svg(lay_out(cycle(), FULL))), "control")) == 1
    root = parsed(encode_svg(lay_out(nested(), TINY)))
    assert len(of_class(root, "aside")) == 2
    assert len(of_class(root, "series")) == 2


def test_svg_line_width_grows_with_the_tensor_size() -> None:
    boxes = (Box(0, ("a",)), Box(1, ("b",)), Box(2, ("c",)))
    layout = lay_out(Diagram(boxes, (Link(0, 1, weight=1e6), Link(1, 2))), FULL)
    thick, thin = (float(line.get("stroke-width", "")) for line in of_class(parsed(encode_svg(layout)), "line"))
    assert thick > thin == 1


def test_svg_items_have_colours() -> None:
    root = parsed(encode_svg(lay_out(sequential(), FULL), fills={1: '#ffcc00"/><x'}))
    assert [one.get("style") for one in of_class(root, "box")][:2] == [None, 'fill:#ffcc00"/><x']
    (box,) = (
        one
        for one in of_class(parsed(encode_svg(lay_out(sequential(), FULL), fills={1: "#ffcc0080"})), "box")
        if one.get("style")
    )
    assert (box.get("fill"), box.get("fill-opacity"), box.get("style")) == ("#ffcc00", "0.5", "fill:#ffcc00")


def test_svg_without_style_support_uses_light_colours() -> None:
    """Many readers that are no browsers heed no style; then a box without a colour is black, and so is a bent line."""
    root = parsed(encode_svg(lay_out(residual_network(), FULL)))
    drawn = [one for tag in ("rect", "path", "text") for one in root.iter(SVG + tag)]
    assert all(one.get("fill") for one in drawn)
    assert {one.get("fill") for one in of_class(root, "line")} == {"none"}
    assert all(one.get("stroke") for name in ("line", "box") for one in of_class(root, name))
    (style,) = root.iter(f"{SVG}style")
    assert (style.text or "").startswith("@media (prefers-color-scheme: dark)")


def test_svg_any_name_is_text() -> None:
    raw = ZoomLevel(lambda box: BoxFace(box.lines, 9, 3, is_framed=True), lambda text: BoxFace((text,), 1))
    name = '<script>&"\x00\x1b[31m\ud800\uffff'
    root = parsed(encode_svg(lay_out(Diagram((Box(0, (name,)),), ()), raw), title=name))
    assert [one.text for one in root.iter(f"{SVG}text")] == ['<script>&"··[31m··']


@given(diagrams(), st.sampled_from(ZOOMS), st.booleans())
def test_svg_of_any_diagram_is_valid(diagram: Diagram, zoom: ZoomLevel, across: bool) -> None:
    layout = lay_out(diagram, zoom, across=across)
    assert len(of_class(parsed(encode_svg(layout)), "line")) == len(layout.routes)
