from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tests.helpers.inspect_command import inspected
from tests.helpers.log_directory import FILE, NO_FILES, START, LogDirectory

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "evil\x1b[31m\x1b]0;title\x07\n\u202e[bold]" + "x" * 4_000


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    made = LogDirectory(tmp_path / "logs")
    made.log("train", range(5))
    made.log("train", range(3), tag="acc")
    made.log("eval", range(2))
    return made


def run_inspect(
    *paths: object, as_json: bool = True, runs: str | None = None, tags: str | None = None
) -> tuple[int, str]:
    """Return the exit code of a command and its stdout."""
    filters = [f"--{name}={pattern}" for name, pattern in (("runs", runs), ("tags", tags)) if pattern is not None]
    return inspected(*(["--json"] if as_json else []), *filters, *paths)


def report_on(*paths: object, **filters: str) -> dict[str, Any]:
    code, text = run_inspect(*paths, **filters)
    assert code == 0
    report: dict[str, Any] = json.loads(text)
    return report


def values(path: Path, numbers: list[float], start: float = START) -> None:
    with EventFileWriter(str(path)) as writer:
        for step, number in enumerate(numbers):
            writer.scalar("loss", number, step, start + step)


def test_inspect_json_has_the_documented_names(logs: LogDirectory) -> None:
    report = report_on(logs.root)
    assert report["logdir"] == str(logs.root)
    assert list(report["runs"]) == ["eval", "train"]
    (file,) = report["runs"]["train"]["files"]
    assert file == {
        "path": str(logs.path("train")),
        "bytes": logs.path("train").stat().st_size,
        "records": 9,
        "writer": "tbtui",
        "first_wall_time": START,
        "last_wall_time": START + 2,
        "state": "ok",
        "problems": [],
        "modified": logs.path("train").stat().st_mtime_ns / 1e9,
    }
    assert report["runs"]["train"]["tags"]["acc"] == {
        "plugin": "scalars",
        "count": 3,
        "superseded": 0,
        "first_step": 0,
        "last_step": 2,
        "first_wall_time": START,
        "last_wall_time": START + 2,
        "first": 0.0,
        "last": 4.0,
        "min": 0.0,
        "max": 4.0,
        "nan": 0,
        "inf": 0,
    }


def test_inspect_other_kinds_have_no_numbers(logs: LogDirectory) -> None:
    with EventFileWriter(str(logs.path("train"))) as writer:
        writer.text("note", "hello", 7, START)
    assert report_on(logs.root)["runs"]["train"]["tags"]["note"] == {
        "plugin": "text",
        "count": 1,
        "superseded": 0,
        "first_step": 7,
        "last_step": 7,
        "first_wall_time": START,
        "last_wall_time": START,
    }


def test_inspect_non_finite_numbers_are_strings(tmp_path: Path) -> None:
    path = tmp_path / FILE
    values(path, [float("nan"), 1.5, float("inf"), -2.0, float("-inf")])
    tag = report_on(path)["runs"]["."]["tags"]["loss"]
    assert (tag["first"], tag["last"], tag["min"], tag["max"]) == ("NaN", "-Infinity", -2.0, 1.5)
    assert (tag["nan"], tag["inf"]) == (1, 2)


def test_inspect_without_finite_values_has_no_minimum_and_maximum(tmp_path: Path) -> None:
    values(tmp_path / FILE, [float("nan"), float("inf")])
    tag = report_on(tmp_path)["runs"]["."]["tags"]["loss"]
    assert (tag["min"], tag["max"]) == (None, None)


def test_inspect_nan_wall_time_is_a_string(tmp_path: Path) -> None:
    with EventFileWriter(str(tmp_path / FILE)) as writer:
        writer.scalar("loss", 1.0, 0, float("nan"))
    assert report_on(tmp_path)["runs"]["."]["tags"]["loss"]["first_wall_time"] == "NaN"


def test_inspect_numbers_round_trip_as_floats(tmp_path: Path) -> None:
    value = get_message_class("SummaryValue")(tag="loss")
    value.tensor.dtype = 2
    value.tensor.double_val.append(0.1 + 0.2)
    value.metadata.plugin_data.plugin_name = "scalars"
    event = get_message_class("Event")(wall_time=START + 1 / 3)
    event.summary.value.append(value)
    with EventFileWriter(str(tmp_path / FILE)) as writer:
        writer.event(event)
    tag = report_on(tmp_path)["runs"]["."]["tags"]["loss"]
    assert tag["first"] == 0.1 + 0.2
    assert tag["first_wall_time"] == START + 1 / 3


