"""The pictures of the README are made by a script that works, and need no particular font."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.maths.statistics import interpolate_quantiles
from tbtui.plugins.histograms.read import load_histograms
from tbtui.store.snapshot import ReferenceSeries
from tbtui.tfrecord.reader import RecordReader

if TYPE_CHECKING:
    from tbtui.maths.histograms import Buckets

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "screenshots"
SVG = "{http://www.w3.org/2000/svg}"
ONLY_IN_SOME_FONTS = re.compile("[\u2500-\u259f\u25cf\u25cb\u25c6\u25c7\u25a0\u25a1\u25b2\u25b3\u2800-\u28ff]")
MADE = ("scalars", "chart", "refused", "paper")
"""A grid, a click in an opened chart, what is typed into a form, and no screen: all of them would take too long."""


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


def test_screenshots_made_and_kept_files_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    shots = import_module("shots").SHOTS
    assert sorted(shot.name for shot in shots) == sorted(path.stem for path in kept())


def test_screenshots_script_makes_the_requested_pictures(made: Path) -> None:
    assert sorted(path.stem for path in made.iterdir()) == sorted(MADE)
    assert "grad/norm" in words(made / "scalars.svg")
    assert "Δ smoothed" in words(made / "chart.svg").replace("\n", " ")
    assert "must be below the upper" in words(made / "refused.svg").replace("\n", " ")
    assert (made / "paper.svg").read_bytes() == (FOLDER / "paper.svg").read_bytes()


def test_screenshots_draw_charts_as_shapes(made: Path) -> None:
    for path in [*made.iterdir(), *kept()]:
        assert not ONLY_IN_SOME_FONTS.search(words(path)), path.name
    assert squares(made / "scalars.svg") > 1000


def test_screenshots_contain_no_local_paths() -> None:
    for path in kept():
        assert not re.search(r"(?<!\S)/\S+tfevents", words(path)), path.name


def test_screenshots_are_all_used_in_the_documents() -> None:
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
    assert {f"screenshots/{path.name}" for path in kept()} == set(re.findall(r"screenshots/[\w-]+\.svg", pages))
    of_terminals = {f"screenshots/{path.name}" for path in FOLDER.glob("*.png")}
    assert of_terminals == set(re.findall(r"screenshots/[\w-]+\.png", pages))


def test_screenshots_of_real_terminals_are_small_and_show_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    shots = import_module("terminals").SHOTS
    paths = sorted(FOLDER.glob("terminal-*.png"))
    assert [path.stem for path in paths] == sorted(f"terminal-{shot.name}" for shot in shots)
    for path in paths:
        assert path.stat().st_size < 60_000
        pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
        assert pixels.shape[0] > 400
        assert pixels.shape[1] > 700
        white = (pixels > 240).all(axis=2).mean()
        assert white > 0.04, f"the ground of a confusion matrix in {path.name}"


def test_svg_path_shapes_keep_their_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    outline = import_module("shapes").outline
    box = ((10.0, 20.0), (13.0, 20.0), (13.0, 21.5), (10.0, 21.5))
    triangle = ((10.04, 19.9), (12.0, 23.0), (8.0, 23.0))
    assert outline([box, triangle]) == "m10 20h3v1.5h-3zm0 -0.1l2 3.1h-4z"
    assert outline([]) == ""


def test_svg_adjacent_blocks_merge_and_wide_letters_take_two_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    run = '<text class="ink" x="0" y="20" textLength="1" clip-path="x">{}</text>'
    redraw = import_module("shapes").redraw
    assert redraw(run.format("▀▀▀")) == '<path class="ink" d="m0 0h36.6v12.2h-36.6z"/>'
    assert redraw(run.format("▀▄▀")).count("z") == 3
    assert redraw(run.format("▀ ▀")).count("z") == 2
    assert redraw(run.format("配a▀")) == (
        '<text class="ink" x="0.0" y="20" textLength="36.6">配a</text><path class="ink" d="m36.6 0h12.2v12.2h-12.2z"/>'
    )


def test_screenshot_logs_hold_scalars_of_real_trainings(tmp_path: Path) -> None:
    trainings = ROOT / "tests" / "corpus" / "trainings" / "digits"
    subprocess.run([sys.executable, str(FOLDER / "excerpt.py"), str(trainings), str(tmp_path)], check=True)
    copies = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*tfevents*"))
    assert {path.parts[0] for path in copies} == {"adam_lr1e-2_diverges", "resumed"}
    for path in copies:
        assert (tmp_path / path).read_bytes() == (FOLDER / "logs" / "digits" / path).read_bytes()
        assert (tmp_path / path).read_bytes() == (trainings / path).read_bytes()


def test_screenshot_logs_hold_scalars_and_two_runs_other_data() -> None:
    loaded = Loader(parse_sources([str(FOLDER / "logs" / "digits")]), reload_seconds=0).load_all()
    assert len(loaded.snapshot.runs) == 7
    assert not loaded.problems
    others = {
        run.name: {tag: series for tag, series in run.series.items() if isinstance(series, ReferenceSeries)}
        for run in loaded.snapshot.runs.values()
    }
    assert [run for run, held in others.items() if held] == ["adam_lr1e-3_h64/seed0", "sgd_lr1e-1_h64"]
    for run in ("adam_lr1e-3_h64/seed0", "sgd_lr1e-1_h64"):
        held = others[run]
        assert {(series.metadata.plugin_name, tag): len(series) for tag, series in held.items()} == {
            **{("histograms", f"{kind}/{at}/weight"): 10 for kind in ("weights", "grads") for at in (1, 4, 7, 9)},
            ("text", "config/text_summary"): 1,
            ("text", "notes/text_summary"): 4,
            ("pr_curves", "pr/digit_3"): 5,
            ("pr_curves", "pr/digit_8"): 5,
            ("images", "samples/validation"): 4,
            ("images", "confusion_matrix"): 4,
            ("audio", "tone/val_acc"): 1,
        }


def test_screenshot_logs_are_small() -> None:
    assert sum(path.stat().st_size for path in (FOLDER / "logs").rglob("*tfevents*")) < 900_000


def histograms_of(directory: Path) -> dict[str, tuple[list[int], Buckets]]:
    """Steps and buckets by tag, of the one run that has any."""
    runs = Loader(parse_sources([str(directory)]), reload_seconds=0).load_all().snapshot.runs.values()
    payloads = Payloads()
    return {
        tag: (series.steps.tolist(), load_histograms(payloads, run, series).buckets)
        for run in runs
        for tag, series in run.series.items()
        if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == "histograms"
    }


@pytest.mark.parametrize("writer", ["torch", "tbx"])
def test_copy_histograms_drops_empty_buckets_and_keeps_the_values(writer: str, tmp_path: Path) -> None:
    source = ROOT / "tests" / "corpus" / "writers" / writer
    subprocess.run([sys.executable, str(FOLDER / "excerpt.py"), str(source), str(tmp_path), "^h", "1"], check=True)
    before, after = histograms_of(source), histograms_of(tmp_path)
    assert list(after) == [tag for tag in before if tag.startswith("h")]
    for tag, (steps, copied) in after.items():
        held = before[tag][1]
        assert steps == before[tag][0]
        assert len(copied.counts) <= 2 * np.count_nonzero(held.counts)
        for column in ("lefts", "rights", "counts"):
            kept, was = (getattr(buckets, column)[buckets.counts > 0] for buckets in (copied, held))
            np.testing.assert_array_equal(kept, was)
        for column in ("totals", "sums", "squares"):
            np.testing.assert_array_equal(getattr(copied, column), getattr(held, column))
        np.testing.assert_array_equal(interpolate_quantiles(copied), interpolate_quantiles(held))


def test_copy_histograms_keeps_every_nth_and_the_last(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with EventFileWriter(str(source / "tfevents"), like_pytorch=True) as writer:
        for step in range(9):
            writer.histogram("grads", [step], step, 0)
            writer.histogram("other", [step], step, 0)
    script = [sys.executable, str(FOLDER / "excerpt.py"), str(source), str(tmp_path / "target"), "^grads$", "3"]
    subprocess.run(script, check=True)
    assert {tag: steps for tag, (steps, _) in histograms_of(tmp_path / "target").items()} == {"grads": [2, 5, 8]}


def records_of(path: Path) -> list[bytes]:
    """What its records hold."""
    block = RecordReader(str(path)).read()
    return [bytes(block.payload(row)) for row in range(len(block))]


def test_copy_other_records_are_unchanged_and_thinned_as_configured(tmp_path: Path) -> None:
    source = ROOT / "tests" / "corpus" / "writers" / "torch" / "run1"
    chosen = ["^(txt|pr$)", "1", "^(img|txt|aud)", "2", "^gray", "1"]
    subprocess.run([sys.executable, str(FOLDER / "excerpt.py"), str(source), str(tmp_path), *chosen], check=True)
    (path,) = tmp_path.glob("*tfevents*")
    assert set(records_of(path)) <= set(records_of(source / path.name))
    run = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs["."]
    assert {tag for tag, series in run.series.items() if isinstance(series, ReferenceSeries)} == {
        "txt/text_summary",
        "pr",
        "gray",
    }


def test_copy_omits_other_data(tmp_path: Path) -> None:
    source = ROOT / "tests" / "corpus" / "writers" / "torch"
    subprocess.run([sys.executable, str(FOLDER / "excerpt.py"), str(source), str(tmp_path)], check=True)
    loaded = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all()
    assert loaded.snapshot.plugin_names == {"scalars"}
    assert not loaded.problems
