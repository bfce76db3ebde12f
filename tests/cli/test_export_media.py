"""Test `tbtui export --plugin images` and `audio`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tests.helpers.audio_logs import AudioLogs
from tests.helpers.image_logs import GREEN, RED, ImageLogs, encoded, gif, plain
from tests.helpers.log_directory import START
from tests.helpers.pty_app import PtyApp, product
from tests.helpers.sounds import riff, sine, wav

if TYPE_CHECKING:
    from collections.abc import Sequence

TONE = wav(sine(440), rate=8000)
CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def export(logs: Path, *words: object) -> int:
    return main(["export", str(logs), *map(str, words)])


def manifest(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "manifest.jsonl").read_text(encoding="ascii").splitlines()]


def files(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir() if not path.name.startswith("manifest")}


def pictures(tmp_path: Path) -> ImageLogs:
    return ImageLogs(tmp_path / "logs")


def sounds(tmp_path: Path) -> AudioLogs:
    return AudioLogs(tmp_path / "logs")


def values_of(rows: Sequence[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_export_images_are_written_as_logged(tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = pictures(tmp_path)
    red, green, jpeg = encoded(plain(RED, 6, 4)), gif([GREEN, RED]), encoded(plain(RED), "JPEG")
    logs.add("a/seed0", {"x/y": {0: red, 12: [green, jpeg]}})
    assert export(logs.root, "--plugin", "images", "-o", out) == 0
    assert capsys.readouterr() == ("", "")
    assert files(out) == {
        "a_seed0-x_y-step00.png": red,
        "a_seed0-x_y-step12_0.gif": green,
        "a_seed0-x_y-step12_1.jpg": jpeg,
    }
    rows = manifest(out)
    assert rows[0] == {
        "run": "a/seed0",
        "tag": "x/y",
        "step": 0,
        "wall_time": START,
        "sample": 0,
        "file": "a_seed0-x_y-step00.png",
        "format": "PNG",
        "width": 6,
        "height": 4,
        "frames": 1,
        "duration": None,
        "bytes": len(red),
        "problem": "",
    }
    assert values_of(rows[1:], "step", "sample", "format", "width") == [(12, 0, "GIF", 8), (12, 1, "JPEG", 8)]


def test_export_audio_is_written_with_its_header_fields(tmp_path: Path, out: Path) -> None:
    logs = sounds(tmp_path)
    logs.add("r", {"tone": {1: [(TONE, "*la*"), (b"OggS...", "")], 2: TONE}, "odd": {0: riff(), 1: b"nothing known"}})
    assert export(logs.root, "--plugin", "audio", "-o", out) == 0
    assert files(out) == {
        "r-tone-step1_0.wav": TONE,
        "r-tone-step1_1.ogg": b"OggS...",
        "r-tone-step2.wav": TONE,
        "r-odd-step0.wav": riff(),
        "r-odd-step1.bin": b"nothing known",
    }
    assert values_of(manifest(out), "sample", "format", "rate", "channels", "duration", "label", "problem") == [
        (0, "WAV", 8000, 1, 0.5, "*la*", ""),
        (1, "Ogg", None, None, None, "", "it is Ogg, which can be played and written to a file, but not drawn"),
        (0, "WAV", 8000, 1, 0.5, "", ""),
        (0, "WAV", None, None, None, "", "its header does not say how samples are stored: there is no fmt chunk"),
        (0, None, None, None, None, "", "it does not begin like a WAV file"),
    ]


def test_export_media_unreadable_values_are_in_the_manifest(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = sounds(tmp_path)
    large = TONE + bytes(1 << 16)  # large enough that its payload is verified on export
    logs.add("r", {"x": {0: TONE, 1: [], 2: large, 3: TONE}})
    path = logs.path("r")
    content = bytearray(path.read_bytes())
    content[content.index(large) + 100] ^= 1
    path.write_bytes(content)
    assert export(logs.root, "--plugin", "audio", "-o", out) == 0
    assert values_of(manifest(out), "step", "sample", "file", "problem") == [
        (0, 0, "r-x-step0.wav", ""),
        (1, None, None, "nothing was logged at this step"),
        (2, None, None, "the bytes of this value do not match their checksum"),
        (3, 0, "r-x-step3.wav", ""),
    ]
    assert sorted(files(out)) == ["r-x-step0.wav", "r-x-step3.wav"]
    assert "1 of 4 sounds left out, first x of r at step 2: the bytes of this value do not match" in (
        capsys.readouterr().err
    )


def test_export_media_manifest_alone_goes_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = pictures(tmp_path)
    logs.add("a", {"x": {0: plain(RED, 6, 4), 1: b"no picture, at all"}})
    assert export(logs.root, "--plugin", "images") == 0
    reason = "this is not an image of a known format but text"
    header, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    own = ["format", "width", "height", "frames", "duration"]
    assert header == ["run", "tag", "step", "wall_time", "sample", *own, "bytes", "problem"]
    size = str(len(encoded(plain(RED, 6, 4))))
    assert rows == [
        ["a", "x", "0", str(START), "0", "PNG", "6", "4", "1", "", size, ""],
        ["a", "x", "1", str(START + 1), "0", "", "", "", "", "", "18", reason],
    ]
    assert export(logs.root, "--plugin", "images", "--format", "json", "-o", "-") == 0
    assert values_of(json.loads(capsys.readouterr().out), "format", "width", "problem") == [
        ("PNG", 6, ""),
        (None, None, reason),
    ]


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_export_media_manifest_has_the_requested_format(tmp_path: Path, out: Path, form: str) -> None:
    logs = pictures(tmp_path)
    logs.add("a", {"x": {0: plain(RED)}})
    assert export(logs.root, "--plugin", "images", "--format", form, "-o", out) == 0
    assert sorted(path.name for path in out.iterdir()) == ["a-x-step0.png", f"manifest.{form}"]


def test_export_media_filters_and_restarts_select_values(tmp_path: Path, out: Path) -> None:
    logs = pictures(tmp_path)
    logs.add("a", {"x": {0: plain(RED), 5: plain(RED)}, "y": {0: plain(RED)}})
    logs.add("b", {"x": {0: plain(RED)}})
    logs.add("a", {"x": {5: plain(GREEN)}}, file="events.out.tfevents.2.host")
    words = ("--plugin", "images", "--runs", "^a$", "--tags", "x")
    assert export(logs.root, *words, "-o", out) == 0
    assert sorted(files(out)) == ["a-x-step0.png", "a-x-step5.png", "a-x-step5~2.png"]
    assert files(out)["a-x-step5~2.png"] == encoded(plain(GREEN))
    assert export(logs.root, *words, "--current", "-o", tmp_path / "now") == 0
    assert files(tmp_path / "now") == {
        "a-x-step0.png": encoded(plain(RED)),
        "a-x-step5.png": encoded(plain(GREEN)),
    }


def test_export_media_used_folder_needs_force(tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = pictures(tmp_path)
    logs.add("a", {"x": {0: plain(RED)}})
    out.mkdir()
    (out / "a-x-step0.png").write_bytes(b"dear")
    (out / "mine").write_bytes(b"dear")
    assert export(logs.root, "--plugin", "images", "-o", out) == 2
    assert capsys.readouterr().err == (
        f"tbtui: {out} exists already and is not empty (--force writes into it, and replaces files of the same names)\n"
    )
    assert files(out) == {"a-x-step0.png": b"dear", "mine": b"dear"}
    assert export(logs.root, "--plugin", "images", "-o", out, "--force") == 0
    assert files(out) == {"a-x-step0.png": encoded(plain(RED)), "mine": b"dear"}


def test_export_media_invalid_targets_print_one_line_and_return_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = pictures(tmp_path)
    logs.add("a", {"x": {0: plain(RED)}})
    for path, complaint in (
        (logs.path("a"), "is not a folder"),
        (tmp_path / "x.csv", "would be a folder of files; without -o the table of them goes to stdout"),
        (tmp_path / "no" / "x", f"cannot be written: no folder can be created in {tmp_path}/no"),
    ):
        assert export(logs.root, "--plugin", "images", "-o", path) == 2
        assert capsys.readouterr() == ("", f"tbtui: {path} {complaint}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logs"]


@pytest.mark.parametrize("plugin", ["images", "graphs", "all"])
def test_export_media_unusable_paths_print_one_line_and_return_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plugin: str
) -> None:
    logs = pictures(tmp_path)
    logs.add("a", {"x": {0: plain(RED)}})
    (tmp_path / "circle").symlink_to("circle")
    for name, complaint in (
        ("circle", "Too many levels of symbolic links"),
        ("circle/x", "Too many levels of symbolic links"),
        ("x" * 300, "File name too long"),
        ("x" * 300 + ".json", "File name too long"),
    ):
        assert export(logs.root, "--plugin", plugin, "-o", tmp_path / name) == 2
        assert capsys.readouterr() == ("", f"tbtui: {tmp_path / name} cannot be written: {complaint}\n")


def test_export_media_no_match_returns_1_and_no_folder(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = pictures(tmp_path)
    logs.log("a", range(3))
    assert export(logs.root, "--plugin", "images", "-o", out) == 1
    assert export(logs.root, "--plugin", "audio") == 1
    assert capsys.readouterr() == ("", f"tbtui: {logs.root}: no images\ntbtui: {logs.root}: no sounds\n")
    logs.add("a", {"x": {0: []}})
    assert export(logs.root, "--plugin", "images", "-o", out) == 1
    assert not out.exists()


def test_export_media_only_refused_values_set_the_exit_code(
    tmp_path: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = pictures(tmp_path)
    value = get_message_class("SummaryValue")(tag="x", tensor=make_tensor(np.ones(3)))
    value.metadata.plugin_data.plugin_name = "images"
    logs.add("a", {"x": {0: value}})
    assert export(logs.root, "--plugin", "images", "-o", out) == 1
    err = capsys.readouterr().err
    assert "1 of 1 images left out, first x of a at step 0: images are logged as a vector of strings" in err
    assert err.endswith(f"tbtui: {logs.root}: nothing that can be written\n")
    assert not out.exists()


def test_export_media_hostile_names_stay_in_the_folder(tmp_path: Path, out: Path) -> None:
    logs = pictures(tmp_path)
    tags = ("../../evil", "/etc/passwd", "..", "CON", "x\0y", "A", "a", "\x1b[31m", "é" * 200)
    logs.add("..run", {tag: {0: plain(RED)} for tag in tags})
    before = sorted(path for path in tmp_path.rglob("*"))
    assert export(logs.root, "--plugin", "images", "-o", out) == 0
    assert len(files(out)) == len(tags)
    assert [row["tag"] for row in manifest(out)] == list(tags)
    assert all((out / row["file"]).read_bytes() == encoded(plain(RED)) for row in manifest(out))
    assert before == sorted(path for path in tmp_path.rglob("*") if out not in (path, *path.parents))


def test_export_media_progress_is_shown_and_erased(tmp_path: Path, out: Path) -> None:
    logs = pictures(tmp_path)
    logs.add("a", {"x": {step: plain(RED) for step in range(3)}})
    code = (
        "import sys; from tbtui.cli import output\n"
        "output.PROGRESS_DELAY_SECONDS = output.PROGRESS_INTERVAL_SECONDS = 0\n"
        "from tbtui.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    python = product()[0]
    words = ["export", str(logs.root), "--plugin", "images", "-o", str(out)]
    with PtyApp([python, "-c", code, *words]) as app:
        assert app.wait() == 0
        assert b"3 of 3 steps" in app.raw
        assert bytes(app.raw).endswith(b"\r\x1b[K")
    assert len(files(out)) == 3


def test_export_images_of_real_writers_are_complete(out: Path) -> None:
    assert export(CORPUS, "--plugin", "images", "-o", out) == 0
    rows = manifest(out)
    assert sorted(row["file"] for row in rows if row["file"]) == sorted(files(out))
    assert all(len(files(out)[row["file"]]) == row["bytes"] for row in rows if row["file"])
