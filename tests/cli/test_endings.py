"""Test that the extension of an output file must match its format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.cli.main import main
from tbtui.cli.options import compare as compare_options
from tbtui.cli.options import export as export_options
from tbtui.cli.options import inspect as inspect_options
from tbtui.cli.options.parser import PRINT_SUFFIXES, TABLE_SUFFIXES
from tbtui.cli.options.print import FORMATS
from tbtui.cli.options.print import parse as parse_print
from tbtui.export.formats import ARROW_ENDINGS, TABLE_FORMATS, choose_table_format
from tbtui.plugins.graphs import FORMATS as GRAPHS
from tbtui.plugins.graphs.export import SUFFIXES

if TYPE_CHECKING:
    from pathlib import Path

WHICH = {"compare": "--json and --markdown say which", "inspect": "--json says which"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("print -o loss.pdf", "loss.pdf: written as text, ansi, markdown, svg or png, not as pdf"),
        ("print -o a/loss.JPG", "a/loss.JPG: written as text, ansi, markdown, svg or png, not as jpg"),
        ("print -o all.csv", "all.csv: written as text, ansi, markdown, svg or png, not as csv"),
        ("export -o all.xlsx", "all.xlsx: written as csv, json, jsonl, parquet or arrow, not as xlsx"),
        ("export -o all.csv.gz", "all.csv.gz: written as csv, json, jsonl, parquet or arrow, not as gz"),
        ("export -o loss.svg", "loss.svg: written as csv, json, jsonl, parquet or arrow, not as svg"),
        ("export --plugin graphs -o g.png", "g.png: written as dot, mermaid, svg, pbtxt or json, not as png"),
        ("compare -o runs.csv", "runs.csv: written as text, markdown or json, not as csv"),
        ("inspect -o logs.md", "logs.md: written as text or json, not as md"),
    ],
)
def test_extension_of_another_format_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    command = words.split(maxsplit=1)[0]
    with pytest.raises(SystemExit) as end:
        main(words.split())
    assert end.value.code == 2
    assert capsys.readouterr() == (
        "",
        f"tbtui: {message} ({WHICH.get(command, '--format says which')}) (see tbtui {command} --help)\n",
    )
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "name", ["-", "report.log", "run.2", "lr1e-3.v0.5", "plain", "x.txt", "x.ansi", "x.MD", "x.png"]
)
def test_extension_without_a_format_is_accepted(name: str) -> None:
    assert parse_print(["-o", name]).output == name


def test_extension_is_not_needed_with_an_explicit_format() -> None:
    assert parse_print(["--format", "text", "-o", "x.pdf"]).output == "x.pdf"
    assert export_options.parse(["--format", "csv", "-o", "x.tsv"]).output == "x.tsv"
    assert compare_options.parse(["--markdown", "-o", "x.html"]).output == "x.html"
    assert inspect_options.parse(["--json", "-o", "x.yaml"]).output == "x.yaml"


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ([], "text"),
        (["-o", "-"], "text"),
        (["-o", "report.log"], "text"),
        (["-o", "a.txt"], "text"),
        (["-o", "a.MD"], "markdown"),
        (["-o", "a.json"], "json"),
        (["--markdown", "-o", "a.json"], "markdown"),
        (["--json", "-o", "a.txt"], "json"),
    ],
)
def test_extension_selects_the_format_of_a_comparison(words: list[str], form: str) -> None:
    message = compare_options.parse(words)
    assert (message.json, message.markdown) == (form == "json", form == "markdown")
    if "--markdown" not in words and form != "markdown":
        assert inspect_options.parse(words).json == (form == "json")


@pytest.mark.parametrize("plugin", ["images", "audio", "all"])
def test_extension_of_a_folder_is_ignored(plugin: str) -> None:
    assert export_options.parse(["--plugin", plugin, "-o", "out.zip"]).output == "out.zip"


def test_extensions_are_those_of_the_writers(tmp_path: Path) -> None:
    assert tuple(PRINT_SUFFIXES) == FORMATS
    assert {form: tuple(f".{end}" for end in ends) for form, ends in GRAPHS.items()} == SUFFIXES
    assert tuple(TABLE_SUFFIXES) == TABLE_FORMATS
    assert {ending[1:] for ending in ARROW_ENDINGS} == {*TABLE_SUFFIXES["parquet"], *TABLE_SUFFIXES["arrow"]}
    assert {choose_table_format(tmp_path / f"x.{end}") for ends in TABLE_SUFFIXES.values() for end in ends} == set(
        TABLE_SUFFIXES
    )