@pytest.mark.parametrize("name", ["plain", 'a "quoted" one', "back\\slash", "deleted \x7f", "tab\t", "caf\u00e9"])
@pytest.mark.parametrize("start", [START, START + 0.25, -START, 0.0, 1e16])
def test_inspect_paths_and_times_are_written_as_by_json(tmp_path: Path, name: str, start: float) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log(name, [1], start=start)
    _, text = run_inspect(logs.root)
    path, first = json.dumps(str(logs.path(name))), json.loads(text)["runs"][name]["files"][0]["first_wall_time"]
    assert f'{{"path": {path}, ' in text
    assert f'"first_wall_time": {first!r}, ' in text


def test_inspect_few_tags_are_written_as_many(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    tags = ("loss", "acc", "again", "once")
    for run, others in (("few", 0), ("many", 20)):
        for tag in (*tags, *map(str, range(others))):
            logs.log(run, range(1 if tag == "once" else 60), tag=tag)
        logs.log(run, range(20, 40), tag="again", start=START + 100)
    runs = report_on(logs.root)["runs"]
    assert list(runs["few"]["tags"]) == list(tags)
    assert runs["few"]["tags"]["again"]["superseded"]
    assert {tag: runs["many"]["tags"][tag] for tag in tags} == runs["few"]["tags"]


def test_inspect_counts_superseded_points_separately(logs: LogDirectory) -> None:
    logs.log("train", range(2, 8), file="events.out.tfevents.2.host", start=START + 10)
    tag = report_on(logs.root)["runs"]["train"]["tags"]["loss"]
    assert (tag["count"], tag["superseded"], tag["last_step"]) == (11, 3, 7)


def test_inspect_verifies_payload_checksums(logs: LogDirectory) -> None:
    path = logs.path("eval")
    content = bytearray(path.read_bytes())
    content[-5] ^= 1  # within the value of the last event
    path.write_bytes(content)
    (file,) = report_on(logs.root)["runs"]["eval"]["files"]
    assert file["state"] == "corrupt"
    assert [problem["kind"] for problem in file["problems"]] == ["payload_checksum"]


@pytest.mark.parametrize(("options", "kinds", "code"), [([], [], 0), (["--check"], ["payload_checksum"], 1)])
def test_inspect_verifies_long_values_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], kinds: list[str], code: int
) -> None:
    path = tmp_path / FILE
    with EventFileWriter(str(path)) as writer:
        writer.image("picture", bytes(100_000), 9, 9, 0, START)
        writer.scalar("loss", 0.5, 1, START)
    content = bytearray(path.read_bytes())
    content[50_000] ^= 1
    path.write_bytes(content)
    assert main(["inspect", "--json", *options, str(tmp_path)]) == code
    run = json.loads(capsys.readouterr().out)["runs"]["."]
    assert [problem["kind"] for problem in run["files"][0]["problems"]] == kinds
    counts = {name: tag["count"] for name, tag in run["tags"].items()}
    assert counts == ({"loss": 1} if kinds else {"picture": 1, "loss": 1})


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {"train": {"loss", "acc"}, "eval": {"loss"}}),
        ({"runs": "TRAIN"}, {"train": {"loss", "acc"}}),
        ({"runs": "a", "tags": "ss$"}, {"train": {"loss"}, "eval": {"loss"}}),
        ({"tags": "acc"}, {"train": {"acc"}}),
    ],
)
def test_inspect_filters_match_anywhere_and_ignore_case(
    logs: LogDirectory, filters: dict[str, str], expected: dict[str, set[str]]
) -> None:
    runs = report_on(logs.root, **filters)["runs"]
    assert {name: set(run["tags"]) for name, run in runs.items()} == expected


def test_inspect_several_paths_are_one_report(logs: LogDirectory) -> None:
    assert list(report_on(logs.root / "train", f"base:{logs.root / 'eval'}")["runs"]) == [".", "base"]


