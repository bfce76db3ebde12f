"""Test the command line: accepted arguments, and the messages for invalid ones."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tbtui import __version__
from tbtui.cli.arguments import complete_name
from tbtui.cli.dashboard import _complete_names
from tbtui.cli.main import main
from tbtui.cli.options.dashboard import parse as parse_dashboard
from tbtui.cli.options.export import ALL
from tbtui.cli.options.export import parse as parse_export
from tbtui.cli.options.inspect import parse as parse_inspect
from tbtui.cli.options.parser import get_option_name
from tbtui.cli.options.print import parse as parse_print
from tbtui.export.formats import FORMATS
from tbtui.plugins.registry import list_exports, list_plugin_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path


def parsed(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments without options of single dashboards that were not given."""
    optional = {get_option_name(declared) for declared in list_plugin_settings()}
    return {name: value for name, value in vars(arguments).items() if value is not None or name not in optional}


def test_dashboard_parses_all_options() -> None:
    words = (
        "a --runs adam --tags ^loss --tab scalars --smoothing .9 --x-axis wall --max-steps 100000 --alert"
        " --reload 2.5 --glyphs blocks --images sixel --theme nord --player mpv --split-runs files --fold-runs no"
        " --fresh --no-cache --jobs 3 b"
    )
    assert parsed(parse_dashboard(words.split())) == {
        "paths": ["a", "b"],
        "runs": "adam",
        "tags": "^loss",
        "tab": "scalars",
        "smoothing": 0.9,
        "x_axis": "wall",
        "max_steps": 100_000,
        "split_runs": "files",
        "fold_runs": "no",
        "chain_runs": None,
        "x_tag": None,
        "alert": True,
        "reload": 2.5,
        "glyphs": "blocks",
        "images": "sixel",
        "theme": "nord",
        "player": "mpv",
        "fresh": True,
        "jobs": 3,
        "no_cache": True,
        "demo": False,
    }


THEMES = {name: name for name in ("tbtui-dark", "tbtui-light", "ansi-dark", "nord")}


