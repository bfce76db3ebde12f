"""Test flame graphs: calls merged by their stacks, and their drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.plugins.profile.flame import build_flame, draw_flame, measure_matches, stack_lines
from tbtui.plugins.profile.trace import EventTexts
from tests.plugins.test_profile_traces import analysis_of, event

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.profile.capture import Analysis


@pytest.fixture
def analysis(tmp_path: Path) -> Analysis:
    def python(name: str, ts: float, dur: float) -> dict[str, object]:
        return event(name, ts, dur, cat="python_function")

    events = [
        python("train.py(1): step", 0, 100),
        python("nn.Module: Net_0", 10, 60),
        event("aten::mm", 20, 30),
        event("aten::mm", 55, 10),
        event("aten::add", 75, 20),
        python("train.py(1): step", 200, 100),
        event("aten::add", 210, 50),
        event("launch", 212, 3, cat="cuda_runtime", args={"correlation": 5}),
        event("kernel", 230, 40, cat="kernel", pid=0, tid=7, args={"correlation": 5}),
    ]
    return analysis_of(tmp_path, events)


def test_calls_of_one_stack_are_one_frame(analysis: Analysis) -> None:
    flame = build_flame(analysis, "calls", "host", None)
    frames = {flame.names[frame]: frame for frame in range(len(flame.names))}
    step, net = frames["train.py(1): step"], frames["nn.Module: Net_0"]
    assert (flame.totals[0], flame.totals[step], flame.self_times[step], flame.counts[step]) == (200, 200, 70, 2)
    assert (flame.totals[net], flame.self_times[net]) == (60, 20)
    assert [flame.names[frame] for frame in flame.children(step)] == ["aten::add", "nn.Module: Net_0"]
    assert stack_lines(flame, net)[:3] == ["all", "  train.py(1): step", "    nn.Module: Net_0"]


def test_stacks_of_modules_and_operators_leave_out_the_rest(analysis: Analysis) -> None:
    modules = build_flame(analysis, "modules", "host", None)
    assert set(modules.names) == {"all", "nn.Module: Net_0", "aten::mm", "aten::add"}
    operators = build_flame(analysis, "operators", "host", None)
    assert set(operators.names) == {"all", "aten::mm", "aten::add"}
    assert operators.totals[0] == 110


@pytest.fixture
def trained(tmp_path: Path) -> Analysis:
    """Return a forward operator in a module, and its backward operator on another thread, which an arrow links."""

    def arrow(phase: str, ts: float, tid: int) -> dict[str, object]:
        return {"ph": phase, "cat": "fwdbwd", "name": "fwdbwd", "id": 3, "pid": 1, "tid": tid, "ts": ts, "bp": "e"}

    def memory(ts: float, tid: int, size: int, address: int) -> dict[str, object]:
        details = {"Bytes": size, "Addr": address, "Device Type": 0, "Device Id": -1}
        return {"ph": "i", "name": "[memory]", "pid": 1, "tid": tid, "ts": ts, "args": details}

    events = [
        event("nn.Module: Net_0", 0, 60, cat="python_function"),
        event("nn.Module: Linear_0", 5, 50, cat="python_function"),
        event("aten::addmm", 10, 30),
        arrow("s", 10, 1),
        event("autograd::engine::evaluate_function: AddmmBackward0", 100, 40, tid=2),
        event("AddmmBackward0", 105, 30, tid=2),
        arrow("f", 105, 2),
        event("aten::mm", 110, 20, tid=2),
        event("aten::add_", 150, 5, tid=2),
        memory(112, 2, 4096, 1),
        memory(12, 1, 1024, 2),
    ]
    return analysis_of(tmp_path, events)


def test_flame_places_backward_operators_on_the_module_of_the_forward_ones(trained: Analysis) -> None:
    flame = build_flame(trained, "modules", "host", None)
    frames = {flame.names[frame]: frame for frame in range(len(flame.names))}
    linear, backward = frames["nn.Module: Linear_0"], frames["AddmmBackward0"]
    outer = frames["autograd::engine::evaluate_function: AddmmBackward0"]
    assert [flame.parents[each] for each in (backward, outer, frames["aten::add_"])] == [outer, linear, 0]
    assert flame.totals[linear] == 50 + 40
    assert flame.totals[frames["nn.Module: Net_0"]] == 60 + 40
    assert flame.totals[0] == 60 + 40 + 5
    assert flame.depths[frames["aten::mm"]] == 5


def test_memory_of_the_backward_pass_lies_with_the_module_of_the_forward_pass(trained: Analysis) -> None:
    (memory,) = trained.memory
    assert memory.modules == (("Linear_0", 4096 + 1024),)


def test_time_of_devices_lies_with_the_operator_that_launched(analysis: Analysis) -> None:
    flame = build_flame(analysis, "calls", "device", None)
    assert flame.totals[0] == 40
    widths = {flame.names[frame]: flame.totals[frame] for frame in range(len(flame.names)) if flame.totals[frame]}
    assert widths == {"all": 40, "train.py(1): step": 40, "aten::add": 40}


def test_frames_are_side_by_side_within_their_caller(analysis: Analysis) -> None:
    flame = build_flame(analysis, "calls", "host", None)
    for frame in range(1, len(flame.names)):
        parent = int(flame.parents[frame])
        assert flame.starts[frame] >= flame.starts[parent]
        assert flame.starts[frame] + flame.totals[frame] <= flame.starts[parent] + flame.totals[parent] + 1e-9


def test_matches_have_the_share_of_their_time(analysis: Analysis) -> None:
    flame = build_flame(analysis, "calls", "host", None)
    matches = np.array([name in {"aten::mm", "nn.Module: Net_0"} for name in flame.names])
    assert measure_matches(flame, matches) == pytest.approx(60 / 200)


def test_drawing_has_a_row_for_each_depth(analysis: Analysis) -> None:
    flame = build_flame(analysis, "calls", "host", None)
    lines = draw_flame(flame, 80, 6).text().splitlines()
    assert lines[0].strip() == "all"
    assert "train.py(1): step" in lines[1]
    assert "Net_0" in lines[2]
    assert "aten::mm" in lines[3]
    net = flame.names.index("nn.Module: Net_0")
    zoomed = draw_flame(flame, 80, 6, focus=net, cursor=net).text().splitlines()
    assert "Net_0" in zoomed[2]
    assert "aten::add" not in "\n".join(zoomed)


def test_capture_without_calls_says_so(tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, [event("kernel", 0, 5, cat="kernel", pid=0, tid=7)])
    flame = build_flame(analysis, "operators", "host", None)
    assert "no time was recorded here" in draw_flame(flame, 60, 4).text()


def test_backward_operators_lie_with_the_module_of_their_forward_operator(tmp_path: Path) -> None:
    def arrow(phase: str, ts: float, tid: int) -> dict[str, object]:
        return {"ph": phase, "cat": "fwdbwd", "name": "fwdbwd", "id": 4, "ts": ts, "pid": 1, "tid": tid}

    events = [
        event("nn.Module: Net_0", 0, 50, cat="python_function"),
        event("aten::addmm", 10, 20),
        event("AddmmBackward0", 100, 40, tid=2),
        event("aten::mm", 110, 10, tid=2),
        event("aten::zero_", 200, 10, tid=2),
        arrow("s", 10, 1),
        arrow("f", 100, 2),
    ]
    analysis = analysis_of(tmp_path, events)
    *_, group = analysis.group("module")
    assert isinstance(group, EventTexts)
    rows = {analysis.trace.name(row): row for row in range(len(analysis.trace))}
    groups = {
        name: group.texts[group.numbers[rows[name]]]
        for name in ("aten::addmm", "AddmmBackward0", "aten::mm", "aten::zero_")
    }
    assert groups == {"aten::addmm": "Net_0", "AddmmBackward0": "Net_0", "aten::mm": "Net_0", "aten::zero_": "(none)"}
