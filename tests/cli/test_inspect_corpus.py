"""Compare `tbtui inspect --json` with the values that TensorBoard's own reader returns."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.store.snapshot import ScalarSeries
from tests.helpers.corpora import CORPORA, OWN_CORPUS, checksum, expected_runs
from tests.helpers.inspect_command import inspected

if TYPE_CHECKING:
    from pathlib import Path

Report = dict[str, Any]


@lru_cache
def report_on(corpus: Path) -> Report:
    code, text = inspected("--json", corpus)
    assert code == 0
    report: Report = json.loads(text, parse_constant=refuse_constant)
    return report


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not strict JSON")


def number(value: str | float | None) -> float | None:
    return None if value is None else float(value)


def same(one: str | float | None, other: str | float | None) -> bool:
    return np.array_equal(np.array(number(one), float), np.array(number(other), float), equal_nan=True)


def is_damaged(run: Report) -> bool:
    return any(file["state"] == "corrupt" for file in run["files"])


CASES = [pytest.param(corpus, run, id=run) for corpus in CORPORA for run in expected_runs(corpus)]


@pytest.mark.parametrize(("corpus", "run"), CASES)
def test_inspect_corpus_runs_equal_tensorboard(corpus: Path, run: str) -> None:
    expected, found = expected_runs(corpus)[run], report_on(corpus)["runs"][run]
    assert len(found["files"]) == expected["files"]
    if is_damaged(found):
        assert set(found["tags"]) >= set(expected["tags"])
    else:
        assert set(found["tags"]) == set(expected["tags"])
    for tag, expected_tag in expected["tags"].items():
        assert_tag(found["tags"][tag], expected_tag, more=is_damaged(found))


def assert_tag(found: Report, expected_tag: Report, *, more: bool) -> None:
    assert found["plugin"] == expected_tag["plugin"]
    assert found["first_step"] == expected_tag["first_step"]
    if more:
        assert found["count"] >= expected_tag["count"]
        return
    for name in ("count", "last_step", "nan", "inf"):
        assert found.get(name) == expected_tag.get(name), name
    for name in ("first", "last", "min", "max"):
        assert same(found.get(name), expected_tag.get(name)), name


def test_inspect_corpus_lists_exactly_the_existing_runs() -> None:
    with_events = {name for name, run in report_on(OWN_CORPUS)["runs"].items() if run["state"] != "assets"}
    assert with_events == set(expected_runs(OWN_CORPUS))


@pytest.mark.parametrize("corpus", CORPORA, ids=str)
def test_inspect_corpus_scalars_equal_tensorboard(corpus: Path) -> None:
    snapshot = Loader(parse_sources([str(corpus)]), reload_seconds=0).load_all().snapshot
    compared = 0
    for run, expected in expected_runs(corpus).items():
        if is_damaged(report_on(corpus)["runs"][run]):
            continue
        for tag, expected_tag in expected["tags"].items():
            series = snapshot.runs[run].series[tag]
            assert isinstance(series, ScalarSeries) == ("crc" in expected_tag)
            if isinstance(series, ScalarSeries):
                assert checksum(series.values) == expected_tag["crc"], (run, tag)
                compared += 1
    assert compared > 50


def test_inspect_corpus_damage_loses_only_the_damaged_record() -> None:
    runs = report_on(OWN_CORPUS)["runs"]
    for run, kind in (("badcrc", "payload_checksum"), ("badlen", "length_checksum")):
        (file,) = runs[f"writers/edge_cases/{run}"]["files"]
        assert file["state"] == "corrupt"
        assert [(problem["kind"], problem["offset"]) for problem in file["problems"]] == [(kind, 147)]
    assert runs["writers/edge_cases/badcrc"]["tags"]["x"]["count"] == 2
    assert runs["writers/edge_cases/badlen"]["tags"]["x"]["count"] == 2


def test_inspect_corpus_truncated_and_empty_files_differ() -> None:
    runs = report_on(OWN_CORPUS)["runs"]
    states = {run: runs[f"writers/edge_cases/{run}"]["files"][0]["state"] for run in ("trunc", "empty", "prof", "d")}
    assert states == {"trunc": "truncated", "empty": "empty", "prof": "empty", "d": "ok"}


def test_inspect_corpus_restarts_count_superseded_points() -> None:
    tags = report_on(OWN_CORPUS)["runs"]["trainings/digits/resumed"]["tags"]
    assert tags["loss/train"]["superseded"] > 0
    assert tags["loss/train"]["last_step"] > tags["loss/train"]["first_step"]
