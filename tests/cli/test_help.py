"""Test the help of every command, and suggestions for mistyped words."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tbtui.cli.main import main
from tbtui.cli.options import COMMANDS
from tbtui.cli.options.suggestions import find_closest, get_parser

FULL = Path("/dev/full")
ALL = ("dashboard", *COMMANDS)


@pytest.fixture(autouse=True)
def empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to an empty directory: existing paths are not taken for mistyped commands."""
    monkeypatch.chdir(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    try:
        code: object = main(words)
    except SystemExit as ended:
        code = ended.code
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


def complaint(capsys: pytest.CaptureFixture[str], words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err.startswith("tbtui: ")
    assert err.count("\n") == 1
    return err.removeprefix("tbtui: ").rstrip("\n")


@pytest.mark.parametrize("name", ALL)
def test_help_has_usage_summary_examples_options_and_exit_codes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [] if name == "dashboard" else [name]
    text = printed(capsys, *words, "--help")
    assert text == printed(capsys, *words, "-h")
    parser = get_parser(name)
    places = [text.index(part) for part in (f"usage: {parser.call} [option ...]\n", parser.summary, "examples:\n")]
    places += [text.index("options:\n"), text.index("exit codes:")]
    assert places == sorted(places)
    assert max(map(len, text.splitlines())) <= 80
    for action in parser.options:
        assert re.search(rf"(?m)^  (-.( [A-Z]+)?, )?{action.option_strings[-1]}( |$)", text)


@pytest.mark.parametrize("name", ALL)
def test_help_examples_are_valid_commands(name: str) -> None:
    module = import_module(f"tbtui.cli.options.{name}")
    prog = get_parser(name).prog
    lines = [line.strip() for line in module.EXAMPLES.splitlines()]
    examples = [line for line in lines if line == prog or line.startswith(f"{prog} ")]
    assert examples or name == "completion"
    for line in examples:
        call = line.partition("  ")[0].partition(" | ")[0].partition(" > ")[0]
        module.parse(shlex.split(call)[len(prog.split()) :])


def test_help_of_the_dashboard_lists_every_command_and_summary(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed(capsys, "--help").split())
    for name in COMMANDS:
        parser = get_parser(name)
        assert f"{parser.call} {parser.summary[0].lower()}{parser.summary[1:].rstrip('.')}" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_command_prints_the_same_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "help", name) == printed(capsys, name, "--help")


def test_help_command_alone_prints_the_dashboard_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "help") == printed(capsys, "--help")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("exprot logs", "exprot: no such file or directory; did you mean tbtui export? (see tbtui --help)"),
        ("exprot --format csv logs", "exprot: no such file or directory; did you mean tbtui export?"),
        ("Inspect", "did you mean tbtui inspect?"),
        ("ins", "did you mean tbtui inspect?"),
        ("cahce --clear", "did you mean tbtui cache?"),
        ("--fresh exprot", "did you mean tbtui export?"),
        ("--fresh inspect", "inspect: no such file or directory; as a command it comes first: tbtui inspect"),
        ("--smooth .5", "tbtui has no option --smooth; did you mean --smoothing?"),
        ("--Smoothing=.5", "did you mean --smoothing?"),
        ("-smoothing .5", "did you mean --smoothing?"),
        ("--nonsense", "tbtui has no option --nonsense (see tbtui --help)"),
        ("--check logs", "--check is an option of tbtui inspect; not of tbtui (see tbtui --help)"),
        ("cache --runs x", "; not of tbtui cache (see tbtui cache --help)"),
        (
            "inspect --smoothing .5",
            "; not of tbtui inspect (see tbtui inspect --help)",
        ),
        ("export --froce", "tbtui export has no option --froce; did you mean --force?"),
        ("cache logs", "tbtui cache takes no 'logs'"),
        ("help exprot", "unknown command 'exprot'; did you mean export? (see tbtui help --help)"),
        ("help zzz", "unknown command 'zzz' (see tbtui help --help)"),
        ("completion tcsh", "bash"),
        ("completion", "SHELL"),
    ],
)
def test_mistyped_words_get_a_suggestion(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in complaint(capsys, words)


def test_existing_path_similar_to_a_command_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tbtui.cli.options.dashboard import parse

    (tmp_path / "exports").mkdir()
    assert parse(["exports", "./help", "a:inspect", "run1"]).paths == ["exports", "./help", "a:inspect", "run1"]


@pytest.mark.parametrize("word", ["logs", "run", "checkpoints", "experiments", "a/exprot", "exprot*", "x:exprot"])
def test_missing_paths_are_not_taken_for_commands(word: str) -> None:
    from tbtui.cli.options.dashboard import parse

    assert parse([word]).paths == [word]


def test_unknown_word_without_a_similar_one_gets_no_suggestion() -> None:
    assert find_closest("zebra", COMMANDS) is None
    assert find_closest("x", COMMANDS) is None


def test_mistyped_word_is_escaped_for_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--smooth\x1b]0;title\x07\ning"])
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert err.count("\n") == 1


def test_dashboard_start_does_not_import_suggestions(tmp_path: Path) -> None:
    program = (
        "import sys; from tbtui.cli.options.dashboard import parse\n"
        f"parse(['logs', {str(tmp_path)!r}, '--fresh'][1:])\n"
        "sys.exit(bool({'difflib', 'tbtui.cli.options.suggestions', 'tbtui.plugins'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


@pytest.mark.skipif(not FULL.exists(), reason="there is no full device")
@pytest.mark.parametrize(
    "words", ["help", "help export", "--help", "export --help", "--version", "completion zsh", "cache"]
)
def test_help_on_a_full_stdout_prints_one_line_and_returns_2(tmp_path: Path, words: str) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    for target, message in ((">&-", b"stdout is closed"), (f">{FULL}", b"stdout cannot be written: No space left")):
        done = subprocess.run(
            ["sh", "-c", f'"$@" {target}', "sh", sys.executable, "-m", "tbtui", *words.split()],
            env=environment,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr.startswith(b"tbtui: " + message)
        assert done.stderr.count(b"\n") == 1
