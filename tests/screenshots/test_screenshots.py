"""The pictures of the README are made by a script that works, and need no particular font."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "screenshots"
SVG = "{http://www.w3.org/2000/svg}"
ONLY_IN_SOME_FONTS = re.compile("[\u2500-\u259f\u25cf\u25cb\u25c6\u25c7\u25a0\u25a1\u25b2\u25b3\u2800-\u28ff]")
MADE = ("scalars", "chart", "refused")
"""A grid, a click in an opened chart, and what is typed into a form: all of them would take too long."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    script = [sys.executable, str(FOLDER / "make.py"), str(folder), *MADE]
    subprocess.run(script, check=True, timeout=100, stdout=subprocess.DEVNULL)
    return folder


def words(path: Path) -> str:
    return "\n".join("".join(text.itertext()) for text in ET.parse(path).iter(f"{SVG}text"))


def squares(path: Path) -> int:
    return sum(shape.get("d", "").count("z") for shape in ET.parse(path).iter(f"{SVG}path"))


def kept() -> list[Path]:
    return sorted(FOLDER.glob("*.svg"))


def test_every_picture_is_kept_and_every_one_kept_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    shots = import_module("shots").SHOTS
    assert sorted(shot.name for shot in shots) == sorted(path.stem for path in kept())


def test_the_script_makes_the_pictures_it_is_asked_for(made: Path) -> None:
    assert sorted(path.stem for path in made.iterdir()) == sorted(MADE)
    assert "loss/train" in words(made / "scalars.svg")
    assert "Δ smoothed" in words(made / "chart.svg").replace("\n", " ")
    assert "must be below the upper" in words(made / "refused.svg").replace("\n", " ")


def test_pictures_show_charts_as_shapes(made: Path) -> None:
    for path in [*made.iterdir(), *kept()]:
        assert not ONLY_IN_SOME_FONTS.search(words(path)), path.name
    assert squares(made / "scalars.svg") > 1000


def test_no_picture_tells_where_it_was_made() -> None:
    for path in kept():
        assert not re.search(r"(?<!\S)/\S+tfevents", words(path)), path.name


def test_every_picture_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert {f"screenshots/{path.name}" for path in kept()} == set(re.findall(r"screenshots/[\w-]+\.svg", readme))


def test_shapes_of_a_path_stand_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    outline = import_module("shapes").outline
    box = ((10.0, 20.0), (13.0, 20.0), (13.0, 21.5), (10.0, 21.5))
    triangle = ((10.04, 19.9), (12.0, 23.0), (8.0, 23.0))
    assert outline([box, triangle]) == "m10 20h3v1.5h-3zm0 -0.1l2 3.1h-4z"
    assert outline([]) == ""


def test_the_logs_of_the_pictures_hold_the_scalars_of_real_trainings(tmp_path: Path) -> None:
    trainings = ROOT / "tests" / "corpus" / "trainings" / "digits"
    subprocess.run([sys.executable, str(FOLDER / "scalars_only.py"), str(trainings), str(tmp_path)], check=True)
    copies = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*tfevents*"))
    assert {path.parts[0] for path in copies} == {"adam_lr1e-2_diverges", "resumed"}
    for path in copies:
        assert (tmp_path / path).read_bytes() == (FOLDER / "logs" / "digits" / path).read_bytes()
        assert (tmp_path / path).read_bytes() == (trainings / path).read_bytes()


def test_the_logs_of_the_pictures_hold_nothing_but_scalars() -> None:
    loaded = Loader(parse_sources([str(FOLDER / "logs" / "digits")]), reload_seconds=0).load_all()
    assert len(loaded.snapshot.runs) == 7
    assert loaded.snapshot.plugin_names == {"scalars"}
    assert not loaded.problems


def test_copying_leaves_other_data_out(tmp_path: Path) -> None:
    source = ROOT / "tests" / "corpus" / "writers" / "torch"
    subprocess.run([sys.executable, str(FOLDER / "scalars_only.py"), str(source), str(tmp_path)], check=True)
    loaded = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all()
    assert loaded.snapshot.plugin_names == {"scalars"}
    assert not loaded.problems
