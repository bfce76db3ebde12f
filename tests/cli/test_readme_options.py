"""The README's tables of options say what the parsers understand."""

from __future__ import annotations

import pytest

from tbtui.cli.options import COMMANDS
from tbtui.cli.options.suggestions import parser_of
from tests.cli import readme_options as made

pytestmark = pytest.mark.skipif(not made.README.exists(), reason="this tree has no README")


def test_the_readme_has_the_options_of_all_parsers() -> None:
    text = made.README.read_text("utf-8")
    assert text.count(made.BEGIN) == text.count(made.END) == 1
    assert text == made.written_anew(text), "write it anew: python -m tests.cli.readme_options"


@pytest.mark.parametrize("name", ["dashboard", *COMMANDS])
def test_every_option_of_every_command_has_a_row(name: str) -> None:
    tables = made.tables()
    for action in parser_of(name).options:
        assert all(option in tables for option in action.option_strings)
        assert f"`{made.spelling(action)}`" in tables


def test_what_is_shared_stands_once() -> None:
    assert made.tables().count("`--runs REGEX`") == 1


def test_what_a_table_cannot_hold_is_escaped() -> None:
    parser = parser_of("inspect")
    parser.add_argument("--either", help="a|b")
    assert "| `--either EITHER` | a\\|b |" in made.rows(parser)


def test_written_anew_it_changes_nothing_else() -> None:
    text = f"before\n{made.BEGIN}out of date\n{made.END}behind\n"
    anew = made.written_anew(text)
    assert anew.startswith(f"before\n{made.BEGIN}")
    assert anew.endswith(f"{made.END}behind\n")
    assert "out of date" not in anew
    assert made.written_anew(anew) == anew
