"""Make diagrams for tests of layouts and drawings."""

from __future__ import annotations

from itertools import count, pairwise
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tbtui.plugins.graphs.diagram import INLET, OUTLET, Box, Diagram, Link

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SHAPE = "32×64×56×56"


def boxes(*names: str, first: int = 0) -> tuple[Box, ...]:
    """Return one box per `name` or `name: operation`."""
    return tuple(Box(first + index, tuple(name.split(": "))) for index, name in enumerate(names))


def links(*pairs: tuple[int, int], label: str = "") -> tuple[Link, ...]:
    """Return one link per pair."""
    return tuple(Link(source, target, label) for source, target in pairs)


def chain(*names: str, label: str = "") -> Diagram:
    """Return boxes of which each leads to the next."""
    return Diagram(boxes(*names), links(*pairwise(range(len(names))), label=label))


def sequential() -> Diagram:
    """Return a `Sequential` of PyTorch: input, layers, output."""
    names = ("Unflatten[0]", "Conv2d[1]", "ReLU[2]", "MaxPool2d[3]", "Flatten[4]", "Linear[5]")
    kinds = ("aten::unflatten", "aten::_convolution", "aten::relu", "aten::max_pool2d", "aten::flatten", "aten::linear")
    shapes = ("4×1×8×8", "4×8×8×8", "4×8×8×8", "4×8×4×4", "4×128", "4×10")
    layers = tuple(
        Box(index, (name, f"{kind}, 1 op"), "scope")
        for index, (name, kind) in enumerate(zip(names, kinds, strict=True), 1)
    )
    whole = (Box(0, ("input", "IO Node"), "input"), *layers, Box(7, ("output", "IO Node"), "output"))
    return Diagram(whole, tuple(Link(index, index + 1, shape) for index, shape in enumerate(("4×64", *shapes))))


def residual_block(first: int = 0) -> Diagram:
    """Return the inside of a residual block: its input is added to its output."""
    names = (
        "conv1: Conv2D",
        "bn1: BatchNorm",
        "relu1: Relu",
        "conv2: Conv2D",
        "bn2: BatchNorm",
        "add: Add",
        "relu2: Relu",
    )
    pairs = [(INLET, 0), *pairwise(range(7)), (INLET, 5), (6, OUTLET)]
    return Diagram(boxes(*names, first=first), links(*pairs, label=SHAPE))


def residual_network() -> Diagram:
    """Return two residual blocks in a row, the first one open."""
    middle = (
        Box(2, ("layer1.0", "7 ops"), "scope", residual_block(first=100)),
        Box(3, ("layer1.1", "7 ops"), "scope"),
    )
    whole = (*boxes("input: Placeholder", "stem: Conv2D"), *middle, *boxes("pool: Mean", "fc: MatMul", first=4))
    return Diagram(whole, links(*pairwise(range(6)), label=SHAPE))


def diamond() -> Diagram:
    """Return two ways from one box to another."""
    return Diagram(
        boxes("split", "left", "right", "concat"),
        (Link(0, 1, "32×10"), Link(0, 2, "32×10"), Link(1, 3, "32×5"), Link(2, 3, "32×5")),
    )


def cycle() -> Diagram:
    """Return a loop of TensorFlow 1 whose exit has a control dependency."""
    again = Link(3, 1, "8")
    return Diagram(
        boxes("Enter", "Merge", "Switch", "NextIteration", "Exit"),
        (Link(0, 1), Link(1, 2, "8"), Link(2, 3, "8"), again, Link(2, 4, is_control=True)),
    )


def fan(width: int) -> Diagram:
    """Return one box that leads to many, and these to one."""
    names = ["source", *(f"branch_{index}" for index in range(1, width + 1)), "sink"]
    pairs = [(0, index) for index in range(1, width + 1)] + [(index, width + 1) for index in range(1, width + 1)]
    return Diagram(boxes(*names), links(*pairs, label="32×8"))


