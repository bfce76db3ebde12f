"""Diagrams as they look in a terminal, as they are kept in `diagrams/`.

A change that is meant: look at what `python tests/charts/test_diagram_pictures.py` writes, and commit it.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest

from tbtui.plugins.graphs.diagram import Window
from tbtui.plugins.graphs.diagram_layout import FULL, NAMES, TINY
from tbtui.plugins.graphs.diagram_painter import draw_diagram
from tbtui.plugins.graphs.layout.layout import lay_out
from tests.helpers.diagrams import (
    cycle,
    diamond,
    fan,
    long_names,
    nested,
    residual_network,
    sequential,
    wide_characters,
)

PICTURES = Path(__file__).with_name("diagrams")

DIAGRAMS = {
    "sequential": sequential(),
    "residual": residual_network(),
    "diamond": diamond(),
    "cycle": cycle(),
    "nested": nested(),
    "fan": fan(40),
    "long_names": long_names(),
    "wide_characters": wide_characters(),
}
LOOKS = {"full": (FULL, False), "names": (NAMES, False), "tiny": (TINY, False), "across": (FULL, True)}


def picture(name: str, look: str) -> str:
    measure, across = LOOKS[look]
    layout = lay_out(DIAGRAMS[name], measure, across=across, breadth=40 if across else 118)
    cells = draw_diagram(layout, Window(0, 0, layout.width, layout.height))
    return "\n".join(line.rstrip() for line in cells.text().splitlines()) + "\n"


def kept(name: str) -> str:
    """All looks of a diagram, one below the other."""
    return "\n".join(f"{look}\n{picture(name, look)}" for look in LOOKS)


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_diagram_looks_as_it_is_kept(name: str) -> None:
    assert kept(name) == (PICTURES / f"{name}.txt").read_text(encoding="utf-8")


def test_no_picture_is_left_over() -> None:
    assert sorted(path.stem for path in PICTURES.iterdir()) == sorted(DIAGRAMS)


if __name__ == "__main__":
    for one in DIAGRAMS:
        (PICTURES / f"{one}.txt").write_text(kept(one), encoding="utf-8")
