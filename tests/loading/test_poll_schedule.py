from __future__ import annotations

import math

import pytest

from tbtui.loading.logdir import PollSchedule


@pytest.mark.parametrize(("quiet", "seconds"), [(-5, 1), (0, 1), (8, 1), (30, 3), (100, 10), (1e6, 10)])
def test_polled_files_are_looked_at_the_more_often_the_more_they_are_written(quiet: float, seconds: float) -> None:
    assert PollSchedule().look_after(quiet, notified=False) == seconds


@pytest.mark.parametrize("quiet", [0, 1e6])
def test_files_that_the_file_system_tells_of_are_seldom_looked_at(quiet: float) -> None:
    assert PollSchedule().look_after(quiet, notified=True) == 10


@pytest.mark.parametrize("notified", [True, False])
@pytest.mark.parametrize("quiet", [0, 1e6])
def test_the_user_knows_better(quiet: float, notified: bool) -> None:
    assert PollSchedule(2.5).look_after(quiet, notified=notified) == 2.5
    assert PollSchedule(2.5).walk_after(0.1, notified=notified) == 2.5


@pytest.mark.parametrize("notified", [True, False])
def test_zero_means_never_again(notified: bool) -> None:
    assert PollSchedule(0).look_after(0, notified=notified) == math.inf
    assert PollSchedule(0).walk_after(0, notified=notified) == math.inf


@pytest.mark.parametrize(("cost", "polled", "notified"), [(0.001, 3, 30), (0.2, 10, 30), (4, 200, 200)])
def test_long_walks_are_seldom(cost: float, polled: float, notified: float) -> None:
    assert PollSchedule().walk_after(cost, notified=False) == polled
    assert PollSchedule().walk_after(cost, notified=True) == notified
    assert PollSchedule(1).walk_after(cost, notified=False) == max(1, cost)
