from __future__ import annotations

import math

import pytest

from tbtui.loading.run_queue import PollSchedule


@pytest.mark.parametrize(("quiet", "seconds"), [(-5, 1), (0, 1), (8, 1), (30, 3), (100, 10), (1e6, 10)])
def test_poll_schedule_interval_follows_the_write_rate(quiet: float, seconds: float) -> None:
    assert PollSchedule().poll_after(quiet, notified=False) == seconds


@pytest.mark.parametrize("quiet", [0, 1e6])
def test_poll_schedule_watched_files_are_rarely_checked(quiet: float) -> None:
    assert PollSchedule().poll_after(quiet, notified=True) == 10


@pytest.mark.parametrize("notified", [True, False])
@pytest.mark.parametrize("quiet", [0, 1e6])
def test_poll_schedule_reload_option_overrides_the_interval(quiet: float, notified: bool) -> None:
    assert PollSchedule(2.5).poll_after(quiet, notified=notified) == 2.5
    assert PollSchedule(2.5).walk_after(0.1, notified=notified) == 2.5


@pytest.mark.parametrize("notified", [True, False])
def test_poll_schedule_zero_never_polls_again(notified: bool) -> None:
    assert PollSchedule(0).poll_after(0, notified=notified) == math.inf
    assert PollSchedule(0).walk_after(0, notified=notified) == math.inf


@pytest.mark.parametrize(("cost", "polled", "notified"), [(0.001, 3, 30), (0.2, 10, 60), (4, 200, 1200)])
def test_poll_schedule_long_walks_are_rare(cost: float, polled: float, notified: float) -> None:
    assert PollSchedule().walk_after(cost, notified=False) == polled
    assert PollSchedule().walk_after(cost, notified=True) == notified
    assert PollSchedule(1).walk_after(cost, notified=False) == max(1, cost)
