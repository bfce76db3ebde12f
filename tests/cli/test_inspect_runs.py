"""Test the run status, restarts, gaps and health that `tbtui inspect` reports."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tests.helpers.inspect_command import inspected
from tests.helpers.log_directory import FILE, START, LogDirectory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    return LogDirectory(tmp_path / "logs")


def report_on(root: Path) -> dict[str, Any]:
    code, text = inspected("--json", root)
    assert code == 0
    runs: dict[str, Any] = json.loads(text)["runs"]
    return runs


def table_of(root: Path, *words: str, width: int = 80) -> list[str]:
    code, text = inspected(*words, root, width=width)
    assert code == 0
    return text.splitlines()


def hparams(path: Path, status: int | None = 1, **values: float | str) -> None:
    """Append a session with these hyperparameters."""
    data = get_message_class("HParamsPluginData")()
    for name, value in values.items():
        setattr(
            data.session_start_info.hparams[name], "string_value" if isinstance(value, str) else "number_value", value
        )
    contents = {"_hparams_/session_start_info": data.SerializeToString()}
    if status is not None:
        end = get_message_class("HParamsPluginData")()
        end.session_end_info.status = status
        contents["_hparams_/session_end_info"] = end.SerializeToString()
    with EventFileWriter(str(path)) as writer:
        event: Any = get_message_class("Event")(wall_time=1.6e9, step=0)
        for tag, content in contents.items():
            value = event.summary.value.add(tag=tag)
            value.metadata.plugin_data.plugin_name, value.metadata.plugin_data.content = "hparams", content
        writer.event(event)


def age(path: Path, seconds: float = 100_000) -> None:
    """Let a file look as if its last write was so long ago."""
    written = time.time() - seconds
    os.utime(path, (written, written))


def timed(path: Path, times: Iterable[float], steps: Iterable[int] | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for number, (wall_time, step) in enumerate(zip(times, steps or range(10**6), strict=False)):
            writer.scalar("loss", number / 2, step, wall_time)


def test_inspect_run_has_the_documented_names(logs: LogDirectory) -> None:
    age(logs.log(".", range(20)))
    run = report_on(logs.root)["."]
    assert {name: run[name] for name in run if name not in {"files", "tags", "state"}} == {
        "trouble": None,
        "last_step": 19,
        "first_wall_time": START,
        "last_wall_time": START + 19,
        "clock_offset": None,
        "wall_time_unit": "seconds",
        "steps_per_second": 1.0,
        "restart_count": 0,
        "restarts": [],
        "gap_count": 0,
        "gaps": [],
        "hparams": None,
        "plugins": {"scalars": {"tags": 1, "values": 20, "bytes": None}},
        "set_aside": [],
        "assets": [],
        "folded_into": None,
    }


def test_inspect_lists_a_copy_and_the_reason(logs: LogDirectory) -> None:
    path = logs.log(".", range(20))
    path.with_name(f"{path.name}.bak").write_bytes(path.read_bytes()[:600])
    run = report_on(logs.root)["."]
    reason = f"the same bytes as the beginning of {path.name}"
    assert run["set_aside"] == [{"path": f"{path}.bak", "bytes": 600, "reason": reason}]
    assert (run["tags"]["loss"]["count"], run["restart_count"], len(run["files"])) == (20, 0, 1)
    code, text = inspected(logs.root, width=200)
    assert code == 0
    assert f"  set aside: {path.name}.bak, 600 bytes, {reason}\n" in text


def test_inspect_restarts_and_gaps_have_their_steps(logs: LogDirectory) -> None:
    timed(logs.path("."), [START + n for n in range(30)], [*range(20), *range(15, 25)])
    timed(logs.path(".", f"{FILE}.2"), [START + 9_000 + n for n in range(30)], range(500, 530))
    run = report_on(logs.root)["."]
    assert run["restarts"] == [{"from_step": 19, "to_step": 15, "wall_time": START + 20, "tags": 1}]
    silence, steps = sorted(run["gaps"], key=lambda gap: gap["kind"])
    assert silence == {
        "kind": "silence",
        "after_step": 24,
        "before_step": 500,
        "after_wall_time": START + 29,
        "before_wall_time": START + 9_000,
    }
    assert (steps["kind"], steps["after_step"], steps["before_step"]) == ("steps", 24, 500)
    lines = table_of(logs.root)
    assert "  restart at step 15 from 19 (1 tag, 2026-09-21 14:13:40)" in lines
    assert "  no steps between 24 and 500" in lines
    assert any(line.startswith("  silent for 2h30m between steps 24 and 500") for line in lines)


@pytest.mark.parametrize(
    ("ages", "state"),
    [(range(100, 0, -1), "writing"), (range(250, 100, -1), "active"), (range(10**6, 10**6 - 90, -1), "over")],
)
def test_inspect_run_status(logs: LogDirectory, ages: range, state: str) -> None:
    now = time.time()
    timed(logs.path("."), [now - seconds for seconds in ages])
    age(logs.path("."), ages[-1])
    assert report_on(logs.root)["."]["state"] == state


def test_inspect_run_with_all_clocks_ahead_has_unknown_status(logs: LogDirectory) -> None:
    timed(logs.path("."), [time.time() + 9_000])
    age(logs.path("."), -9_000)
    assert report_on(logs.root)["."]["state"] == "unknown"


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (90, "its clock 1m32s ahead"),
        (3_660, "its clock 1h1m ahead"),
        (-3_660, "its clock 1h1m behind"),
        (5, None),
    ],
)
def test_inspect_run_with_a_wrong_clock_is_being_written(logs: LogDirectory, offset: float, words: str | None) -> None:
    now = time.time()
    timed(logs.path("."), [now + offset - 100 + second for second in range(101)])
    age(logs.path("."), 2)
    run = report_on(logs.root)["."]
    assert run["state"] == "writing"
    assert run["clock_offset"] == (None if words is None else pytest.approx(offset + 2, abs=1))
    first = next(line for line in table_of(logs.root) if "being written" in line)
    assert first.endswith(f"pace 1/s{'' if words is None else ', ' + words}")
    assert words is None or any(f"last write {seconds} seconds ago" in first for seconds in range(2, 10))


def test_inspect_run_with_simulated_times_is_being_written(logs: LogDirectory) -> None:
    timed(logs.path("."), [float(second) for second in range(101)])
    run = report_on(logs.root)["."]
    assert run["state"] == "writing"
    assert run["clock_offset"] == pytest.approx(100 - time.time(), abs=60)


def test_inspect_copy_of_an_old_log_is_over_after_five_minutes(logs: LogDirectory) -> None:
    timed(logs.path("."), [START + second for second in range(100)])
    age(logs.path("."), 301)
    run = report_on(logs.root)["."]
    assert (run["state"], run["clock_offset"]) == ("over", None)


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")])
def test_inspect_names_the_unit_of_wall_times_that_are_not_seconds(
    logs: LogDirectory, factor: float, unit: str
) -> None:
    timed(logs.path("."), [(START + second) * factor for second in range(30)])
    age(logs.path("."), 7_200)
    run = report_on(logs.root)["."]
    assert (run["wall_time_unit"], run["clock_offset"], run["state"]) == (unit, None, "over")
    assert f"  its wall times look like {unit}; TensorBoard expects seconds" in table_of(logs.root)
    text = " ".join(line.strip() for line in table_of(logs.root))
    assert "2026-09-21 14:13:20, for 29s, by tbtui" in text


@pytest.mark.parametrize(("status", "state"), [(1, "done"), (2, "failed"), (None, "over")])
def test_inspect_session_has_its_end_status(logs: LogDirectory, status: int | None, state: str) -> None:
    logs.log("run", range(3), start=1.6e9)
    hparams(logs.path("run"), status, lr=0.1)
    age(logs.path("run"))
    assert report_on(logs.root)["run"]["state"] == state


def test_inspect_run_without_values_is_empty(logs: LogDirectory) -> None:
    logs.log("run", [])
    assert report_on(logs.root)["run"]["state"] == "empty"


def test_inspect_run_health_is_reported(logs: LogDirectory) -> None:
    with EventFileWriter(str(logs.root / FILE)) as writer:
        for step in range(5):
            writer.scalar("loss", float("nan") if step > 2 else 1.0, step, START + step)
    assert report_on(logs.root)["."]["trouble"] == {"kind": "nan", "tag": "loss", "step": 3}
    assert "  NaN from step 3 in loss" in table_of(logs.root)


def test_inspect_hyperparameters_are_those_of_the_last_session(logs: LogDirectory) -> None:
    logs.root.mkdir(exist_ok=True)
    hparams(logs.root / FILE, lr=0.1, note="one, two", bad=float("nan"))
    hparams(logs.root / FILE, lr=0.001, note="one, two", bad=float("nan"))
    assert report_on(logs.root)["."]["hparams"] == {
        "values": {"bad": "NaN", "lr": 0.001, "note": "one, two"},
        "status": "success",
        "group": "",
        "sessions": 2,
        "changed": ["lr"],
        "problems": [],
        "declared_but_never_written": [],
        "outside_domain": [],
        "logged_at_step_0": [],
    }
    lines = table_of(logs.root)
    assert "  hyperparameters: bad=NaN, lr=0.001, note=one, two" in lines
    assert "  the last of 2 sessions in this run; between them changed lr" in lines


def test_inspect_counts_records_once_per_plugin(logs: LogDirectory) -> None:
    event: Any = get_message_class("Event")(wall_time=START, step=1)
    for tag in "ab":
        event.summary.value.add(tag=tag, histo=get_message_class("HistogramProto")(bucket_limit=[1.0], bucket=[1.0]))
    with EventFileWriter(str(logs.root / FILE)) as writer:
        writer.event(event)
        writer.image("picture", bytes(1_000), 9, 9, 0, START)
    plugins = report_on(logs.root)["."]["plugins"]
    assert plugins["histograms"] == {"tags": 2, "values": 2, "bytes": len(event.SerializeToString()) + 16}
    assert plugins["images"]["bytes"] > 1_000


class TestTable:
    def test_inspect_many_runs_have_a_line_each_and_few_a_block(self, logs: LogDirectory) -> None:
        for number in range(20):
            logs.log(f"run{number:02}", range(number + 1))
        logs.path("run17").write_bytes(logs.path("run17").read_bytes() + b"\xff" * 40)
        lines = table_of(logs.root)
        table = lines.index("") + 1
        listed = [line.split()[0] for line in lines[table : table + 21]]
        assert listed == ["run", *(f"run{number:02}" for number in range(20))]
        blocks = [line for line in lines[table + 21 :] if line.startswith("run")]
        assert blocks == [*(f"run{number:02}" for number in range(11)), "run17"]
        assert lines[-1] == "8 more runs without a block here: --runs REGEX or --all shows them"
        assert "damaged" in next(line for line in lines if line.startswith("run17 "))
        whole = table_of(logs.root, "--all")
        assert sum(line.startswith("run") for line in whole) == 41

    def test_inspect_many_tags_are_abbreviated(self, logs: LogDirectory) -> None:
        with EventFileWriter(str(logs.root / FILE)) as writer:
            for number in range(60):
                writer.scalar(f"tag{number:02}", 1.0, 0, START)
        lines = table_of(logs.root)
        assert lines[-2].startswith("    tag39 ")
        assert lines[-1] == "    20 more tags of scalars: --tags REGEX or --all shows them"
        assert table_of(logs.root, "--all")[-1].startswith("    tag59 ")

    @pytest.mark.parametrize("width", [20, 40, 69, 80, 200])
    def test_inspect_lines_fit_the_width_with_whole_long_names(self, logs: LogDirectory, width: int) -> None:
        long = "train/layers/transformer/block_11/attention/query"
        logs.log("a" * 30, range(9), tag=long)
        logs.log("b", [0, 1, 2, 1], tag=long)
        lines = table_of(logs.root, width=width)
        assert long in "".join("".join(lines).split())
        assert all(len(line) <= width for line in lines)


class TestCheck:
    def test_inspect_check_without_damage_returns_0(
        self, logs: LogDirectory, capsys: pytest.CaptureFixture[str]
    ) -> None:
        logs.log("run", range(5))
        logs.log("empty", [])
        logs.path("empty").write_bytes(b"")
        assert main(["inspect", "--check", str(logs.root)]) == 0
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_inspect_check_reports_damage_with_file_and_offset(
        self, logs: LogDirectory, capsys: pytest.CaptureFixture[str], options: list[str]
    ) -> None:
        logs.log("fine", range(5))
        path = logs.log("run", range(5))
        content = bytearray(path.read_bytes())
        content[-5] ^= 1
        path.write_bytes(content)
        assert main(["inspect", str(logs.root), *options]) == 0
        capsys.readouterr()
        assert main(["inspect", "--check", str(logs.root), *options]) == 1
        stderr = capsys.readouterr().err
        assert stderr.startswith(f"tbtui: damage: 1 place in 1 file; first {path} at byte ")
        assert stderr.count("\n") == 1
        assert main(["inspect", "--check", str(logs.root), "--runs", "fine"]) == 0

    def test_inspect_check_truncated_tail_is_damage_once_idle(self, logs: LogDirectory) -> None:
        path = logs.log("run", range(5))
        path.write_bytes(path.read_bytes()[:-3])
        assert main(["inspect", "--check", str(logs.root)]) == 0
        os.utime(path, (START - 10**6, START - 10**6))
        assert main(["inspect", "--check", str(logs.root)]) == 1


def test_inspect_of_a_profile_alone_says_what_is_there(logs: LogDirectory) -> None:
    path = logs.root / "run" / "plugins" / "profile" / "now" / "vm.xplane.pb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x22\x04host")
    code, text = inspected(logs.root, width=200)
    assert (code, text.splitlines()[1]) == (0, "  run: 1 profile of vm")
    code, text = inspected("--json", logs.root)
    assert code == 0
    assert json.loads(text)["assets"]["run"]["descriptions"] == ["1 profile of vm"]
    (asset,) = json.loads(text)["runs"]["run"]["assets"]
    assert (asset["kind"], asset["tag"], asset["path"], asset["bytes"]) == ("profile", "now", str(path), 6)
