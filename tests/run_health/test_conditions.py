"""How runs do: their pace, what is wrong with them, whether they still write."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.run_health import conditions
from tbtui.run_health.anomalies import Anomaly, find_anomaly
from tbtui.run_health.conditions import (
    LATE_SECONDS,
    OVER_SECONDS,
    OwnCondition,
    RunCondition,
    RunConditions,
    judge_runs,
)
from tbtui.run_health.pace import MAX_RECENT_VALUES, MIN_STALL_SECONDS, Pace, estimate_pace
from tbtui.run_health.summaries import RunSummary, SummaryCache, summarize_run
from tbtui.store.run_series import ScalarEnds
from tbtui.store.snapshot import Metadata, ScalarSeries
from tests.helpers.corpora import CORPORA
from tests.helpers.snapshots import START, run, store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tbtui.store.snapshot import RunSnapshot

NAN, INF = math.nan, math.inf


def series(
    tag: str, steps: Sequence[int], times: Sequence[float] | None = None, values: Sequence[float] | None = None
) -> ScalarSeries:
    count = len(steps)
    return ScalarSeries(
        "run",
        tag,
        Metadata("scalars", data_class=1),
        1,
        np.asarray(steps, np.int64),
        START + np.asarray(range(count) if times is None else times, np.float64),
        np.ones(count) if values is None else np.asarray(values, np.float64),
    )


# What is wrong with a run


@pytest.mark.parametrize(
    ("tags", "trouble"),
    [
        ({}, None),
        ({"a": (1, 2)}, None),
        ({"a": (NAN, 1)}, None),
        ({"a": (1, NAN, 1, NAN, INF, NAN)}, Anomaly("nan", "a", 3)),
        ({"a": (1, 1, NAN), "b": (1, NAN, NAN), "c": (1, 1, 1)}, Anomaly("nan", "b", 1)),
        ({"a": (NAN,)}, Anomaly("nan", "a", 0)),
        ({"a": (1, INF)}, Anomaly("inf", "a", 1)),
        ({"a": (1, 1, -INF)}, Anomaly("inf", "a", 2)),
        ({"a": (INF, INF, INF), "b": (1, 1, NAN)}, Anomaly("nan", "b", 2)),
    ],
)
def test_where_the_numbers_end(tags: dict[str, tuple[float, ...]], trouble: Anomaly | None) -> None:
    assert summarize_run(run("r", tags)).trouble == trouble


def test_points_that_a_restart_superseded_say_nothing() -> None:
    healed = series("a", [0, 1, 2, 1, 2], values=[1, NAN, NAN, 1, 1])
    assert find_anomaly(ScalarEnds.of_series([healed])) is None
    again = series("a", [0, 1, 2, 3, 2, 3], values=[1, NAN, 1, 1, NAN, NAN])
    assert find_anomaly(ScalarEnds.of_series([again])) == Anomaly("nan", "a", 1)


@pytest.mark.parametrize("steps", [[2, 1, 0], [0, 1, 0]])
def test_find_anomaly_last_value_in_time_at_an_earlier_step_is_none(steps: list[int]) -> None:
    assert find_anomaly(ScalarEnds.of_series([series("a", steps, values=[1, 2, NAN])])) is None


def test_find_anomaly_metric_of_a_session_comes_after_a_curve() -> None:
    session, curve = series("hparam/loss", [0], values=[NAN]), series("loss", [1, 2, 3], values=[1, 2, NAN])
    assert find_anomaly(ScalarEnds.of_series([session, curve])) == Anomaly("nan", "loss", 3)
    assert find_anomaly(ScalarEnds.of_series([session])) == Anomaly("nan", "hparam/loss", 0)


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, NAN, INF]), min_size=1, max_size=6), max_size=6), st.data())
def test_the_earliest_end_is_found_among_any_tags(columns: list[list[float]], data: st.DataObject) -> None:
    had_number: dict[bool, list[int]] = {True: [], False: []}
    held = []
    for index, values in enumerate(columns):
        steps = data.draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values), unique=True))
        held.append(series(str(index), sorted(steps), values=values))
        tail = [step for n, step in enumerate(sorted(steps)) if not any(map(math.isfinite, values[n:]))]
        if math.isnan(values[-1]):
            had_number[any(map(math.isfinite, values))].append(tail[0])
    trouble = find_anomaly(ScalarEnds.of_series(held))
    if ends := had_number[True] or had_number[False]:
        assert trouble is not None
        assert (trouble.kind, trouble.step) == ("nan", min(ends))
    else:
        assert trouble is None or trouble.kind == "inf"


def blown_up(count: int = 300) -> np.ndarray:
    t = np.linspace(0, 1, count)
    return np.where(t < 0.6, 1 - t, 0.4 + 500 * (t - 0.6) ** 2)


def test_losses_are_judged_and_nothing_else() -> None:
    flat = np.maximum(0.5, np.linspace(2, -2, 300))
    falling = np.linspace(2, 1, 300)
    assert summarize_run(run("r", {"loss/val": blown_up(), "acc": falling})).trouble == Anomaly("diverges", "loss/val")
    assert summarize_run(run("r", {"reward": blown_up(), "value_loss": blown_up()})).trouble is None
    assert summarize_run(run("r", {"loss": flat})).trouble == Anomaly("flat", "loss")
    assert summarize_run(run("r", {"loss": flat, "val_loss": falling})).trouble is None  # something still moves
    assert summarize_run(run("r", {"loss": flat, "val_loss": blown_up()})).trouble == Anomaly("diverges", "val_loss")


@pytest.mark.parametrize("corpus", CORPORA, ids=str)
def test_find_anomaly_real_trainings_report_only_lost_numbers(corpus: Path) -> None:
    runs = Loader(parse_sources([str(corpus / "trainings")]), reload_seconds=0).load_all().snapshot.runs
    troubles = {name: summarize_run(made).trouble for name, made in runs.items()}
    assert {trouble.kind for trouble in troubles.values() if trouble is not None} <= {"nan"}
    diverges = next((name for name in runs if name.endswith("diverges")), None)
    if diverges is not None:
        assert troubles[diverges] == Anomaly("nan", "loss/train", 252)


# Pace


def test_the_pace_of_an_even_run() -> None:
    assert estimate_pace(ScalarEnds.of_series([series("a", range(0, 400, 4), np.arange(100) * 2.0)])) == Pace(
        2.0, 2.0, 4, regular=True
    )


@pytest.mark.parametrize(
    ("steps", "times"),
    [([], []), ([5], [0]), ([5, 5], [0, 1]), ([5, 4], [0, 1]), ([1, 2], [3, 3]), ([1, 2], [3, 2]), ([1, 2], [0, NAN])],
)
def test_without_two_values_that_ascend_there_is_no_pace(steps: list[int], times: list[float]) -> None:
    held = [series("a", steps, times)] if steps else []
    assert estimate_pace(ScalarEnds.of_series(held)) is None


def test_the_most_written_tag_tells_and_of_two_the_further() -> None:
    assert (
        estimate_pace(ScalarEnds.of_series([series("epochs", range(5)), series("steps", range(0, 60, 10))])).rate == 10
    )
    assert (
        estimate_pace(ScalarEnds.of_series([series("epochs", range(6)), series("steps", range(0, 60, 10))])).rate == 10
    )


def test_a_restart_and_a_pause_do_not_count() -> None:
    steps = [*range(100), *range(50, 150)]
    times = [*range(100), *range(5000, 5100)]
    pace = estimate_pace(ScalarEnds.of_series([series("a", steps, times)]))
    assert (pace.rate, pace.interval) == (1.0, 1.0)
    paused = np.arange(200.0) + 7200 * (np.arange(200) >= 150)
    assert estimate_pace(ScalarEnds.of_series([series("a", range(200), paused)])).rate == 1.0


def test_only_the_recent_part_counts() -> None:
    times = np.concatenate((np.arange(5000.0), 5000 + 10 * np.arange(MAX_RECENT_VALUES)))
    assert estimate_pace(ScalarEnds.of_series([series("a", range(len(times)), times)])).rate == pytest.approx(0.1)


def test_steps_and_times_at_the_ends_of_their_range_raise_nothing() -> None:
    far = series("a", [-(2**63), 0, 2**63 - 1], [-1e308, 0, 1e308])
    assert estimate_pace(ScalarEnds.of_series([far])).rate >= 0


@pytest.mark.parametrize(
    ("times", "rate"),
    [
        ((INF, INF, INF), None),
        ((-INF, -INF, INF, INF), None),
        ((0, NAN, INF, -INF, 1), None),
        ((INF, 0, 1, 2, INF, INF), 1.0),
        ((-1.5e308, 0, 1.5e308), 1 / 1.5e308),
        ((0, 5e-324), None),
        ((-1e308, 1e308, -1e308), None),
        ((-8e307, 8e307) * 12, None),
    ],
)
@pytest.mark.filterwarnings("error")
def test_wall_times_may_be_infinite(times: tuple[float, ...], rate: float | None) -> None:
    pace = estimate_pace(ScalarEnds.of_series([series("a", range(len(times)), times)]))
    assert (None if pace is None else pace.rate) == rate
    made = run("r", others=[series("loss", range(len(times)), times)], last=INF)
    for max_steps in (None, 10**6):
        assert not at(made, 1000, max_steps).active


# At a moment


def written(
    name: str = "r", *, count: int = 100, interval: float = 1.0, last: float = START, stride: int = 1
) -> RunSnapshot:
    times = last - START - interval * np.arange(count)[::-1]
    made = series("loss", range(0, count * stride, stride), times, np.linspace(1, 0.9, count))
    return run(name, others=[made], last=last)


def at(made: RunSnapshot, seconds: float, max_steps: int | None = None) -> RunCondition:
    return judge_runs({made.name: summarize_run(made)}, START + seconds, max_steps).of[made.name]


@pytest.mark.parametrize(
    ("seconds", "is_so"),
    [(0, "writing active"), (59.5, "writing active"), (60, "active"), (299, "active"), (300, "silent"), (86_400, "")],
)
def test_from_writing_to_silent_to_over(seconds: float, is_so: str) -> None:
    condition = at(written(), seconds)
    assert condition.age == seconds
    assert [
        name for name in ("writing", "active", "stalled", "silent", "done") if getattr(condition, name)
    ] == is_so.split()


def test_a_run_that_writes_seldom_is_waited_for_longer() -> None:
    assert not at(written(interval=600), 600 * 20 - 1).silent
    assert at(written(interval=600), 600 * 20).silent
    assert at(written(interval=600), 600 * 40 - 1).silent
    assert not at(written(interval=600), 600 * 40).silent


@pytest.mark.parametrize(
    "made",
    [
        run("r", others=[], last=START),
        written(count=9, interval=60),
        written(count=50),  # it was over within a minute: who knows how it goes on
        run("r", {"loss": range(100)}, last=START, vanished=True),
    ],
)
def test_of_who_did_not_write_regularly_a_silence_says_nothing(made: RunSnapshot) -> None:
    assert not at(made, 1000).silent
    assert not at(made, 1000, 10**6).stalled


def test_at_its_end_a_run_is_done_and_not_stalled() -> None:
    made = written(count=100, stride=4)  # up to step 396
    assert at(made, 10, 396).done
    assert at(made, 10, 397).done  # so many steps, counted from 0
    assert not at(made, 10, 398).done
    assert not at(made, 1000, 400).stalled  # the next write would have been the last
    assert at(made, 1000, 401).stalled
    assert not at(made, 10, 396).active


@pytest.mark.parametrize("count", [100, 1000])
def test_a_run_of_n_steps_counted_from_nought_is_done_at_once(count: int) -> None:
    made = written(count=count)  # up to step count - 1
    assert at(made, 1, count) == RunCondition(1, writing=True, done=True)
    assert at(written(count=count - 1), 1, count).left == 2
    assert not at(written(count=count - 1), 1, count).done


def test_run_silent_within_a_stride_of_its_end_is_done() -> None:
    made = written(count=100, stride=4)  # up to step 396
    assert at(made, 299, 400) == RunCondition(299, active=True, left=100 * 0.01)
    for seconds in (300, 1000, 3 * LATE_SECONDS):
        assert at(made, seconds, 400) == RunCondition(seconds, done=True)
    assert not at(made, 3 * LATE_SECONDS, 401).done
    assert many(made, seconds=250, max_steps=400).until == START + 300


def test_the_time_left_is_told_while_the_run_is_active() -> None:
    made = written(count=100, stride=4)
    assert at(made, 10, 796).left == 100
    assert at(made, 200, 796).left == 100
    assert at(made, 1000, 796).left is None
    assert at(made, 10, 300).left is None
    assert at(made, 10).left is None


def many(*made: RunSnapshot, seconds: float, max_steps: int | None = None) -> RunConditions:
    return judge_runs({one.name: summarize_run(one) for one in made}, START + seconds, max_steps)


def test_a_run_that_ended_where_another_did_has_not_stalled() -> None:
    first, second = written("first", last=START - 2400), written("second")
    conditions = many(first, second, seconds=1000).of
    assert conditions["second"] == RunCondition(1000)
    assert conditions["first"] == RunCondition(3400)
    assert many(first, second, seconds=1000, max_steps=500).of["second"].stalled  # its end is known better
    halved = written("halved", count=70)
    assert many(first, second, halved, seconds=1000).of["halved"].stalled


def test_runs_that_ended_together_are_not_compared() -> None:
    conditions = many(written("a"), written("b"), written("short", count=70), seconds=1000).of
    assert set(conditions.values()) == {RunCondition(1000, silent=True)}


def test_a_run_has_stalled_where_another_went_further() -> None:
    short = written("short", count=70)  # up to step 69
    for further in (written("ended", last=START - 2400), written("works", interval=700, last=START - 3000)):
        assert many(short, further, seconds=1000).of["short"] == RunCondition(1000, stalled=True)
        assert not many(short, further, seconds=1000).of[further.name].stalled
    stride_ahead = written("r", count=71, last=START + 900)
    assert not many(short, stride_ahead, seconds=1000).of["short"].stalled
    other = run("other", {"reward": range(1000)}, last=START + 900)  # of another kind
    assert many(short, other, seconds=1000).of["short"] == RunCondition(1000, silent=True)


def test_a_run_still_at_work_is_no_example_of_an_end() -> None:
    slow = written("slow", interval=700, last=START - 3000)
    assert many(slow, written("r"), seconds=1000).of["r"].silent


@pytest.mark.parametrize(
    ("seconds", "wait"),
    [
        (0, 60),
        (59, 1),
        (60, 60),
        (250, 50),
        (299, 1),
        (OVER_SECONDS - 5, 5),
        (LATE_SECONDS - 5, 5),
        (-30, 90),
        (-1000, 940),
        (400 * 86_400, 86_400),
        (101 * 365 * 86_400, INF),
    ],
)
def test_how_long_it_holds(seconds: float, wait: float) -> None:
    assert many(written(), seconds=seconds).until - START - seconds == pytest.approx(wait)


def test_what_holds_for_longer_than_the_words_for_ages_is_known_too() -> None:
    assert many(written(interval=31), seconds=615).until == pytest.approx(START + 620)
    assert many(seconds=0).until == INF


def test_a_clock_that_is_ahead_says_nothing_until_news_comes() -> None:
    ahead = written(last=START + 10_000)
    condition = at(ahead, 0)
    assert condition == RunCondition(-10_000)
    assert at(written(last=START + 59), 0).writing  # clocks differ by a little everywhere
    cache = SummaryCache()
    cache.of(store(ahead))
    facts = cache.of(store(replace(written(count=101, last=START + 10_001), revision=2)), START + 500)
    assert judge_runs(facts, START + 510, None).of["r"].age == 10
    assert judge_runs(facts, START + 510, None).of["r"].writing


def test_news_counts_whatever_its_wall_time() -> None:
    cache = SummaryCache()
    behind = written(last=START - 3000)
    assert judge_runs(cache.of(store(behind)), START, None).of["r"].silent
    fresh = replace(written(count=101, last=START - 2999), revision=2)
    assert judge_runs(cache.of(store(fresh), START), START, None).of["r"].writing
    dimmed = replace(fresh, revision=3, vanished=True)
    assert cache.of(store(dimmed), START + 40)["r"].arrived == START  # a directory that goes is no news


def test_a_run_that_appears_while_watching_has_just_been_written() -> None:
    cache = SummaryCache()
    cache.of(store())
    assert cache.of(store(written(last=START - 7200)), START)["r"].arrived == START
    assert MIN_STALL_SECONDS >= 120  # what the writers' own buffers may hold back


def test_silence_after_an_hour_is_reported_only_for_a_known_end() -> None:
    late = OVER_SECONDS + 1
    assert at(written(count=100), OVER_SECONDS - 1).silent
    assert at(written(count=100), late) == RunCondition(late)
    assert at(written(count=100), late, 500).stalled
    assert not at(written(count=100), LATE_SECONDS + 1, 500).stalled


def test_run_of_a_profile_alone_has_the_age_of_its_files() -> None:
    tags = {"profile": frozenset({"rank0"})}
    facts = {
        "profile": RunSummary(tags, 0, None, None, modified=START),
        "empty": RunSummary({}, 0, None, None, modified=START),
    }
    conditions = judge_runs(facts, START + 7200, None)
    assert conditions.of["profile"].age == 7200
    assert conditions.of["empty"].age is None
    assert conditions.age == 7200


def test_conditions_of_unchanged_runs_are_kept_until_they_change(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[RunSummary] = []
    compute = conditions._judge_run

    def count(facts: RunSummary, now: float, max_steps: int | None) -> RunCondition:
        computed.append(facts)
        return compute(facts, now, max_steps)

    monkeypatch.setattr(conditions, "_judge_run", count)
    made = {name: summarize_run(run(name, {"loss": (1.0, 0.5)})) for name in ("a", "b")}
    former: dict[str, OwnCondition] = {}
    first = judge_runs(made, START + 500, None, former)
    assert judge_runs(made, START + 500.5, None, former).of == first.of
    assert len(computed) == 2
    made["b"] = summarize_run(run("b", {"loss": (1.0, 0.5, 0.25)}))
    judge_runs(made, START + 500.5, None, former)
    assert computed[2:] == [made["b"]]
    later = START + 1e6
    assert judge_runs(made, later, None, former).of == judge_runs(made, later, None).of