@pytest.mark.parametrize("as_json", [True, False])
def test_inspect_no_match_prints_one_line_and_returns_1(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    code, text = run_inspect(logs.root, as_json=as_json, runs="nothing of the kind")
    assert code == 1
    no_match = "nothing matches --runs 'nothing of the kind': there are 'eval', 'train'"
    assert capsys.readouterr().err == f"tbtui: {logs.root}: {no_match}\n"
    assert json.loads(text)["runs"] == {} if as_json else text == ""


@pytest.mark.parametrize("as_json", [True, False])
def test_inspect_no_event_files_prints_one_line_and_returns_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    code, text = run_inspect(tmp_path, as_json=as_json)
    assert code == 1
    assert json.loads(text) == {"logdir": str(tmp_path), "runs": {}, "assets": {}} if as_json else text == ""
    assert capsys.readouterr().err == f"tbtui: {tmp_path}: {NO_FILES}\n"


def test_inspect_missing_path_prints_one_line_and_returns_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run_inspect(tmp_path / "missing")
    assert (code, text) == (2, "")
    assert capsys.readouterr().err == f"tbtui: {tmp_path}/missing: no such file or directory\n"


def test_inspect_invalid_pattern_prints_one_line_and_returns_2(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_inspect(logs.root, runs="(")[0] == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_inspect_only_damage_sets_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xfe no event file at all\n" * 20)
    code, text = run_inspect(tmp_path)
    assert code == 1
    assert json.loads(text)["runs"]["."]["files"][0]["state"] == "corrupt"


@pytest.mark.parametrize("content", [b"", b"\x18\0\0"], ids=["empty", "cut"])
def test_inspect_file_without_events_yet_is_accepted(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert run_inspect(tmp_path)[0] == 0


def test_inspect_table_equals_the_json(logs: LogDirectory) -> None:
    code, text = run_inspect(logs.root / "train", as_json=False)
    assert code == 0
    heading, _, block = text.partition("\n\n")
    lines = block.splitlines()
    size = f"{logs.path('train').stat().st_size:,} bytes"
    assert " ".join(heading.split()) == f"{logs.root}/train: 1 run, 2 tags, 8 values, 1 file of {size}"
    assert lines[0] == "train", "the run in the log directory has its name"
    assert "last write" in lines[1]
    assert lines[2:] == [
        f"  {FILE}, {size}, 9 records, ok, 2026-09-21 14:13:20, for 2s, by tbtui",
        "  scalars  values  steps  first  last  least  greatest",
        "    loss        5    0…4      0     8      0         8",
        "    acc         3    0…2      0     4      0         4",
    ]


def test_inspect_table_reports_anomalies(tmp_path: Path) -> None:
    values(tmp_path / FILE, [1.0, float("nan"), float("inf")])
    values(tmp_path / f"{FILE}.2", [5.0, 6.0], START + 10)
    _, text = run_inspect(tmp_path, as_json=False)
    assert "3 superseded, 1 NaN, 1 Inf" in text


def test_inspect_table_lists_damage_with_its_offset(logs: LogDirectory) -> None:
    path = logs.path("eval")
    path.write_bytes(path.read_bytes() + b"\xff" * 40)
    _, text = run_inspect(logs.root, as_json=False)
    assert "1 of them damaged" in text.partition("scalars")[0]
    (line,) = [line for line in text.splitlines() if "!" in line]
    assert line.startswith(f"    ! at byte {path.stat().st_size - 40:,}: ")


def test_inspect_table_damage_of_a_whole_file_has_no_offset(logs: LogDirectory) -> None:
    logs.path("eval").write_bytes(b"")
    _, text = run_inspect(logs.root, as_json=False)
    (line,) = [line for line in text.splitlines() if "!" in line]
    assert line.strip() == "! is empty: nothing has been written yet"


@pytest.mark.parametrize("as_json", [True, False])
def test_inspect_escapes_names_from_files(tmp_path: Path, as_json: bool) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run \x1b[2J\u202e", [1], tag=HOSTILE)
    code, text = run_inspect(logs.root, as_json=as_json)
    assert code == 0
    assert all(char.isprintable() or char == "\n" for char in text)
    assert as_json or max(map(len, text.splitlines())) < 200


def test_inspect_prints_undecodable_names(tmp_path: Path) -> None:
    LogDirectory(tmp_path / "logs").log("not utf-8 \udcff", [1])
    for as_json in (True, False):
        code, text = run_inspect(tmp_path, as_json=as_json)
        assert code == 0
        text.encode()


def test_inspect_writes_to_stdout(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(logs.root), "--json", "--runs", "eval"]) == 0
    assert list(json.loads(capsys.readouterr().out)["runs"]) == ["eval"]


def test_inspect_without_unicode_prints_ascii(logs: LogDirectory) -> None:
    command = [sys.executable, "-m", "tbtui", "inspect", str(logs.root)]
    done = subprocess.run(
        command, capture_output=True, check=True, env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"}
    )
    assert b"0~4" in done.stdout


def test_inspect_imports_no_textual_or_late_numpy_modules(logs: LogDirectory) -> None:
    # numpy below 2 always imports its masked arrays.
    code = (
        "import sys, numpy; from tbtui.cli.main import main\n"
        "early = {'numpy.ma'} - set(sys.modules)\n"
        f"main(['inspect', {str(logs.root)!r}]); main(['inspect', '--json', {str(logs.root)!r}])\n"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('textual', 'watchfiles', 'PIL')]\n"
        "assert not early & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
