"""Test the output, messages and exit codes of `tbtui export`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import FILE, NO_FILES, START, LogDirectory
from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADER = "run,tag,step,wall_time,value\n"
CHECKOUT = Path(tbtui.__file__).parents[1]
FEW = f"{HEADER}eval,loss,0,{START},0.0\neval,loss,1,{START + 1},2.0\n"


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    made = LogDirectory(tmp_path / "logs")
    made.log("train", range(3))
    made.log("train", range(1), tag="acc")
    made.log("eval", range(2))
    return made


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return the path of a new file in an empty directory."""
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "file"


def export(*words: object) -> int:
    return main(["export", *map(str, words)])


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def environment() -> dict[str, str]:
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    environ.pop("PYTHONUNBUFFERED", None)
    return environ


def process(words: Sequence[object], **streams: int) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a subprocess."""
    streams.setdefault("stderr", subprocess.PIPE)
    command = product("export", *map(str, words))
    return subprocess.run(command, env=environment(), timeout=60, check=False, **streams)


def test_export_writes_every_stored_point(logs: LogDirectory, capfd: pytest.CaptureFixture[str]) -> None:
    assert export(logs.root) == 0
    loss = f"train,loss,0,{START},0.0\ntrain,loss,1,{START + 1},2.0\ntrain,loss,2,{START + 2},4.0\n"
    assert capfd.readouterr() == (f"{FEW}{loss}train,acc,0,{START},0.0\n", "")


def test_export_filters_select_runs_and_tags(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs.root, "--runs", "^EVAL$") == 0
    assert capsys.readouterr().out == FEW
    assert export(logs.root, "--tags", "acc", "--format", "jsonl") == 0
    assert capsys.readouterr().out == (
        f'{{"run": "train", "tag": "acc", "step": 0, "wall_time": {START}, "value": 0.0}}\n'
    )


def test_export_superseded_points_in_arrival_order_or_omitted(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.log("eval", range(1, 3), file="events.out.tfevents.2.host", start=START + 10)
    assert export(logs.root, "--runs", "eval") == 0
    stored = capsys.readouterr().out
    assert stored == f"{FEW}eval,loss,1,{START + 11},2.0\neval,loss,2,{START + 12},4.0\n"
    assert export(logs.root, "--runs", "eval", "--current") == 0
    lines = stored.splitlines(keepends=True)
    assert capsys.readouterr().out == "".join([*lines[:2], *lines[3:]])


def test_export_to_a_file_prints_nothing(logs: LogDirectory, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs.root, "--runs", "eval", "-o", out) == 0
    assert out.read_text() == FEW
    assert capsys.readouterr() == ("", "")
    assert names_in(out.parent) == ["file"]


@pytest.mark.parametrize(
    ("name", "words", "begins"),
    [
        ("x.json", (), "[\n{"),
        ("x.JSONL", (), "{"),
        ("x.csv", (), "run,"),
        ("x.txt", (), "run,"),
        ("x.json", ("--format", "csv"), "run,"),
    ],
)
def test_export_file_format_follows_the_extension(
    logs: LogDirectory, out: Path, name: str, words: tuple[str, ...], begins: str
) -> None:
    path = out.with_name(name)
    assert export(logs.root, "-o", path, *words) == 0
    assert path.read_text().startswith(begins)


def test_export_dash_is_stdout(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs.root, "--runs", "eval", "-o", "-") == 0
    assert capsys.readouterr().out == FEW


def test_export_existing_file_needs_force(logs: LogDirectory, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out.write_text("dear")
    assert export(logs.root, "-o", out) == 2
    assert capsys.readouterr() == ("", f"tbtui: {out} exists already (--force replaces it)\n")
    assert out.read_text() == "dear"
    assert export(logs.root, "--runs", "eval", "-o", out, "--force") == 0
    assert out.read_text() == FEW
    assert names_in(out.parent) == ["file"]


def test_export_invalid_target_prints_one_line_and_returns_2(
    logs: LogDirectory, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs.root, "-o", out.parent) == 2
    assert capsys.readouterr().err == f"tbtui: {out.parent} is a directory; name a file in it\n"
    assert export(logs.root, "-o", out / "x.csv") == 2
    assert capsys.readouterr().err == f"tbtui: {out}/x.csv cannot be written: no file can be created in {out}\n"
    assert names_in(out.parent) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_export_unwritable_directory_prints_one_line_and_returns_2(
    logs: LogDirectory, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out.parent.chmod(0o555)
    assert export(logs.root, "-o", out) == 2
    assert capsys.readouterr().err == f"tbtui: {out} cannot be written: no file can be created in {out.parent}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--runs", "nothing of the kind"), "nothing matches --runs 'nothing of the kind': there are 'eval', 'train'"),
        (("--tags", "nothing of the kind"), "nothing matches --tags 'nothing of the kind': there are 'acc', 'loss'"),
    ],
)
def test_export_no_match_prints_one_line_returns_1_and_no_file(
    logs: LogDirectory, out: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    out.write_text("dear")
    assert export(logs.root, *words, "-o", out, "--force") == 1
    assert out.read_text() == "dear"
    assert export(logs.root, *words) == 1
    assert capsys.readouterr() == ("", f"tbtui: {logs.root}: {message}\n" * 2)


def test_export_logs_without_scalars_differ_from_no_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(tmp_path) == 1
    assert capsys.readouterr() == ("", f"tbtui: {tmp_path}: {NO_FILES}\n")
    with EventFileWriter(str(tmp_path / FILE)) as writer:
        writer.text("note", "hello", 7, START)
    assert export(tmp_path) == 1
    assert capsys.readouterr() == ("", f"tbtui: {tmp_path}: no scalars\n")


def test_export_invalid_paths_and_patterns_return_2(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs.root / "missing") == 2
    assert capsys.readouterr() == ("", f"tbtui: {logs.root}/missing: no such file or directory\n")
    reason = "is not a regular expression (missing )), and no name contains it as plain text"
    for option in ("--runs", "--tags"):
        assert export(logs.root, option, "(") == 2
        assert capsys.readouterr() == ("", f"tbtui: {option} '(' {reason}\n")


def test_export_endless_pattern_is_aborted(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.cli.arguments.FILTER_SECONDS", 0.05)
    logs.log("a" * 60, [1])
    assert export(logs.root, "--runs", "(a|a)*(a|aa)+(aa|a)*b") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "too slow" in err
    assert err.count("\n") == 1


def test_export_damage_is_skipped_and_reported(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    path = logs.path("eval")
    whole = path.read_bytes()
    logs.log("eval", [2])
    path.write_bytes(whole + b"\xff" * 30 + path.read_bytes()[len(whole) :])
    assert export(logs.root) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{FEW}eval,loss,2,{START + 2},4.0\ntrain,")
    assert err == f"tbtui: {path}: damaged, exported as far as it can be read (see tbtui inspect)\n"
    assert export(logs.root, "--runs", "train") == 0
    assert capsys.readouterr().err == ""


def test_export_record_with_wrong_checksum_is_skipped_and_reported(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    path = logs.path("eval")
    content = bytearray(path.read_bytes())
    content[-5] ^= 1  # within the value of the last event
    path.write_bytes(content)
    assert export(logs.root, "--runs", "eval") == 0
    out, err = capsys.readouterr()
    assert out == FEW.splitlines(keepends=True)[0] + "".join(
        line for line in FEW.splitlines(keepends=True)[1:] if not line.endswith(",2.0\n")
    )
    assert err.startswith(f"tbtui: {path}: damaged")


def test_export_only_damage_is_reported_by_the_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        (tmp_path / f"{FILE}.{number}").write_bytes(b"%d: no event file at all\n" % number * 20)
    assert export(tmp_path) == 1
    reason = "cannot be read: it is a text file, which begins with “0: no event file at all”"
    others = "2 more files cannot be read either (see tbtui inspect)"
    damage = f"tbtui: {tmp_path}/{FILE}.0: {reason}; {others}\n"
    assert capsys.readouterr() == ("", f"{damage}tbtui: {tmp_path}: no scalars\n")


def test_export_stdout_is_utf_8_in_any_locale(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("損失 \udcff", [1], tag="ä\n")
    ended = subprocess.run(
        product("export", str(logs.root)),
        env={**environment(), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout.decode() == f'{HEADER}損失 \\udcff,"ä\n",1,{START + 1},2.0\n'


def test_export_escapes_names_on_a_terminal(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run", [1], tag="evil\x1b]0;title\x07\x1b[2J")
    with PtyApp(product("export", str(logs.root))) as app:
        assert app.wait() == 0
        assert b"\x1b" not in app.raw
        assert b"run,evil" in app.raw


@pytest.mark.parametrize("count", [3, 50_000])
def test_export_closed_pipe_is_silent(tmp_path: Path, count: int) -> None:
    LogDirectory(tmp_path / "logs").log("run", range(count))
    reading, writing = os.pipe()
    os.close(reading)
    ended = process([tmp_path / "logs"], stdout=writing)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_export_full_disk_on_stdout_prints_one_line_and_returns_2(logs: LogDirectory) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = process([logs.root], stdout=full.fileno())
    assert ended.returncode == 2
    assert ended.stderr == b"tbtui: stdout cannot be written: No space left on device\n"


def test_export_closed_stdout_prints_one_line_and_returns_2(logs: LogDirectory) -> None:
    command = ["sh", "-c", '"$@" >&-', "sh", *product("export", str(logs.root))]
    ended = subprocess.run(command, env=environment(), stderr=subprocess.PIPE, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"tbtui: stdout is closed\n")


STOPS_HALFWAY = """
import signal, sys
for ignored in (signal.SIGTERM, signal.SIGHUP):  # as by nohup, around the tests
    signal.signal(ignored, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from tbtui.cli.export import command
from tbtui.cli.main import main

def half(*_, **__):
    yield "half of it"
    print("under way", flush=True)
    signal.pause()

command.encode_tables = half
sys.exit(main(["export", sys.argv[1], "-o", sys.argv[2]]))
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)],
    ids=str,
)
def test_export_signal_leaves_no_partial_file(logs: LogDirectory, out: Path, number: signal.Signals, code: int) -> None:
    command = [sys.executable, "-c", STOPS_HALFWAY, str(logs.root), str(out)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment(), **streams) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"under way\n"
        assert len(names_in(out.parent)) == 1
        running.send_signal(number)
        assert running.communicate(timeout=60) == (b"", b"")
        assert running.returncode == code
    assert names_in(out.parent) == []


def test_export_imports_no_textual(logs: LogDirectory) -> None:
    code = (
        "import sys; from tbtui.cli.main import main\n"
        f"main(['export', {str(logs.root)!r}])\n"
        "heavy = ('textual', 'watchfiles', 'PIL', 'rich', 'regex', 'plotext')\n"
        "found = [name for name in sys.modules if name.split('.')[0] in heavy]\n"
        "sys.exit(f'imported {found}' if found else 0)"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
