"""Test hyperparameters of runs: sessions, resumed sessions and unreadable values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.hparams.decode import EXPERIMENT_TAG, SESSION_END_TAG, SESSION_START_TAG
from tbtui.plugins.hparams.sessions import MAX_SESSIONS, are_same, read_run_hparams

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.store.snapshot import RunSnapshot


def start(**hparams: bool | float | str) -> tuple[str, bytes]:
    data = get_message_class("HParamsPluginData")()
    data.session_start_info.SetInParent()
    for name, value in hparams.items():
        kind = "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
        setattr(data.session_start_info.hparams[name], f"{kind}_value", value)
    return SESSION_START_TAG, data.SerializeToString()


def end(status: int) -> tuple[str, bytes]:
    data = get_message_class("HParamsPluginData")()
    data.session_end_info.status = status
    return SESSION_END_TAG, data.SerializeToString()


def declared(*names: str) -> tuple[str, bytes]:
    data = get_message_class("HParamsPluginData")()
    data.experiment.SetInParent()
    for name in names:
        data.experiment.hparam_infos.add(name=name)
    return EXPERIMENT_TAG, data.SerializeToString()


def run_of(root: Path, *values: tuple[str, bytes]) -> RunSnapshot:
    with EventFileWriter(str(root / "events.out.tfevents.1.a"), wall_time=1.5e9) as writer:
        for step, (tag, content) in enumerate(values):
            event: Any = get_message_class("Event")(wall_time=1.5e9 + step, step=step)
            value = event.summary.value.add(tag=tag)
            value.metadata.plugin_data.plugin_name = "hparams"
            value.metadata.plugin_data.content = content
            writer.event(event)
    return Loader(parse_sources([str(root)]), reload_seconds=0).load_all().snapshot.runs["."]


def test_hparams_run_without_hyperparameters_is_empty(tmp_path: Path) -> None:
    read = read_run_hparams(run_of(tmp_path))
    assert (dict(read.values), read.status, read.start, read.changed) == ({}, None, None, ())


def test_hparams_values_keep_the_declared_order(tmp_path: Path) -> None:
    read = read_run_hparams(run_of(tmp_path, start(a=1, z=2, m=3), declared("z", "gone", "a"), end(1)))
    assert list(read.values.items()) == [("z", 2), ("a", 1), ("m", 3)]
    assert read.status == "success"


def test_hparams_resumed_run_uses_its_last_session(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(lr=0.1, opt="a", bn=True), end(2), start(lr=0.2, opt="a", bn=True, new=1), end(1))
    first, read = read_run_hparams(run), read_run_hparams(run, Payloads())
    assert (dict(first.values), first.unread) == ({"lr": 0.1, "opt": "a", "bn": True}, 1)
    assert (dict(read.values), read.unread) == ({"lr": 0.2, "opt": "a", "bn": True, "new": 1}, 0)
    assert (read.changed, read.status) == (("lr", "new"), "success")


def test_hparams_restarted_session_has_no_end(tmp_path: Path) -> None:
    read = read_run_hparams(run_of(tmp_path, start(lr=1), end(1), start(lr=1)), Payloads())
    assert (read.status, read.end, read.changed) == ("unknown", None, ())


def test_hparams_many_sessions_reads_only_the_last(tmp_path: Path) -> None:
    run = run_of(tmp_path, *(start(seed=seed) for seed in range(MAX_SESSIONS + 6)))
    read = read_run_hparams(run, Payloads())
    assert (len(read.starts), read.unread, dict(read.values)) == (MAX_SESSIONS, 6, {"seed": MAX_SESSIONS + 5})
    assert dict(read.starts[0].hparams) == {"seed": 6}


def test_hparams_unreadable_value_is_reported_and_others_stay(tmp_path: Path) -> None:
    read = read_run_hparams(run_of(tmp_path, start(lr=1), (EXPERIMENT_TAG, b"\xff"), end(1)))
    assert dict(read.values) == {"lr": 1}
    assert read.problems == ("_hparams_/experiment: the metadata is not a message about hyperparameters",)


def test_hparams_missing_files_keep_known_values(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(lr=1), start(lr=2))
    (tmp_path / "events.out.tfevents.1.a").unlink()
    read = read_run_hparams(run, Payloads())
    assert (dict(read.values), read.unread, len(read.problems)) == ({"lr": 1}, 1, 1)


def test_hparams_content_decides_and_not_the_tag(tmp_path: Path) -> None:
    read = read_run_hparams(run_of(tmp_path, ("mine", start(lr=1)[1]), ("_hparams_/session_start_info", end(1)[1])))
    assert (dict(read.values), read.status) == ({"lr": 1}, "success")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1.0, 1.0, True),
        (1.0, True, False),
        (False, 0.0, False),
        ("1", 1.0, False),
        (float("nan"), float("nan"), True),
        (None, None, True),
        (None, 0.0, False),
    ],
)
def test_hparams_values_equal_across_types(
    a: bool | float | str | None, b: bool | float | str | None, same: bool
) -> None:
    assert are_same(a, b) is are_same(b, a) is same
