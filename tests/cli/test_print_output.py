"""Test formats, colours, files, pipes and error messages of `tbtui print`."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import tbtui
from tests.helpers.log_directory import NO_FILES
from tests.helpers.print_command import Stream, log_values, printed

CHECKOUT = Path(tbtui.__file__).parents[1]
SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    log_values(tmp_path / "logs", "a", [3, 2, 1])
    log_values(tmp_path / "logs", "b", [1, 2, 3])
    return tmp_path / "logs"


def shell(*words: object, **streams: int) -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    argv = [sys.executable, "-m", "tbtui", "print", *map(str, words)]
    streams.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(argv, env=environ, stderr=subprocess.PIPE, check=False, timeout=60, **streams)


# Colours


@pytest.mark.parametrize(
    ("glyphs", "environ", "has"),
    [
        ("auto", {}, "braille"),
        ("auto", {"MLTERM": "3.9"}, "blocks"),
        ("auto", {"TERM": "linux"}, "ascii"),
        ("blocks", {}, "blocks"),
        ("ascii", {}, "ascii"),
    ],
)
def test_print_draws_lines_in_the_glyphs_of_the_font(
    tmp_path: Path, glyphs: str, environ: dict[str, str], has: str
) -> None:
    log_values(tmp_path, "run ä", [3, 1, 2] * 9)
    words = (tmp_path, "--color", "always", "--glyphs", glyphs)
    text = SGR.sub("", printed(*words, out=Stream(is_terminal=True), **{"TERM": "xterm", **environ}).out)
    found = {sign for sign in text if sign >= "\u2500"}
    assert any("\u2801" <= sign <= "\u28ff" for sign in found) == (has == "braille")
    assert any("\u2580" <= sign <= "\u259f" for sign in found) == (has == "blocks")
    assert (not found) == (has == "ascii")
    assert "run ä" in text, "names are data"


@pytest.mark.parametrize(
    ("words", "terminal", "environ", "has_colours"),
    [
        ([], False, {}, False),
        ([], True, {"TERM": "xterm"}, True),
        ([], True, {"TERM": "dumb"}, False),
        ([], True, {}, False),
        ([], True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (["--color", "never"], True, {"TERM": "xterm"}, False),
        (["--color", "always"], False, {}, True),
        (["--color", "always"], False, {"NO_COLOR": "1"}, True),
        (["--format", "ansi"], False, {}, True),
        (["--format", "ansi"], False, {"NO_COLOR": "1"}, False),
        (["--format", "text"], True, {"TERM": "xterm"}, False),
        (["--format", "markdown"], True, {"TERM": "xterm"}, False),
    ],
)
def test_print_colours_are_written_if_allowed(
    logs: Path, words: list[str], terminal: bool, environ: dict[str, str], has_colours: bool
) -> None:
    shown = printed(logs, *words, out=Stream(is_terminal=terminal), **environ)
    assert ("\x1b" in shown.out) == has_colours
    assert "\x1b" not in SGR.sub("", shown.out)


def test_print_colours_follow_the_palette_and_stay_with_runs(logs: Path) -> None:
    def colours(*words: str, **environ: str) -> dict[str, str]:
        out = printed(logs, "--color", "always", *words, **environ).out
        return {name: code for code, name in re.findall(r"\x1b\[([0-9;]+)m([ab]) *\x1b", out)}

    assert colours() == {"a": "96", "b": "33"}
    assert colours("--runs", "b") == {"b": "33"}
    assert colours(COLORTERM="truecolor") == {"a": "38;2;86;180;233", "b": "38;2;230;159;0"}
    assert colours(COLORTERM="truecolor", COLORFGBG="0;15") == {"a": "38;2;0;130;240", "b": "38;2;190;110;0"}


def test_print_coloured_lines_are_dots_and_lines_end_reset(logs: Path) -> None:
    shown = printed(logs, "--color", "always")
    assert re.search("[\u2801-\u28ff]", shown.out)
    assert all(line.endswith("\x1b[0m") for line in shown.lines if "\x1b" in line)


# Size


def test_print_width_is_the_terminal_or_the_option(logs: Path) -> None:
    def widest(*words: object, **environ: str) -> int:
        return max(map(len, printed(logs, *words, **environ).lines))

    assert widest() == 80
    assert widest(COLUMNS="100") == 100
    assert widest("--width", 61, COLUMNS="100") == 61


def test_print_height_applies_to_each_chart(logs: Path) -> None:
    heights = [len(printed(logs, "--height", height).lines) for height in (5, 20)]
    assert heights == [1 + 5 + 3, 1 + 20 + 3]


# Markdown


def test_print_markdown_has_tables_code_and_escaped_names(tmp_path: Path) -> None:
    log_values(tmp_path, "a_b|c", [1, 2], tag="loss*<b>`x`")
    log_values(tmp_path, "d", [1, 2], tag="loss*<b>`x`")
    shown = printed(tmp_path, "--format", "markdown", "--height", 4)
    assert shown.lines[0] == r"### loss\*\<b\>\`x\` · 2 runs · steps 0–1"
    assert shown.lines[2] == "```text"
    assert shown.lines[7] == "```"
    assert shown.lines[9].startswith("|  | run | last | step |")
    assert shown.lines[10].startswith("| :-- | :-- | --: | --: |")
    assert shown.lines[11].startswith(r"| A | a\_b\|c | 2 | 1 |")


# Files


def test_print_file_is_complete_and_its_extension_selects_the_format(logs: Path, tmp_path: Path) -> None:
    for name, begins in (("a.txt", "loss"), ("a.md", "### loss"), ("a.ansi", "\x1b[1mloss"), ("a.svg", "<svg")):
        assert printed(logs, "-o", tmp_path / name)[:2] == (0, "")
        assert begins in (tmp_path / name).read_text("utf-8")[:200]


def test_print_existing_file_needs_force(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("mine")
    refused = printed(logs, "-o", out)
    assert (refused.code, refused.err) == (2, f"tbtui: {out} exists already (--force replaces it)\n")
    assert out.read_text() == "mine"
    assert printed(logs, "-o", out, "--force").code == 0
    assert out.read_text("utf-8").startswith("loss")


def test_print_without_matches_creates_no_file(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    assert printed(logs, "-o", out, "--tags", "nothing").code == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["nowhere"], 2, "tbtui: nowhere: no such file or directory"),
        (["--tags", "("], 2, "tbtui: --tags '(' is not a regular expression (missing )), and no name"),
        (["--runs", "zzz"], 1, "nothing matches --runs 'zzz': there are "),
        (["--plugin", "audio"], 1, "no sounds"),
        (["--plugin", "audio", "--tags", "loss"], 1, "what --tags matches has no sounds"),
        (["--plugin", "audio", "--runs", ".", "--tags", "."], 1, "what --runs and --tags match has no sounds"),
        (["--plugin", "sounds"], 2, "argument --plugin: unknown kind of data 'sounds'; choose from scalars, "),
        (["--format", "pdf"], 2, "argument --format: invalid choice: 'pdf'"),
        (["--width", "3"], 2, "argument --width: '3' is not a whole number from 20 to 1000"),
        (["--height", "x"], 2, "argument --height: 'x' is not a whole number from 3 to 500"),
        (["--max-runs", "-1"], 2, "argument --max-runs: '-1' is not a whole number from 0 on"),
        (["--step", "1.5"], 2, "argument --step: '1.5' is not a whole number"),
        (["--watch", "0"], 2, "--watch needs a number of seconds above 0"),
        (["--watch", "1", "-o", "file"], 2, "--watch draws on stdout"),
        (["--watch", "1", "--format", "svg"], 2, "--watch draws text: svg is written once"),
        (["-o", "/nowhere/at/all"], 2, "/nowhere/at/all cannot be written"),
        (["--plugin", "text", "--format", "svg"], 2, "texts have no drawing"),
    ],
)
def test_print_invalid_arguments_are_one_plain_line(logs: Path, words: list[str], code: int, says: str) -> None:
    paths = [] if "nowhere" in words else [logs]
    shown = printed(*paths, *words)
    assert (shown.code, shown.out) == (code, "")
    assert says in shown.err
    assert shown.err.count("\n") == 1


def test_print_endless_pattern_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbtui.cli.arguments.FILTER_SECONDS", 0.1)
    log_values(tmp_path, "a" * 60, [1])
    shown = printed(tmp_path, "--runs", "(a|aa)+$^")
    assert shown.code == 2
    assert "cannot be searched for: too slow" in shown.err


def test_print_empty_directory_has_no_event_files(tmp_path: Path) -> None:
    assert printed(tmp_path)[:3] == (1, "", f"tbtui: {tmp_path}: {NO_FILES}\n")


def test_print_damage_is_reported_beside_readable_values(logs: Path) -> None:
    file = next((logs / "a").iterdir())
    data = bytearray(file.read_bytes())
    data[60:64] = b"\0\0\0\0"
    file.write_bytes(bytes(data))
    shown = printed(logs)
    assert shown.code == 0
    assert "damaged, shown as far as it can be read" in shown.err


def test_print_record_with_wrong_checksum_is_skipped_and_reported(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [1.0, 7.25, 3.0])
    file = next((tmp_path / "run").iterdir())
    file.write_bytes(file.read_bytes().replace(struct.pack("<f", 7.25), struct.pack("<f", 7.5)))
    shown = printed(tmp_path)
    assert (shown.code, "7.5" in shown.out, "7.25" in shown.out) == (0, False, False)
    assert "3" in shown.out
    assert shown.err == f"tbtui: {file}: damaged, shown as far as it can be read (see tbtui inspect)\n"


# Processes


def test_print_closed_pipe_is_no_error(logs: Path) -> None:
    for tag in range(60):
        log_values(logs, "a", [1, 2], tag=f"tag{tag}")
    read, write = os.pipe()
    os.close(read)
    try:
        ended = shell(logs, "--max-tags", 0, stdout=write)
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full disk to write to")
def test_print_full_disk_is_reported(logs: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = shell(logs, stdout=full.fileno())
    assert (ended.returncode, ended.stderr) == (2, b"tbtui: stdout cannot be written: No space left on device\n")


def test_print_imports_no_textual_and_nothing_heavy(logs: Path) -> None:
    program = (
        "import sys\n"
        "from tbtui.cli.main import main\n"
        f"main(['print', {str(logs)!r}])\n"
        "heavy = {'textual', 'PIL', 'watchfiles', 'unittest'} & set(sys.modules)\n"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)"
    )
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    ended = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
