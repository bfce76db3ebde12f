"""Restarts and gaps of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.run_health import history
from tbtui.run_health.history import Gap, Gaps, History, Restart, find_history, find_uneven_series
from tbtui.store.run_series import RunSeries
from tbtui.store.scalar_table import ScalarTable, TagList
from tbtui.store.snapshot import Metadata, RunSnapshot, ScalarSeries
from tbtui.store.staging import TableSeries

if TYPE_CHECKING:
    from collections.abc import Sequence


def series(tag: str, steps: Sequence[int], times: Sequence[float] | None = None) -> ScalarSeries:
    made = np.array(steps, np.int64)
    wall = np.arange(len(made), dtype=np.float64) if times is None else np.array(times, np.float64)
    return ScalarSeries("run", tag, Metadata("scalars"), 1, made, wall, np.zeros(len(made)))


def seen(*held: ScalarSeries) -> History:
    run = RunSnapshot("run", 1, {one.tag: one for one in held})
    return find_history(run, find_uneven_series(run))


def test_what_several_tags_do_together_is_one_restart() -> None:
    found = seen(
        series("a", [0, 1, 2, 1, 2]), series("b", [0, 2, 0, 1], [0.1, 2.1, 3.1, 4.1]), series("c", [0, 4], [0, 4])
    )
    assert found.restarts == (Restart(2, 0, 3.0, 2),)


def test_a_tag_that_goes_back_again_begins_another_restart() -> None:
    found = seen(series("a", [0, 5, 3, 5, 9, 4, 9]), series("b", [0, 5, 9, 4, 5], [0, 1, 3, 5.5, 6]))
    assert found.restarts == (Restart(5, 3, 2.0, 1), Restart(9, 4, 5.0, 2))
    assert found.restart_count == 2


def test_a_step_that_is_logged_twice_is_no_restart() -> None:
    assert seen(series("a", [0, 1, 1, 2])) == History()


def test_many_restarts_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_LISTED", 3)
    found = seen(series("a", [0, 1] * 20))
    assert (len(found.restarts), found.restart_count) == (3, 19)


def test_a_silence_of_all_tags_is_a_gap() -> None:
    times = [*range(20), *range(5_000, 5_020)]
    found = seen(series("a", range(40), times))
    assert tuple(found.gaps) == (Gap("silence", 19, 20, 19.0, 5_000.0),)
    assert found.gaps[0].seconds == 4_981


def test_what_another_tag_writes_parts_a_silence() -> None:
    times = [*range(20), *range(5_000, 5_020)]
    found = seen(series("a", range(40), times), series("b", [0, 1], [100, 1_100]), series("c", [0, 1], [1_000, 900]))
    assert [(gap.after_wall_time, gap.before_wall_time) for gap in found.gaps] == [(100, 900), (1_100, 5_000)]


@pytest.mark.parametrize("pause", [250.0, 299.0])
def test_a_short_silence_is_none(pause: float) -> None:
    assert not seen(series("a", range(20), [*range(10), *(10 + pause + n for n in range(10))])).gaps


def test_where_writes_are_far_apart_a_silence_is_longer() -> None:
    times = [n * 600.0 for n in range(20)]
    assert not seen(series("a", range(20), [*times[:10], *(time + 6_000 for time in times[10:])])).gaps
    assert seen(series("a", range(20), [*times[:10], *(time + 12_000 for time in times[10:])])).gap_count == 1


def test_steps_that_were_left_out_are_a_gap() -> None:
    found = seen(series("a", [*range(0, 200, 10), *range(1_000, 1_200, 10)]))
    assert [(gap.kind, gap.after_step, gap.before_step, gap.steps) for gap in found.gaps] == [
        ("steps", 190, 1_000, 810)
    ]
    assert not seen(series("a", [*range(0, 200, 10), *range(280, 400, 10)])).gaps


def test_what_a_restart_superseded_is_no_gap() -> None:
    assert not seen(series("a", [*range(100), *range(5, 100)])).gaps


def test_few_values_tell_no_gap() -> None:
    assert not seen(series("a", [0, 1, 2, 500], [0, 1, 2, 90_000])).gaps


def test_of_many_gaps_the_longest_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_LISTED", 2)
    steps, times, step, time = [], [], 0, 0.0
    for number in range(5):
        for _ in range(30):
            steps.append(step)
            times.append(time)
            step, time = step + 1, time + 1
        step, time = step + 100 * (number + 1), time + 1_000 * (number + 1)
    found = seen(series("a", steps, times))
    assert found.gap_count == 8
    assert [round(gap.seconds) for gap in found.gaps if gap.kind == "silence"] == [3_001, 4_001]
    assert [gap.steps for gap in found.gaps if gap.kind == "steps"] == [301, 401]


@pytest.mark.parametrize("odd", [[np.nan] * 30, [np.inf] * 30, [1e308, -1e308] * 15, list(range(30, 0, -1))])
def test_wall_times_may_be_anything(odd: list[float]) -> None:
    assert seen(series("a", range(30), odd)).restarts == ()
    seen(series("a", [3, 1] * 15, odd))


def test_steps_may_be_as_far_apart_as_integers_reach() -> None:
    found = seen(series("a", [-(2**63), *range(20), 2**63 - 1]))
    assert {gap.kind for gap in found.gaps} == {"steps"}


def test_a_run_without_values_has_no_history() -> None:
    assert seen() == History()


@given(
    st.lists(st.lists(st.integers(0, 4_000), min_size=1, max_size=30), min_size=1, max_size=4),
    st.sampled_from([3, history.MAX_LISTED]),
    st.booleans(),
)
def test_gaps_of_a_table_equal_those_of_its_series(pauses: list[list[int]], listed: int, is_together: bool) -> None:
    if is_together:  # as most programs log: all tags at the same times
        pauses = [pauses[0]] * len(pauses)
    times = [np.cumsum(each).astype(np.float64) for each in pauses]
    steps = [np.cumsum(np.resize([1, 1, 1, 40], len(each))) for each in pauses]
    starts = np.cumsum([0, *map(len, pauses)])
    names = tuple(f"tag{number}" for number in range(len(pauses)))
    table = ScalarTable(
        TagList(names, (Metadata("scalars"),) * len(names)),
        starts,
        np.concatenate(steps),
        np.concatenate(times),
        np.zeros(starts[-1]),
    )
    whole = RunSnapshot("run", 1, RunSeries(table, TableSeries("run", 1, table), {}, names, {}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "MAX_LISTED", listed)
        assert find_history(whole, []) == find_history(RunSnapshot("run", 1, dict(whole.series)), [])


@given(st.lists(st.builds(Gap, st.sampled_from(["silence", "steps"]), *[st.integers(0, 9)] * 4)), st.integers(-3, 3))
def test_gaps_as_columns_are_a_sequence_of_gaps(listed: list[Gap], bound: int) -> None:
    gaps = Gaps.of(listed)
    assert (list(gaps), len(gaps), bool(gaps)) == (listed, len(listed), bool(listed))
    assert [gaps[index] for index in range(-len(listed), len(listed))] == listed * 2
    assert list(gaps[:bound]) == listed[:bound]
    assert gaps == Gaps.of(list(gaps))
    assert hash(gaps) == hash(Gaps.of(tuple(gaps)))
    with pytest.raises(IndexError):
        gaps[len(listed)]
