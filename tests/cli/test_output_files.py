"""Test `-o` of the commands that write text: atomic files, equal to stdout."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tbtui.cli.main import main
from tbtui.cli.output import Output
from tests.helpers.compare_command import three_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMANDS = {
    "print.txt": ["print"],
    "compare.txt": ["compare"],
    "compare.md": ["compare", "--markdown"],
    "compare.json": ["compare", "--json"],
    "inspect.txt": ["inspect"],
    "inspect.json": ["inspect", "--json"],
}
"""Commands by output file of the same format."""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return three_runs(tmp_path / "logs")


@pytest.mark.parametrize("name", COMMANDS)
def test_output_file_equals_stdout(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    command, *form = COMMANDS[name]
    assert main([command, "--no-cache", *form, str(logs)]) == 0
    shown = capsys.readouterr().out
    path = tmp_path / name
    assert main([command, "--no-cache", str(logs), "-o", str(path)]) == 0
    assert capsys.readouterr() == ("", "")
    assert path.read_text(encoding="utf-8") == shown != ""
    assert not name.endswith("json") or json.loads(shown)


@pytest.mark.parametrize("name", COMMANDS)
def test_output_file_existing_needs_force(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / name
    path.write_text("mine")
    words = [COMMANDS[name][0], "--no-cache", str(logs), "-o", str(path)]
    assert main(words) == 2
    assert capsys.readouterr() == ("", f"tbtui: {path} exists already (--force replaces it)\n")
    assert path.read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert path.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("name", COMMANDS)
def test_output_file_invalid_target_is_reported_before_reading(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "missing" / name
    assert main([COMMANDS[name][0], "--no-cache", str(logs / "not there"), "-o", str(path)]) == 2
    message = f"tbtui: {path} cannot be written: no file can be created in {path.parent}\n"
    assert capsys.readouterr() == ("", message)


@pytest.mark.parametrize("name", ["print.txt", "compare.md", "compare.json", "inspect.txt", "inspect.json"])
def test_output_file_without_matches_is_not_created(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / name
    assert main([COMMANDS[name][0], "--no-cache", "--runs", "nobody", str(logs), "-o", str(path)]) == 1
    assert capsys.readouterr().err.startswith(f"tbtui: {logs}: nothing matches --runs 'nobody'")
    assert not path.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_output_file_signal_leaves_no_partial_file(tmp_path: Path, number: int) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        assert [*tmp_path.iterdir()]
        os.kill(os.getpid(), number)
        yield "never"

    before = signal.signal(number, signal.SIG_DFL)  # nohup would make both this process and the child ignore it
    try:
        with pytest.raises(SystemExit) as ended:
            Output(tmp_path / "report.json", force=False).write_data(pieces())
    finally:
        signal.signal(number, before)
    assert ended.value.code == 128 + number
    assert not [*tmp_path.iterdir()]


def test_output_file_width_does_not_follow_the_terminal(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((20, 24)))
    path = tmp_path / "runs.txt"
    assert main(["compare", "--no-cache", str(logs), "-o", str(path)]) == 0
    assert max(map(len, path.read_text(encoding="utf-8").splitlines())) > 40