@pytest.mark.parametrize(
    ("word", "name"),
    [("nord", "nord"), ("NORD", "nord"), ("n", "nord"), ("TBTUI_L", "tbtui-light"), ("ansi dark", "ansi-dark")],
)
def test_complete_name_any_case_and_unique_beginning_return_the_name(word: str, name: str) -> None:
    assert complete_name("theme", word, THEMES) == name


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("tbtui", "'tbtui' is the beginning of several themes: tbtui-dark, tbtui-light"),
        ("loud", "unknown theme 'loud'; choose from tbtui-dark, tbtui-light, ansi-dark, nord"),
        ("", "unknown theme ''; choose from tbtui-dark, tbtui-light, ansi-dark, nord"),
    ],
)
def test_complete_name_unknown_and_ambiguous_words_list_the_names(word: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        complete_name("theme", word, THEMES)


def test_dashboard_tab_is_completed_by_name_or_title() -> None:
    for word, name in (
        ("Compare", "comparison"),
        ("pr curves", "pr_curves"),
        ("hist", "histograms"),
        ("PR", "pr_curves"),
    ):
        arguments = parse_dashboard(["--tab", word, "--theme", "ANSI-L"])
        _complete_names(arguments)
        assert (arguments.tab, arguments.theme) == (name, "ansi-light")


@pytest.mark.parametrize("parse", [parse_print, parse_export])
@pytest.mark.parametrize(
    ("word", "name"),
    [("Compare", "comparison"), ("pr", "pr_curves"), ("HIST", "histograms"), ("custom", "custom_scalars")],
)
def test_plugin_is_completed_by_name_or_title(parse: Any, word: str, name: str) -> None:
    assert parse(["logs", "--plugin", word]).plugin == name


def test_dashboard_missing_options_are_none() -> None:
    arguments = parse_dashboard([])
    assert arguments.paths == []
    assert {arguments.runs, arguments.tags, arguments.smoothing, arguments.x_axis, arguments.reload} == {None}


def test_inspect_parses_paths_filters_and_json() -> None:
    arguments = parse_inspect(["x", "--json", "--runs", "r"])
    assert (arguments.paths, arguments.json, arguments.runs, arguments.tags) == (["x"], True, "r", None)


def test_export_parses_all_options() -> None:
    words = (
        "a --runs adam --tags ^loss --plugin scalars --format jsonl -o out.jsonl --force --current"
        " --no-cache --jobs 0 --wide --x-axis order b"
    )
    assert parsed(parse_export(words.split())) == {
        "paths": ["a", "b"],
        "runs": "adam",
        "tags": "^loss",
        "plugin": "scalars",
        "format": "jsonl",
        "output": "out.jsonl",
        "force": True,
        "split_runs": "no",
        "chain_runs": "no",
        "baseline": None,
        "fold_runs": "no",
        "current": True,
        "wide": True,
        "x_axis": "order",
        "x_tag": None,
        "jobs": 0,
        "no_cache": True,
    }


def test_export_defaults_to_all_stored_scalars_on_stdout() -> None:
    assert parsed(parse_export([])) == {
        "paths": [],
        "runs": None,
        "tags": None,
        "plugin": "scalars",
        "format": None,
        "output": None,
        "force": False,
        "split_runs": "no",
        "chain_runs": "no",
        "baseline": None,
        "fold_runs": "no",
        "current": False,
        "wide": False,
        "x_axis": None,
        "x_tag": None,
        "jobs": None,
        "no_cache": False,
    }


@pytest.mark.parametrize("plugin", [*list_exports(), ALL])
def test_export_accepts_every_kind_of_data(plugin: str) -> None:
    assert parse_export(["--plugin", plugin]).plugin == plugin


def test_export_accepts_every_format() -> None:
    assert [parse_export(["--format", form]).format for form in FORMATS] == list(FORMATS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--smoothing 1", "0 to 0.999"),
        ("--smoothing nan", "0 to 0.999"),
        ("--smoothing much", "0 to 0.999"),
        ("--max-steps 0", "whole number from 1"),
        ("--max-steps 1.5", "whole number from 1"),
        ("--max-steps many", "whole number from 1"),
        ("--max-steps 9223372036854775808", "whole number from 1"),
        ("--jobs=-1", "whole number from 0 to 64"),
        ("--jobs 65", "whole number from 0 to 64"),
        ("inspect --jobs 1.5", "whole number from 0 to 64"),
        ("export --jobs all", "whole number from 0 to 64"),
        ("--reload=-1", "seconds from 0"),
        ("--reload inf", "seconds from 0"),
        ("--x-axis epoch", "--x-axis"),
        ("--smooth .5", "--smooth"),
        ("--nonsense", "--nonsense"),
        ("--demo logs", "leave out"),
        ("inspect --smoothing .5", "--smoothing"),
        ("export --format xml", "--format"),
        ("export --plugin pictures", "--plugin"),
        ("export -o", "-o"),
        ("export --json", "--json"),
    ],
)
def test_invalid_arguments_print_one_line_and_return_2(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert out == ""
    assert err.startswith("tbtui: ")
    assert message in err
    assert err.endswith("--help)\n")
    assert err.count("\n") == 1


def test_invalid_argument_is_escaped_for_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--x-axis", "a\x1b]0;title\x07\nb"])
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [["--help"], ["print", "--help"], ["inspect", "--help"], ["export", "--help"]])
def test_help_shows_examples_within_80_columns(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert "examples:" in out
    assert max(map(len, out.splitlines())) <= 80


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"tbtui {__version__}\n"


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["print", "--help"], ["inspect", "--help"], ["export", "--help"]]
)
def test_help_and_version_import_nothing_heavy(words: list[str]) -> None:
    program = f"""
import sys
from tbtui.cli.main import main
try:
    main({words!r})
except SystemExit:
    heavy = {{"textual", "numpy", "google.protobuf", "rich", "PIL"}} & set(sys.modules)
    sys.exit(f"imported: {{sorted(heavy)}}" if heavy else 0)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("command", ["inspect", "print"])
def test_print_commands_import_no_textual(command: str, tmp_path: Path) -> None:
    program = f"""
import sys
from tbtui.cli.main import main
main([{command!r}, {str(tmp_path)!r}])
sys.exit("imported Textual" if "textual" in sys.modules else 0)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("parse", [parse_dashboard, parse_export, parse_inspect])
def test_arguments_after_two_dashes_are_paths(parse: Callable[[Sequence[str]], argparse.Namespace]) -> None:
    assert parse(["a", "--runs", "x", "b", "--", "-dash", "--", "--tags"]).paths == ["a", "b", "-dash", "--", "--tags"]
    assert parse(["--"]).paths == []
