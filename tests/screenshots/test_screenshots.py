"""The pictures of the README are made by a script that works, and need no particular font."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

FOLDER = Path(__file__).parents[2] / "screenshots"
SVG = "{http://www.w3.org/2000/svg}"
ONLY_IN_SOME_FONTS = re.compile("[\u2500-\u2503\u2571-\u257f\u2580-\u259f\u2800-\u28ff]")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    script = [sys.executable, str(FOLDER / "make.py"), str(folder)]
    subprocess.run(script, check=True, timeout=100, stdout=subprocess.DEVNULL)
    return folder


def words(path: Path) -> str:
    return "\n".join("".join(text.itertext()) for text in ET.parse(path).iter(f"{SVG}text"))


def test_every_picture_is_made_and_kept(made: Path) -> None:
    assert sorted(path.name for path in made.iterdir()) == sorted(path.name for path in FOLDER.glob("*.svg"))


def test_pictures_show_charts_as_shapes(made: Path) -> None:
    for path in made.iterdir():
        assert not ONLY_IN_SOME_FONTS.search(words(path)), path.name
    shapes = [path.get("d", "") for path in ET.parse(made / "scalars.svg").iter(f"{SVG}path")]
    assert sum(shape.count("z") for shape in shapes) > 1000
    assert "loss/train" in words(made / "scalars.svg")


def test_every_picture_is_in_the_readme() -> None:
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    for path in FOLDER.glob("*.svg"):
        assert f"screenshots/{path.name}" in readme
