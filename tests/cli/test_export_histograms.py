"""Test `tbtui export --plugin histograms` and `--plugin distributions`."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tbtui.cli.main import main
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import FILE, START

if TYPE_CHECKING:
    from pathlib import Path

BUCKETS = "run,tag,step,wall_time,left,right,count\n"
QUANTILES = "run,tag,step,wall_time,count,min,p6.68,p15.87,p30.85,median,p69.15,p84.13,p93.32,max\n"
NAN = "a NaN is among the values of this step"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Write two runs with one-bucket histograms; the one at step 2 of `b` is undrawable."""
    made = tmp_path / "logs"
    for run, steps in (("a", (1, 1, 3)), ("b", (1, 2))):
        (made / run).mkdir(parents=True)
        with EventFileWriter(str(made / run / FILE), wall_time=START, like_pytorch=True) as writer:
            for order, step in enumerate(steps):
                values = [math.nan] if (run, step) == ("b", 2) else [0.5] * (order + 1)
                writer.histogram("grads/fc", values, step, START + order)
            writer.histogram("weights/fc", [-0.25], 1, START)
            writer.scalar("loss", 1, 1, START)
    return made


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "file"


def export(logs: Path, *words: object) -> int:
    return main(["export", str(logs), *map(str, words)])


def test_export_histograms_has_a_row_per_bucket(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--plugin", "histograms", "--runs", "^a$") == 0
    grads = "".join(f"a,grads/fc,{step},{START + n},0.5,0.5,{n + 1}.0\n" for n, step in enumerate((1, 1, 3)))
    assert capsys.readouterr() == (f"{BUCKETS}{grads}a,weights/fc,1,{START},-0.25,-0.25,1.0\n", "")


def test_export_quantiles_has_a_row_per_histogram(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs, "--plugin", "distributions", "--tags", "weights") == 0
    row = f"weights/fc,1,{START},1.0{',-0.25' * 9}\n"
    assert capsys.readouterr() == (f"{QUANTILES}a,{row}b,{row}", "")


def test_export_histograms_omits_superseded_steps_on_request(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--runs", "^a$", "--tags", "grads", "--current", "--format", "jsonl")
    assert export(logs, "--plugin", "histograms", *words) == 0
    assert capsys.readouterr().out.splitlines() == [
        f'{{"run": "a", "tag": "grads/fc", "step": {step}, "wall_time": {START + seconds}, '
        f'"left": 0.5, "right": 0.5, "count": {seconds + 1}.0}}'
        for step, seconds in ((1, 1), (3, 2))
    ]
    assert export(logs, "--plugin", "distributions", *words) == 0
    assert capsys.readouterr().out.count('"p6.68": 0.5, ') == 2


def test_export_histograms_to_files_like_scalars(logs: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = out.with_suffix(".json")
    words = ("--plugin", "histograms", "--runs", "^a$", "-o", path)
    assert export(logs, *words) == 0
    assert path.read_text().startswith('[\n{"run": "a", "tag": "grads/fc", "step": 1, ')
    assert export(logs, *words) == 2
    assert capsys.readouterr() == ("", f"tbtui: {path} exists already (--force replaces it)\n")
    assert export(logs, *words, "--force") == 0


@pytest.mark.parametrize(("plugin", "header"), [("histograms", BUCKETS), ("distributions", QUANTILES)])
def test_export_histograms_undrawable_are_omitted_and_reported(
    logs: Path, plugin: str, header: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs, "--plugin", plugin, "--tags", "grads") == 0
    out, err = capsys.readouterr()
    assert out.startswith(header)
    assert [line.split(",")[:3] for line in out.splitlines()[1:]] == [
        ["a", "grads/fc", "1"],
        ["a", "grads/fc", "1"],
        ["a", "grads/fc", "3"],
        ["b", "grads/fc", "1"],
    ]
    assert err == f"tbtui: 1 of 5 histograms left out, first grads/fc of b at step 2: {NAN}\n"


def test_export_histograms_only_undrawable_return_1_and_no_file(
    logs: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with EventFileWriter(str(logs / "b" / FILE), like_pytorch=True) as writer:
        writer.histogram("lost", [math.inf], 7, START)
        writer.histogram("lost", [math.nan], 8, START)
    assert export(logs, "--plugin", "histograms", "--tags", "lost", "-o", out) == 1
    left_out = (
        "2 of 2 histograms left out, first lost of b at step 7: an infinite value is among the values of this step"
    )
    assert capsys.readouterr() == ("", f"tbtui: {left_out}\ntbtui: {logs}: nothing that can be written\n")
    assert not out.exists()


def test_export_histograms_empty_ones_are_no_error(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with EventFileWriter(str(logs / "b" / FILE), like_pytorch=True) as writer:
        writer.histogram("empty", [], 1, START)
    assert export(logs, "--plugin", "histograms", "--tags", "empty") == 0
    assert capsys.readouterr() == (BUCKETS, "")
    assert export(logs, "--plugin", "distributions", "--tags", "empty") == 0
    assert capsys.readouterr() == (f"{QUANTILES}b,empty,1,{START},0.0{',0.0' * 9}\n", "")


@pytest.mark.parametrize("plugin", ["histograms", "distributions"])
def test_export_histograms_no_match_prints_one_line_and_returns_1(
    logs: Path, tmp_path: Path, plugin: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs, "--plugin", plugin, "--tags", "^loss") == 1
    assert capsys.readouterr() == ("", f"tbtui: {logs}: what --tags matches has no histograms\n")
    with EventFileWriter(str(tmp_path / "out.tfevents")) as writer:
        writer.scalar("loss", 1, 1, START)
    assert export(tmp_path / "out.tfevents", "--plugin", plugin) == 1
    assert capsys.readouterr() == ("", f"tbtui: {tmp_path / 'out.tfevents'}: no histograms\n")


def test_export_histograms_changed_payload_is_omitted_and_reported(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = logs / "a" / FILE
    content = path.read_bytes()
    at = content.rindex(b"grads/fc")
    path.write_bytes(content[: at + 22] + bytes([content[at + 22] ^ 1]) + content[at + 23 :])
    assert export(logs, "--plugin", "histograms", "--runs", "^a$", "--tags", "grads") == 0
    out, err = capsys.readouterr()
    assert out == f"{BUCKETS}a,grads/fc,1,{START},0.5,0.5,1.0\na,grads/fc,1,{START + 1},0.5,0.5,2.0\n"
    assert err == f"tbtui: {path}: damaged, exported as far as it can be read (see tbtui inspect)\n"


def test_export_histograms_imports_no_textual(logs: Path) -> None:
    code = (
        "import sys; from tbtui.cli.main import main\n"
        f"main(['export', {str(logs / 'a')!r}, '--plugin', 'distributions'])\n"
        "heavy = ('textual', 'watchfiles', 'PIL', 'rich', 'regex', 'plotext')\n"
        "found = [name for name in sys.modules if name.split('.')[0] in heavy]\n"
        "sys.exit(f'imported {found}' if found else 0)"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
