"""Make tables of sessions without files, and prepared views of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.loading.payloads import Payloads
from tbtui.plugins.hparams.session_cache import PreparedSessions, SessionCache
from tbtui.plugins.hparams.settings import SESSIONS, SessionSettings
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import Metadata, ReferenceSeries, RunSnapshot
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.snapshots import START, run, store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.store.snapshot import StoreSnapshot


def session_run(
    name: str, hparams: Mapping[str, Any], tags: Mapping[str, Sequence[float]] | None = None, group: str = ""
) -> RunSnapshot:
    """Return a run with a session message and scalars; None in `hparams` is a missing value."""
    from tbtui.events.schema import get_message_class

    data: Any = get_message_class("HParamsPluginData")()
    data.session_start_info.SetInParent()
    data.session_start_info.group_name = group
    for key, value in hparams.items():
        if value is not None:
            kind = "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
            setattr(data.session_start_info.hparams[key], f"{kind}_value", value)
    zero, few = np.zeros(1, np.int64), np.zeros(1, np.int32)
    tag = "_hparams_/session_start_info"
    start = ReferenceSeries(
        name, tag, Metadata("hparams", data.SerializeToString()), 1, zero, zero + START, few, zero, zero, few
    )
    return run(name, tags, others=[start])


def search_store(count: int = 20, seed: int = 0) -> StoreSnapshot:
    """Return sessions of which lr matters; the last one diverged, and one has no metric."""
    rng = np.random.default_rng(seed)
    runs = []
    for number in range(count):
        rate = float(f"{10 ** rng.uniform(-4, -1):.3g}")
        loss = (np.log10(rate) + 2) ** 2 + 0.1
        hparams = {"lr": rate, "opt": ["adam", "sgd"][number % 2], "same": 1.0}
        values = [3.0, float("nan") if number == count - 1 else float(loss)]
        runs.append(session_run(f"t{number:02}", hparams, {"val/loss": values, "acc": [0.1, 1 / loss]}))
    runs.append(session_run("without", {"lr": 0.1, "opt": "sgd", "same": 1.0}))
    return store(*runs)


def prepared(snapshot: StoreSnapshot, *, settings: Settings | None = None, **changes: Any) -> PreparedSessions:
    """Return what the tab shows of a snapshot with fields of `SessionSettings` changed."""
    chosen = SESSIONS.with_value(settings or Settings(), SessionSettings(**changes))
    view = build_view(snapshot, chosen, RunColours(), SummaryCache())
    return SessionCache(Payloads()).prepare(view)
