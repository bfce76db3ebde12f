"""Hyperparameters and metrics as attributes of runs, for filters, colours and groups in all tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.hparams.rows import compute_metric_values
from tbtui.plugins.hparams.settings import name_pattern
from tbtui.plugins.hparams.table_builder import share_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.loading.payloads import Payloads
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.view.attributes import RunAttributes


def read_hparams(payloads: Payloads, runs: Mapping[str, RunSnapshot], settings: Settings) -> RunAttributes:
    """Return the hyperparameters of runs, without their metrics; the same object for the same runs.

    Args:
        payloads: Reader of values in files, shared by all panes.
        runs: All runs by name.
        settings: May name hyperparameters in run names.
    """
    return share_tables(payloads).hparams(runs, name_pattern(settings))


class AttributeReader:
    """Reads the attributes of a snapshot; shares the table of sessions with the tab.

    Args:
        payloads: Reader of values in files, shared by all panes.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._tables = share_tables(payloads)

    def __call__(self, snapshot: StoreSnapshot, settings: Settings) -> RunAttributes:
        table = self._tables.build(snapshot.runs, name_pattern(settings))
        return table.attributes(compute_metric_values(table, settings))
