"""Test profiles outside the terminal: print, export, inspect and Python."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import tbtui
from tbtui.cli.main import main

CORPUS = Path(__file__).parents[1] / "corpus" / "profile"


def test_print_tells_breakdown_advice_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", "--plugin", "profile", str(CORPUS / "public" / "amd_mi250"), "--width", "100"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("rank0 · ")
    assert "1 step of 9.288 ms" in lines[0]
    assert any(line.split()[:2] == ["launching", "6.699"] for line in lines)
    assert any(line.startswith("▲ launch-bound: GPU 2 waits for the host 9.14 of 9.29 ms a step") for line in lines)
    assert len(lines) <= 45
    assert all(len(line) <= 100 for line in lines)


def test_print_without_a_plugin_shows_the_profile_of_a_directory_with_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["print", str(CORPUS / "tf")]) == 0
    assert "waiting for input" in capsys.readouterr().out


def test_print_of_an_unreadable_profile_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rank0.pt.trace.json").write_text("{\x1b[31m")
    assert main(["print", "--plugin", "profile", str(tmp_path)]) == 0
    assert "rank0.pt.trace.json holds no traceEvents: it is no trace of a profiler" in capsys.readouterr().out


@pytest.mark.parametrize("plugin", ["steps", "operators", "kernels", "events"])
def test_tables_have_rows_of_each_capture(plugin: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--plugin", plugin, str(CORPUS / "public")]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["run"] for row in rows} >= {"alexnet_a100", "amd_mi250", "triton"}
    columns = tbtui.open(CORPUS / "public", cache=False).columns(plugin=plugin)
    assert len(columns["run"]) == len(rows)


def test_exported_events_are_those_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--plugin", "events", str(CORPUS / "public" / "triton")]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    kernel = next(row for row in rows if row["kind"] == "kernel")
    assert (kernel["name"], kernel["track"], kernel["step"], float(kernel["duration_us"])) == (
        "triton_poi_fused_add_cos_sin_0",
        "stream 7",
        "1",
        pytest.approx(1.76),
    )


def test_export_counts_profiles_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rank0.pt.trace.json").write_text("{}")
    main(["export", "--plugin", "operators", str(tmp_path)])
    assert "holds no traceEvents" in capsys.readouterr().err


def test_inspect_lists_the_files_of_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", str(CORPUS / "jax")]) == 0
    run = json.loads(capsys.readouterr().out)["runs"]["steps"]
    assert run["state"] == "assets"
    assert [asset["tag"] for asset in run["assets"]] == ["2026_11_25_04_47_48"] * 2


def test_profiles_in_python_have_steps_tables_and_events() -> None:
    run = tbtui.open(CORPUS / "public" / "amd_mi250", cache=False)["."]
    (profile,) = run.profiles
    assert [step.number for step in profile.steps] == [1]
    assert sum(times[0] for times in profile.breakdown.values()) == pytest.approx(profile.steps[0].duration)
    assert profile.kernels()[0].calls == 2
    assert {row.name: row.calls for row in profile.operators()}["aten::addmm"] == 1
    assert len(profile.events("hipLaunchKernel")["start"]) == 12
    assert profile.advice[0].startswith("launch-bound")


def test_print_says_that_operators_of_no_step_are_those_of_the_capture(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", "--plugin", "profile", str(CORPUS / "jax")]) == 0
    assert "operator, whole capture" in capsys.readouterr().out
    assert main(["print", "--plugin", "profile", str(CORPUS / "torch")]) == 0
    assert "operator, all 3 steps" in capsys.readouterr().out


def test_profile_that_cannot_be_read_raises_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "rank0.pt.trace.json").write_text("{}")
    (profile,) = tbtui.open(tmp_path, cache=False)["."].profiles
    with pytest.raises(tbtui.PayloadError, match="holds no traceEvents"):
        _ = profile.steps


def test_inspect_counts_events_and_names_what_was_not_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(CORPUS / "torch")]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "w0: 7,758 events, 169.9 ms a step ±97.0 % · 3 steps, CPU" in text
    assert "not recorded: no device activity: ProfilerActivity.CUDA" in text
    assert main(["inspect", str(CORPUS.parent / "writers"), "--runs", "^tf/v1$"]) == 0
    assert "profile step2 in run metadata: 29 events, 1 step of 202.1 µs, CPU" in capsys.readouterr().out
    (tmp_path / "rank0.pt.trace.json").write_text("{}")
    assert main(["inspect", str(tmp_path)]) == 0
    assert "! rank0.pt.trace.json holds no traceEvents" in capsys.readouterr().out


def slowed(path: Path, factor: float) -> Path:
    """Write a capture of one marked step, whose times are multiplied by a factor."""

    def event(category: str, name: str, start: float, length: float) -> dict[str, object]:
        times = {"ts": start * factor, "dur": length * factor}
        return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, **times}

    events = [event("user_annotation", "ProfilerStep#1", 0, 1000), event("cpu_op", "aten::mm", 100, 500)]
    path.mkdir()
    (path / "rank0.pt.trace.json").write_text(json.dumps({"traceEvents": events}))
    return path


@pytest.mark.parametrize(("factor", "code", "words"), [(1.2, 1, "20.0 % slower"), (1.04, 0, "4.0 % slower")])
def test_print_fails_if_a_step_is_slower_than_allowed(
    tmp_path: Path, factor: float, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    now, before = slowed(tmp_path / "now", factor), slowed(tmp_path / "before", 1.0)
    command = ["print", str(now), "--plugin", "profile", "--baseline", str(before)]
    assert main([*command, "--max-slower", "5%"]) == code
    assert words in capsys.readouterr().out
    assert main(command) == 0
    assert any(line.split()[0] == "aten::mm" for line in capsys.readouterr().out.splitlines() if line)


def test_print_fails_if_the_baseline_has_no_such_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now, before = slowed(tmp_path / "now", 1.0), CORPUS / "public"
    assert main(["print", str(now), "--plugin", "profile", "--baseline", str(before), "--max-slower", "5"]) == 1
    assert "the baseline has no profile of this name" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--plugin", "profile", "--max-slower", "5"], "--max-slower needs a --baseline"),
        (["--plugin", "scalars", "--baseline", "x"], "--baseline is for --plugin profile"),
        (["--plugin", "profile", "--baseline", "nowhere"], "nowhere"),
        (["--plugin", "profile", "--max-slower", "much"], "percent"),
    ],
)
def test_options_of_a_baseline_are_checked(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["print", str(CORPUS / "public"), *options])
    except SystemExit as stopped:
        code = int(str(stopped.code))
    assert code == 2
    assert words in capsys.readouterr().err
