"""Test completion: the offered words, and the scripts in the shells that are installed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.app.theme_names import list_theme_names
from tbtui.app.themes import NAMES
from tbtui.cli.options import COMMANDS
from tbtui.cli.options.complete import complete
from tbtui.cli.options.completion import SHELLS, build_completion_script
from tbtui.cli.options.suggestions import get_parser
from tbtui.plugins.registry import list_tabs
from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(tbtui.__file__).parents[1]


def words(*typed: str) -> list[str]:
    return [word for word, _ in complete(typed).words]


def test_completion_first_word_is_a_command_or_path() -> None:
    assert words("") == list(COMMANDS)
    assert complete([""]).paths == "paths"
    assert words("exp") == ["export"]
    assert words("lo") == []
    assert complete(["lo"]).paths == "paths"


def test_completion_commands_have_descriptions() -> None:
    for name, meaning in complete([""]).words:
        assert get_parser(name).summary.startswith(meaning)


@pytest.mark.parametrize("name", ["dashboard", *COMMANDS])
def test_completion_offers_every_option_of_every_command(name: str) -> None:
    before = [] if name == "dashboard" else [name]
    offered = words(*before, "-")
    for action in get_parser(name).options:
        assert action.option_strings[-1] in offered
    assert complete([*before, "-"]).paths == "none"


@pytest.mark.parametrize("name", ["dashboard", *COMMANDS])
def test_completion_offers_every_choice_of_every_option(name: str) -> None:
    before = [] if name == "dashboard" else [name]
    for action in get_parser(name).options:
        if action.choices is not None:
            choices = [str(choice) for choice in action.choices]
            option = action.option_strings[-1]
            assert words(*before, option, "") == choices
            if option.startswith("--"):
                assert words(*before, f"{option}=") == [f"{option}={choice}" for choice in choices]


def test_completion_options_may_follow_paths() -> None:
    assert words("logs", "--x-axis", "s") == ["step"]
    assert words("logs", "--x-axis=w") == ["--x-axis=wall"]
    assert complete(["--runs", "a", "lo"]).paths == "paths"
    assert complete(["a", "--runs", "a", "b", "--fresh", ""]).paths == "paths"
    assert words("a", "--runs", "a", "--smoo") == ["--smoothing"]


def test_completion_command_is_only_the_first_word() -> None:
    assert words("logs", "exp") == []
    assert "--plugin" not in words("logs", "export", "-")


def test_completion_option_values_are_not_options() -> None:
    assert complete(["--runs", ""]) == complete(["--runs", "lo"])
    assert str(complete(["--runs", ""])) == "none\n"
    assert words("--runs", "--x-axis", "--fre") == ["--fresh"]


def test_completion_option_is_offered_once_and_not_with_exclusions() -> None:
    assert "--fresh" not in words("--fresh", "-")
    assert words("cache", "--info", "-") == ["--help"]
    assert words("cache", "") == ["--help", "--info", "--clear"]


def test_completion_after_two_dashes_offers_paths() -> None:
    assert str(complete(["--", "-"])) == "paths\n"


def test_completion_named_path_is_completed_after_its_name() -> None:
    assert complete(["a:lo"]).paths == "named"
    assert complete(["inspect", "b", "a:"]).paths == "named"
    assert [complete([typed]).paths for typed in ("./a:b", "a/b:c", "~/a:b")] == ["paths"] * 3


def test_completion_file_options_complete_files() -> None:
    assert str(complete(["export", "-o", ""])) == "paths\n"
    assert str(complete(["export", "logs", "-o", "a:b"])) == "paths\n"


def test_completion_tabs_and_themes_are_those_available() -> None:
    from textual.theme import BUILTIN_THEMES

    assert words("--tab", "") == [plugin.name for plugin in list_tabs()]
    assert words("--theme", "") == list(list_theme_names())
    assert set(list_theme_names()) == {*NAMES, *BUILTIN_THEMES}
    assert words("help", "") == list(COMMANDS)
    assert words("completion", "") == list(SHELLS)


def test_completion_unknown_option_returns_nothing() -> None:
    assert str(complete(["--nonsense=", ""])) == str(complete(["x", ""]))
    assert str(complete(["--nonsense="])) == "none\n"
    assert str(complete(["--fresh="])) == "none\n"
    assert str(complete([]))
    assert str(complete(["completion", "bash", "x"])) == "none\n"


def test_completion_prints_one_word_per_line() -> None:
    assert str(complete(["--x-axis", "s"])) == "none\nstep\t\n"
    for line in str(complete(["-"])).splitlines()[1:]:
        assert line.count("\t") == 1
        assert line.partition("\t")[2].isprintable()


@pytest.mark.parametrize("typed", [["-"], ["--tab", ""], ["--theme", ""], [""]])
def test_completion_imports_nothing_heavy(typed: list[str]) -> None:
    program = f"""