def nested() -> Diagram:
    """Return open boxes in open boxes, a series, hub nodes, and links that pass through without a box."""
    inmost = Diagram(boxes("mul", "add", first=20), links((INLET, 0), (0, 1), (INLET, 1), (1, OUTLET), label="8"))
    inner = Diagram(
        (Box(10, ("inner scope",), "scope", inmost), Box(11, ("dense_1…4", "4 × MatMul"), "series")),
        (*links((INLET, 0), (0, 1), (1, OUTLET), label="8"), Link(INLET, OUTLET, "step")),
    )
    return Diagram(
        (Box(0, ("x", "Placeholder"), "input"), Box(1, ("outer scope",), "scope", inner), Box(2, ("loss", "Mean"))),
        (*links((0, 1), (1, 2), label="8"), Link(0, 2, "8", is_control=True)),
        aside_boxes=boxes("init: NoOp", "save: SaveV2", first=30),
    )


def long_names() -> Diagram:
    """Return names that are far longer than a box, and an empty one."""
    name = "a_scope_that_somebody_named_at_length/" * 50
    return Diagram((Box(0, (name, "MatMul")), Box(1, (name[::-1], "x" * 2000)), Box(2, ("",))), links((0, 1), (1, 2)))


def wide_characters() -> Diagram:
    """Return names in glyphs of two columns, and with control characters."""
    names = ("卷积层: 二维卷积", "活性化\x1b[31m: ReLU\n\tx", "🙂 출력\u202e: 出力")
    return chain(*names, label="三十二×十")


def diagrams(most: int = 9, depth: int = 2) -> st.SearchStrategy[Diagram]:
    """Generate diagrams: with cycles, several links between two boxes, self-links, and empty ones."""
    return st.deferred(lambda: _numbered(most, depth))


@st.composite
def _numbered(draw: st.DrawFn, most: int, depth: int) -> Diagram:
    return _drawn(draw, most, depth, count())


_LINES = st.lists(st.sampled_from(["", "x", "MatMul", "a/very/long/name_of_something", "卷积", "\x1b[2J"]), max_size=3)
_LABELS = st.sampled_from(["", "32×10", "3 tensors", "a label that is longer than all others"])


def _drawn(draw: st.DrawFn, most: int, depth: int, items: Iterator[int]) -> Diagram:
    number = draw(st.integers(0, most))
    found = [_box(draw, most, depth, items) for _ in range(number)]
    ends = st.integers(0, number - 1) if number else st.nothing()
    link = st.builds(Link, ends | st.just(INLET), ends | st.just(OUTLET), _LABELS, st.booleans(), st.floats(1, 1e9))
    aside = [Box(next(items), ("aside",)) for _ in range(draw(st.integers(0, 3)))]
    return Diagram(tuple(found), tuple(draw(st.lists(link, max_size=3 * most))), tuple(aside))


def _box(draw: st.DrawFn, most: int, depth: int, items: Iterator[int]) -> Box:
    item = next(items)
    inside = _drawn(draw, most // 2, depth - 1, items) if depth and draw(st.integers(0, 5)) == 5 else None
    kind = draw(st.sampled_from(["op", "scope", "series", "function", "input", "output", "layer"]))
    return Box(item, tuple(draw(_LINES)), kind, inside, ("an aside",) * draw(st.integers(0, 2)))


def drawn_links(diagram: Diagram) -> int:
    """Count the links of a diagram and of its inner diagrams that have routes: all except self-links."""
    inner = sum(drawn_links(box.content) for box in diagram.boxes if box.content is not None)
    return inner + sum(link.source != link.target for link in diagram.links)


def all_items(diagrams: Iterable[Diagram] | Sequence[Diagram]) -> list[int]:
    """Return the items of all boxes, also of inner ones."""
    found = []
    for diagram in diagrams:
        for box in (*diagram.boxes, *diagram.aside_boxes):
            found += [box.item, *all_items([box.content] if box.content is not None else [])]
    return found
