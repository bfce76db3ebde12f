"""Hyperparameters against what TensorBoard's own messages say (README.md says how it was recorded)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.hparams.decode import (
    PLUGIN,
    Experiment,
    HParamInfo,
    Interval,
    SessionEndInfo,
    SessionStartInfo,
    read_hparams,
)
from tbtui.plugins.hparams.sessions import read_run_hparams

if TYPE_CHECKING:
    from tbtui.store.snapshot import StoreSnapshot

Json: TypeAlias = Any

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "hparams.json").read_text(encoding="utf-8"))
SAYINGS = [(run, one) for run, sayings in RECORDED.items() for one in sayings]
TYPES = {"DATA_TYPE_UNSET": "", "DATA_TYPE_STRING": "string", "DATA_TYPE_BOOL": "bool", "DATA_TYPE_FLOAT64": "float64"}
STATUSES = {"STATUS_UNKNOWN": "unknown", "STATUS_SUCCESS": "success"}


@cache
def corpus() -> StoreSnapshot:
    return Loader(parse_sources([str(HERE.parent / "corpus")]), reload_seconds=0).load_all().snapshot


def info_of(said: Json) -> HParamInfo:
    domain: Any = None
    if "domain_discrete" in said:
        domain = tuple(said["domain_discrete"])
    elif "domain_interval" in said:
        ends = said["domain_interval"]
        domain = Interval(ends.get("min_value", 0.0), ends.get("max_value", 0.0))
    return HParamInfo(said["name"], said.get("display_name", ""), type=TYPES[said.get("type", "")], domain=domain)


@pytest.mark.parametrize(("run", "one"), SAYINGS, ids=[f"{run}:{one['tag']}" for run, one in SAYINGS])
def test_hparams_messages_decode_like_tensorboard(run: str, one: Json) -> None:
    del run
    says, read = one["says"], read_hparams(bytes.fromhex(one["content"]))
    if isinstance(read, Experiment):
        said = says["experiment"]
        assert read.hparam_infos == tuple(map(info_of, said.get("hparam_infos", [])))
        metrics = [(info["name"].get("group", ""), info["name"]["tag"]) for info in said.get("metric_infos", [])]
        assert [(info.group, info.tag) for info in read.metric_infos] == metrics
    elif isinstance(read, SessionStartInfo):
        said = says["session_start_info"]
        assert dict(read.hparams) == said["hparams"]
        assert [type(value) for value in read.hparams.values()] == [type(said["hparams"][k]) for k in read.hparams]
        assert (read.group_name, read.start_time_secs) == (said.get("group_name", ""), said.get("start_time_secs"))
    else:
        said = says["session_end_info"]
        assert read == SessionEndInfo(STATUSES[said["status"]], said.get("end_time_secs"))


@pytest.mark.parametrize("run", RECORDED)
def test_hparams_run_has_the_values_of_its_last_session(run: str) -> None:
    starts = [one["says"]["session_start_info"] for one in RECORDED[run] if "session_start_info" in one["says"]]
    read = read_run_hparams(corpus().runs[run], Payloads())
    assert dict(read.values) == (starts[-1]["hparams"] if starts else {})
    assert [dict(start.hparams) for start in read.starts] == [start["hparams"] for start in starts]
    assert (read.unread, read.problems) == (0, ())


def test_hparams_other_runs_have_none() -> None:
    assert {
        name for name, run in corpus().runs.items() if read_run_hparams(run).experiment or read_run_hparams(run).starts
    } == {*RECORDED}
    of_plugin = (series for run in corpus().runs.values() for series in run.series.values())
    assert sum(len(series) for series in of_plugin if series.metadata.plugin_name == PLUGIN) == len(SAYINGS)
