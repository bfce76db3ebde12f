"""Test the messages and exit codes of `tbtui compare` for impossible requests."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.helpers.compare_command import CompareResult, log, three_runs
from tests.helpers.log_directory import FILE, NO_FILES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return three_runs(tmp_path / "logs")


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "code", "words"),
        [
            (["--baseline", "aa"], 2, "aa: no run of that name to compare with; did you mean 'a'?"),
            (
                ["--sort", "los"],
                2,
                "los: no scalar tag and no hyperparameter of that name to sort by; did you mean 'loss'?",
            ),
            (["--runs", "("], 2, "'(' is not a regular expression"),
            (["--figure", "mean"], 2, "invalid choice: 'mean'"),
            (["--limit", "-1"], 2, "whole number"),
            (["--reverse"], 2, "--reverse goes with --sort"),
            (["--json", "--markdown"], 2, "not allowed with"),
            (["--runs", "nobody"], 1, "nothing matches --runs 'nobody': there are 'a', 'b', 'c'"),
            (["--tags", "los$"], 1, "nothing matches --tags 'los$': did you mean 'loss'?"),
            (["--runs", "nobody", "--sort", "x"], 1, "nothing matches"),
        ],
    )
    def test_compare_refusal_is_one_line_and_an_exit_code(
        self, logs: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, words: str
    ) -> None:
        result = CompareResult(capsys, logs, *options)
        assert (result.code, result.out, result.err.count("\n")) == (code, "", 1)
        assert words in result.err

    def test_compare_without_paths_files_or_scalars_is_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert CompareResult(capsys, tmp_path / "missing").code == 2
        nothing = CompareResult(capsys, tmp_path)
        assert (nothing.code, nothing.err) == (1, f"tbtui: {tmp_path}: {NO_FILES}\n")
        log(tmp_path, "run")
        assert CompareResult(capsys, tmp_path).err == f"tbtui: {tmp_path}: no scalars\n"

    @pytest.mark.parametrize("options", [["--runs", "nobody"], ["--tags", "los$", "--sort", "x"]])
    def test_compare_json_without_matches_is_an_object(
        self, logs: Path, capsys: pytest.CaptureFixture[str], options: list[str]
    ) -> None:
        result = CompareResult(capsys, logs, "--json", *options)
        assert (result.code, result.err.count("\n")) == (1, 1)
        report = json.loads(result.out)
        assert (report["logdir"], report["runs"], report["tags"], report["left_out"]) == (str(logs), [], {}, 0)
        assert report["hparams"] == {"same": {}, "differ": []}

    def test_compare_damage_is_reported(self, logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = logs / "a" / FILE
        path.write_bytes(path.read_bytes() + b"\xff" * 40)
        result = CompareResult(capsys, logs, "--json")
        assert result.json["runs"]
        assert result.err == f"tbtui: {path}: damaged, compared as far as it can be read (see tbtui inspect)\n"

    def test_compare_closed_stdout_is_handled(self, logs: Path) -> None:
        command = [sys.executable, "-m", "tbtui", "compare", "--json", "--no-cache", str(logs)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == 1
        ended = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, check=False)
        assert (ended.returncode, ended.stderr) == (2, b"tbtui: stdout is closed\n")


def test_compare_imports_no_textual(logs: Path) -> None:
    code = (
        "import sys; from tbtui.cli.main import main\n"
        f"for form in ([], ['--json'], ['--markdown']): main(['compare', *form, {str(logs)!r}])\n"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('textual', 'watchfiles', 'PIL')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
