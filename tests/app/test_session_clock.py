"""The session clock while the wall clock is set."""

from __future__ import annotations

import time

import pytest

from tbtui.app.state import create_session_clock, measure_elapsed_seconds
from tbtui.run_health.ages import format_freshness
from tbtui.run_health.conditions import compute_age
from tbtui.run_health.summaries import RunSummary
from tests.helpers.log_directory import START, Clock


@pytest.mark.parametrize("jump", [-86400.0, -61.0, 61.0, 86400.0])
def test_session_clock_ignores_changes_of_the_wall_clock(jump: float) -> None:
    wall, since_boot = Clock(START), Clock()
    clock = create_session_clock(wall, since_boot)
    since_boot.advance(10)
    wall.advance(10 + jump)
    writing = RunSummary({}, 1, 1, wall() - 1, arrived=clock() - 1)  # its writer tells the new time
    dead = RunSummary({}, 1, 1, START - 600)
    assert format_freshness(compute_age(writing, clock())) == "live"
    assert format_freshness(compute_age(dead, clock())) == "last write 10m ago"


def test_session_clock_agrees_with_the_wall_clock() -> None:
    assert abs(create_session_clock()() - time.time()) < 5
    before = measure_elapsed_seconds()
    assert measure_elapsed_seconds() >= before