import os, sys
os.environ["_TBTUI_COMPLETE"] = "bash"
sys.argv[1:] = {typed!r}
from tbtui.cli import main
ended = os._exit
main.os._exit = lambda code: ended(code or bool({{"textual", "numpy", "google.protobuf", "rich"}} & set(sys.modules)))
main.program()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == str(complete(typed))


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_scripts_are_printed_and_valid(shell: str, tmp_path: Path) -> None:
    printed = subprocess.run(product("completion", shell), capture_output=True, timeout=60, check=False)
    assert (printed.returncode, printed.stderr) == (0, b"")
    assert printed.stdout.decode() == build_completion_script(shell)
    assert f"_TBTUI_COMPLETE={shell}" in build_completion_script(shell)
    if shutil.which(shell):
        (tmp_path / "script").write_bytes(printed.stdout)
        assert subprocess.run([shell, "-n", str(tmp_path / "script")], timeout=60, check=False).returncode == 0


CLEARED = "\x15", "\x0c"
"""Keys that clear the line and the screen without a command that changes the terminal."""

BEGINNINGS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "set -u; bind 'set bell-style none'; PS1='> '"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -D; unsetopt beep; PS1='> '"),
    "fish": (["fish", "--no-config", "-i"], "function fish_prompt; echo '> '; end; set fish_color_autosuggestion"),
}
LOADED = {
    "bash": 'eval "$(tbtui completion bash)"; clear; echo rea""dy',
    "zsh": 'eval "$(tbtui completion zsh)"; clear; echo rea""dy',
    "fish": 'tbtui completion fish | source; clear; echo rea""dy',
}


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PtyApp]:
    """Start a shell with completion of tbtui in a directory with a few others."""
    if not shutil.which(request.param):
        pytest.skip(f"there is no {request.param}")
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "logs" / "run one").mkdir(parents=True)
    (folder / "other").mkdir()
    programs = folder / "bin"
    programs.mkdir()
    (programs / "tbtui").write_text(f'#!/bin/sh\nexec {shlex.join(product())} "$@"\n')
    (programs / "tbtui").chmod(0o755)
    command, prepare = BEGINNINGS[request.param]
    environment = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(CHECKOUT),
        "HOME": str(folder),
        "ZDOTDIR": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "LANG": "C.UTF-8",
    }
    with PtyApp(command, size=(100, 12), env=environment, cwd=folder) as app:
        app.send(prepare, "enter", LOADED[request.param], "enter")
        app.until(r"(?m)^ready\s*$")
        yield app


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("tbtui expo", r"tbtui export "),
        ("tbtui --x-a", r"tbtui --x-axis "),
        ("tbtui lo", r"tbtui logs/"),
        ("tbtui logs --x-axis r", r"tbtui logs --x-axis relative "),
        ("tbtui logs --images=six", r"tbtui logs --images=sixel"),
        ("tbtui --runs 'a|b' logs/r", r"tbtui --runs 'a\|b' logs/run\\ one/"),
        ("tbtui a:lo", r"tbtui a:logs/"),
        ("tbtui ~/lo", r"tbtui ~/logs/"),
        ('tbtui "logs/ru', r'tbtui "logs/run one"?/'),
        ("true && tbtui export logs -o ot", r"true && tbtui export logs -o other/"),
        ("X=1 tbtui --tab hist", r"X=1 tbtui --tab histograms "),
        ("tbtui --theme tbtui-l", r"tbtui --theme tbtui-light"),
        ("tbtui cache --cl", r"tbtui cache --clear"),
        ("~/bin/tbtui completion fi", r"~/bin/tbtui completion fish"),
    ],
)
def test_completion_tab_completes_in_a_shell(shell: PtyApp, typed: str, completed: str) -> None:
    shell.send(*CLEARED)
    shell.until(r"\A> *\n")
    shell.send(typed, "tab")
    shell.until(rf"> *{completed}")


def test_completion_two_tabs_list_the_choices(shell: PtyApp) -> None:
    shell.send(*CLEARED)
    shell.until(r"\A> *\n")
    shell.send("tbtui --x-axis ", "tab", "tab")
    shell.until(r"(?s)(relative.*step|step.*relative)")
    assert "logs" not in shell.text
    shell.send("\x15", "\x03")
