"""Test the groups of events: the module or function around each, and the forward operator of the backward pass."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.profile.groups import find_innermost_python
from tests.plugins.test_profile_traces import analysis_of, event

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("seed", range(4))
def test_innermost_function_equals_that_of_a_search(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    kinds = ["cpu_op", "python_function"]
    events = [
        event(f"e{number}", chance.randrange(60), chance.randrange(1, 30), cat=chance.choice(kinds), tid=number % 2)
        for number in range(60)
    ]
    analysis = analysis_of(tmp_path, events)
    trace = analysis.trace
    found = find_innermost_python(analysis, modules=False)
    assert found is not None
    for row in range(len(trace)):
        stack: list[int] = []
        for before in range(trace.track(int(trace.track_ids[row])).start, row):
            while stack and trace.ends[stack[-1]] <= trace.starts[before]:
                stack.pop()
            if analysis.trace.kinds[before] == 3:
                stack.append(before)
        while stack and trace.ends[stack[-1]] <= trace.starts[row]:
            stack.pop()
        assert found[row] == (stack[-1] if stack else -1)


def test_capture_without_functions_has_no_modules(tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, [event("aten::mm", 0, 5)])
    *_, modules = analysis.group("module")
    assert not isinstance(modules, float)
    assert modules.texts == ("(none)",)
