"""Test `tbtui print --format svg|png`: images of the matching charts, and skipped."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from tbtui.charts.series_colours import DARK_PALETTE, LIGHT_PALETTE
from tbtui.cli.main import main
from tbtui.cli.print.picture import PictureOptions, print_picture
from tbtui.export.drawing.shapes import CELL_HEIGHT, CELL_WIDTH
from tbtui.export.drawing.sheet import (
    CARD_HEIGHT,
    CARD_WIDTH,
    MARGIN,
    MAX_CARDS,
    MAX_LEGEND_NAMES,
    SINGLE_HEIGHT,
    SINGLE_WIDTH,
)
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.registry import list_picture_plugins
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.log_directory import NO_FILES, LogDirectory
from tests.helpers.snapshots import references, run, store

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.view.view import View

SVG = "{http://www.w3.org/2000/svg}"
WRITERS = Path(__file__).parents[1] / "corpus" / "writers"


def seen(snapshot: StoreSnapshot, **settings: object) -> View:
    return build_view(snapshot, replace(Settings(), **settings), RunColours(), SummaryCache())  # type: ignore[arg-type]


def view(*runs: RunSnapshot, **settings: object) -> View:
    return seen(store(*runs), **settings)


def two_runs(**settings: object) -> View:
    fall, rise = [1.0, 0.5, 0.25, 0.2], [0.1, 0.3, 0.4, 0.45]
    return view(run("adam", {"loss": fall, "acc": rise}), run("sgd", {"loss": fall[::-1]}), **settings)


def svg(made: View, path: Path, **options: object) -> ET.Element:
    assert print_picture(made, PictureOptions("svg", **options), path, force=True) == 0  # type: ignore[arg-type]
    return ET.parse(path).getroot()


def texts(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def strokes(root: ET.Element) -> set[str | None]:
    return {path.get("stroke") for path in root.iter(f"{SVG}path")}


def size(root: ET.Element) -> tuple[float, float]:
    """Return the number of columns and rows."""
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    return (width - 2 * MARGIN) / CELL_WIDTH, (height - MARGIN) / CELL_HEIGHT


def test_drawing_single_chart_is_complete(tmp_path: Path) -> None:
    root = svg(two_runs(tag_filter="loss", smoothing=0.6), tmp_path / "a.svg")
    labels = texts(root)
    assert {"loss", "adam", "sgd", "smooth .60 · x step"} <= set(labels)
    assert {LIGHT_PALETTE[0], LIGHT_PALETTE[1]} <= strokes(root)
    width, height = size(root)
    assert width == SINGLE_WIDTH
    assert height == SINGLE_HEIGHT + 3  # a blank row, the run legend, and the options


def test_drawing_symbols_have_a_legend(tmp_path: Path) -> None:
    nan, inf = float("nan"), float("inf")
    root = svg(view(run("a", {"loss": [1.0, nan, 0.5, inf, 0.2]})), tmp_path / "a.svg")
    (labels,) = [text for text in texts(root) if text.startswith("smooth")]
    assert labels.startswith("smooth .60 · x step")
    explained = "".join(texts(root))
    assert "NaN" in explained
    assert "infinity" in explained
    assert "minus" not in explained
    assert "earlier step" not in explained


def test_drawing_several_charts_share_one_run_legend(tmp_path: Path) -> None:
    root = svg(two_runs(), tmp_path / "a.svg")
    labels = texts(root)
    assert [labels.count(name) for name in ("loss", "acc", "adam", "sgd")] == [1, 1, 1, 1]
    assert size(root) == (2 * CARD_WIDTH, CARD_HEIGHT + 3)


def test_drawing_has_the_requested_size(tmp_path: Path) -> None:
    assert size(svg(two_runs(), tmp_path / "a.svg", width=60, height=12)) == (60, 2 * 12 + 3)
    assert size(svg(two_runs(), tmp_path / "a.svg", width=200, height=30)) == (200, 30 + 3)
    assert size(svg(two_runs(), tmp_path / "a.svg", max_charts=1)) == (SINGLE_WIDTH, SINGLE_HEIGHT + 3)


def test_drawing_colours_follow_the_background(tmp_path: Path) -> None:
    dark = svg(two_runs(), tmp_path / "a.svg", background="dark")
    assert {DARK_PALETTE[0], DARK_PALETTE[1]} <= strokes(dark)
    ground = dark.find(f"{SVG}rect")
    assert ground is not None
    assert ground.get("fill") == "#14171c"
    none = svg(two_runs(), tmp_path / "b.svg", background="none")
    assert none.find(f"{SVG}rect") is None
    assert {LIGHT_PALETTE[0], LIGHT_PALETTE[1]} <= strokes(none)


def test_drawing_png_has_double_size_and_shows_the_runs(tmp_path: Path) -> None:
    assert print_picture(two_runs(tag_filter="loss"), PictureOptions("png"), tmp_path / "a.png") == 0
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (
            2 * (SINGLE_WIDTH * CELL_WIDTH + 2 * MARGIN),
            2 * ((SINGLE_HEIGHT + 3) * CELL_HEIGHT + MARGIN),
        )
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    for colour in LIGHT_PALETTE[:2]:
        rgb = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        assert int((pixels == rgb).all(axis=1).sum()) > 100


def test_drawing_is_byte_identical_when_repeated(tmp_path: Path) -> None:
    for form in ("svg", "png"):
        for name in ("a", "b"):
            assert print_picture(two_runs(), PictureOptions(form), tmp_path / name, force=True) == 0
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("kind", ["scalars", "histograms", "distributions", "pr_curves"])
@pytest.mark.parametrize("logs", ["torch", "tf"])
def test_drawing_real_logs_of_every_kind(kind: str, logs: str, tmp_path: Path) -> None:
    loaded = Loader(parse_sources([str(WRITERS / logs)]), reload_seconds=0).load_all()
    made = seen(loaded.snapshot)
    root = svg(made, tmp_path / "a.svg", plugin=kind)
    assert len(list(root.iter(f"{SVG}path"))) > 3
    if logs == "torch":
        assert print_picture(made, PictureOptions("png", kind), tmp_path / "a.png") == 0


def test_drawing_overlaid_histograms_and_averages_have_a_legend(tmp_path: Path) -> None:
    loaded = Loader(parse_sources([str(WRITERS / "torch")]), reload_seconds=0).load_all()
    assert "run1" in texts(svg(seen(loaded.snapshot, runs_together=True), tmp_path / "a", plugin="histograms"))
    runs = [run(f"{kind}/{seed}", {"loss": [1.0, seed, 0.1]}) for kind in ("a", "b") for seed in (0.4, 0.6)]
    assert {"a ×2", "b ×2"} <= set(texts(svg(view(*runs, group_level=1), tmp_path / "a")))


def test_drawing_many_runs_are_all_named_and_crowds_counted(tmp_path: Path) -> None:
    names = [f"run{index:03d}" for index in range(MAX_LEGEND_NAMES + 7)]
    few = svg(view(*(run(name, {"loss": [1.0, 0.5]}) for name in names[:60])), tmp_path / "a.svg")
    assert set(names[:60]) <= set(texts(few))
    many = svg(view(*(run(name, {"loss": [1.0, 0.5]}) for name in names)), tmp_path / "a.svg")
    assert "⋯ and 7 more" in texts(many)


def test_drawing_long_names_stay_distinct(tmp_path: Path) -> None:
    names = ["long/" * 60 + ending for ending in ("one", "two")]
    root = svg(view(*(run(name, {"loss": [1.0, 0.5]}) for name in names)), tmp_path / "a.svg")
    assert {"one", "two"} <= {text.rpartition("/")[2] for text in texts(root)}
    columns = [float(text.get("x", "0")) + float(text.get("textLength", "0")) for text in root.iter(f"{SVG}text")]
    assert max(columns) <= SINGLE_WIDTH * CELL_WIDTH + MARGIN


def test_drawing_hostile_names_are_escaped(tmp_path: Path) -> None:
    name = "a<script>&\"'\x1b]0;x\x07\ud800\ufffe\u202e"
    labels = texts(svg(view(run(name, {name: [1.0, 0.5]})), tmp_path / "a.svg"))
    assert "a<script>&\"'·]0;x···" in labels
    assert print_picture(view(run(name, {name: [1.0, 0.5]})), PictureOptions("png"), tmp_path / "a.png") == 0


def test_drawing_unsupported_kind_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for plugin, word in (("images", "images"), ("audio", "sounds"), ("graphs", "graphs"), ("text", "texts")):
        assert print_picture(two_runs(), PictureOptions("svg", plugin), tmp_path / "a.svg") == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"{word} have no drawing here: tbtui export --plugin {plugin} writes them" in line
    assert print_picture(two_runs(), PictureOptions("svg", "comparison"), tmp_path / "a.svg") == 2
    assert "pictures are made of scalars, custom_scalars, histograms" in capsys.readouterr().err
    only_images = view(run("a", others=[references("a", "x", "images")]))
    assert print_picture(only_images, PictureOptions("svg"), tmp_path / "a.svg") == 1
    assert "tbtui export --plugin images" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_drawing_without_matches_or_values_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for made, plugin in (
        (two_runs(tag_filter="xyz"), None),
        (two_runs(), "histograms"),
        (two_runs(run_filter="z"), None),
    ):
        assert print_picture(made, PictureOptions("svg", plugin), tmp_path / "a.svg") == 1
        assert capsys.readouterr().err == "tbtui: nothing matches\n"
    assert print_picture(two_runs(skip_steps=100), PictureOptions("svg"), tmp_path / "a.svg") == 1
    assert "all values are at steps below 100" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_drawing_too_many_charts_or_too_small_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crowd = view(run("a", {f"t{index}": [1.0] for index in range(MAX_CARDS + 1)}))
    for made, options in (
        (crowd, PictureOptions("svg")),
        (two_runs(), PictureOptions("svg", width=20)),
        (two_runs(), PictureOptions("png", height=3)),
        (two_runs(), PictureOptions("png", width=1000, height=1000)),
    ):
        assert print_picture(made, options, tmp_path / "a.svg") == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert print_picture(crowd, PictureOptions("svg", max_charts=4), tmp_path / "a.svg") == 0


def test_drawing_existing_file_needs_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.svg"
    path.write_text("mine")
    assert print_picture(two_runs(), PictureOptions("svg"), path) == 2
    assert "exists already (--force replaces it)" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert print_picture(two_runs(), PictureOptions("svg"), path, force=True) == 0
    assert print_picture(two_runs(), PictureOptions("svg"), tmp_path / "no" / "a.svg") == 2


def test_drawing_png_is_refused_on_a_terminal(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert print_picture(two_runs(), PictureOptions("svg"), None) == 0
    assert ET.fromstring(sys.stdout.buffer.getvalue()).tag == f"{SVG}svg"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    assert print_picture(two_runs(), PictureOptions("png"), None) == 0
    assert sys.stdout.buffer.getvalue().startswith(b"\x89PNG")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert print_picture(two_runs(), PictureOptions("png"), None) == 2


def test_drawing_step_is_for_pr_curves_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loaded = Loader(parse_sources([str(WRITERS / "torch")]), reload_seconds=0).load_all()
    root = svg(seen(loaded.snapshot), tmp_path / "a.svg", plugin="pr_curves", step=0)
    assert any("@ step 0" in text for text in texts(root))
    assert print_picture(two_runs(), PictureOptions("svg", step=3), tmp_path / "a.svg", force=True) == 2
    assert capsys.readouterr().err == (
        "tbtui: --step is for text and for drawings of pr_curves and projector (--plugin): those of scalars "
        "show every step\n"
    )


def printed(*words: object) -> int:
    return main(["print", *map(str, words)])


def test_drawing_format_follows_the_extension(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LogDirectory(tmp_path / "logs").log("a", range(9))
    for ending, magic in (("svg", b"<svg"), ("PNG", b"\x89PNG")):
        path = tmp_path / f"loss.{ending}"
        assert printed(tmp_path / "logs", "-o", path, "--smoothing", "0.5", "--background", "dark") == 0
        assert path.read_bytes().startswith(magic)
        assert printed(tmp_path / "logs", "-o", path) == 2
    assert capsys.readouterr().err.count("(--force replaces it)") == 2
    assert printed(tmp_path / "logs", "--format", "svg", "--tags", "none") == 1
    assert printed(tmp_path / "logs", "--format", "svg", "--max-runs", 3) == 2
    assert printed(tmp_path / "logs", "--format", "png", "--plugin", "images", "-o", tmp_path / "x.png") == 2
    messages = capsys.readouterr().err.splitlines()
    assert messages[0] == f"tbtui: {tmp_path / 'logs'}: nothing matches --tags 'none': there is only 'loss'"
    assert messages[1] == "tbtui: --max-runs is for text: the runs of a drawing are chosen by --runs"
    assert messages[2].startswith("tbtui: images have no drawing here: tbtui export --plugin images writes them; ")
    assert messages[2].endswith(f"pictures are made of {', '.join(list_picture_plugins())}")
    (tmp_path / "empty").mkdir()
    assert printed(tmp_path / "empty", "--format", "svg") == 1
    assert printed(tmp_path / "logs", "--format", "svg", "--plugin", "histograms") == 1
    messages = capsys.readouterr().err.splitlines()
    assert messages == [f"tbtui: {tmp_path / 'empty'}: {NO_FILES}", f"tbtui: {tmp_path / 'logs'}: no histograms"]


def test_drawing_is_written_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LogDirectory(tmp_path / "logs").log("a", range(9))
    assert printed(tmp_path / "logs", "--format", "svg") == 0
    out, messages = capsys.readouterr()
    assert messages == ""
    assert {"loss", "a"} <= set(texts(ET.fromstring(out)))


def test_drawing_imports_no_textual(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.cli.test_print_drawn import two_runs\n"
        "from pathlib import Path\n"
        "from tbtui.cli.print.picture import *\n"
        "for form in ('svg', 'png'):\n"
        "    for kind in (None, 'histograms', 'distributions', 'pr_curves'):\n"
        "        print_picture(two_runs(), PictureOptions(form, kind), Path(sys.argv[2]) / f'a.{form}')\n"
        "assert 'textual' not in sys.modules\n"
        "assert 'PIL' in sys.modules\n"
    )
    root = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, "-c", code, root, str(tmp_path)], check=True, capture_output=True, text=True)
