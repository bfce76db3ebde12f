"""Prepare the content of the tab for one view, on its worker thread; results are cached across views."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.hparams.importance import measure_importance
from tbtui.plugins.hparams.metric import Metric, choose_main_metric
from tbtui.plugins.hparams.print_blocks import are_sessions_visible
from tbtui.plugins.hparams.rows import choose_rows, compute_metric_values
from tbtui.plugins.hparams.settings import SESSIONS, name_pattern
from tbtui.plugins.hparams.table_builder import share_tables

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.hparams.importance import Importance
    from tbtui.plugins.hparams.rows import SessionRows
    from tbtui.plugins.hparams.session_table import SessionTable
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.view import View


@frozen(eq=False)
class PreparedSessions:
    """Sessions of one view."""

    view: View
    table: SessionTable
    rows: SessionRows
    importance: Importance | None
    """Importance for the main metric among the selected sessions, or among all in a view without shares; None without
    any metric."""

    attributes: RunAttributes
    """All columns, for the filter."""

    has_former_shares: bool = False
    """True if `importance` is that of a former view."""

    shares_label: str = ""
    """Label of the point of each curve that `importance` is about: `last`."""

    @property
    def current_importance(self) -> Importance | None:
        """Return the importance; None while it is that of another point of the curves than the table shows."""
        return self.importance if self.shares_label == self.rows.figure_label else None


class SessionCache:
    """Prepares views; parts with equal inputs are computed once. Used by one thread.

    Args:
        payloads: Reader of values in files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._tables = share_tables(payloads)
        self._importance: tuple[tuple[object, ...], Importance | None] = ((), None)
        self._order_importance: tuple[tuple[object, ...], Importance | None] = ((), None)
        self._shares_label = ""
        self._attributes: tuple[tuple[object, ...], RunAttributes | None] = ((), None)
        self._rows: tuple[tuple[object, ...], SessionRows | None] = ((), None)

    def prepare(self, view: View, *, keeps_shares: bool = False) -> PreparedSessions:
        """Return the sessions of a view.

        Args:
            view: The view.
            keeps_shares: Show the shares of the latest view if those of this one are not known: rows take a tenth of
                the time.
        """
        settings, chosen = view.settings, SESSIONS.value(view.settings)
        table = self._tables.build(view.snapshot.runs, name_pattern(settings))
        selected = are_sessions_visible(view, table)
        # A brush is answered within a frame: views without shares show those of all sessions.
        all_sessions = np.ones(len(table), np.bool_)
        shown = selected if chosen.view in ("matters", "slices") else all_sessions
        is_grown = keeps_shares and self._has_more_sessions(view, table, shown)
        shares_key = _build_importance_key(view, table, shown)
        is_stale = is_grown or (keeps_shares and _has_other_sessions_or_figure(self._importance[0], shares_key))
        importance = self._importance[1] if is_stale else self._find_importance(view, table, shown)
        if shown.all() and (is_grown or not is_stale):
            order_importance = importance
        else:
            order_importance = self._find_order(view, table, all_sessions, keeps_shares=keeps_shares)
        key = (table, selected.tobytes(), chosen, settings.charts, order_importance, settings.tag_filter)
        if self._rows[1] is None or self._rows[0] != key:
            by_share = [entry.name for entry in order_importance.hparams] if order_importance is not None else []
            metrics = None
            if settings.tag_filter:
                metrics = [metric.title for metric in table.metrics if view.tag_matches(metric.tag)]
            self._rows = key, choose_rows(table, settings, selected, by_share, metrics)
        rows = self._rows[1]
        assert rows is not None  # noqa: S101 - set above
        if not is_stale:
            self._shares_label = rows.figure_label
        attributes_key = (table, chosen.figure, chosen.at, chosen.metric, settings.charts)
        if self._attributes[1] is None or self._attributes[0] != attributes_key:
            self._attributes = attributes_key, table.attributes(rows.values)
        attributes = self._attributes[1]
        assert attributes is not None  # noqa: S101 - set above
        return PreparedSessions(view, table, rows, importance, attributes, is_stale, self._shares_label)

    def _find_order(
        self, view: View, table: SessionTable, all_sessions: npt.NDArray[np.bool_], *, keeps_shares: bool
    ) -> Importance | None:
        """Return the importance among all sessions, for an order of columns that no filter changes."""
        key = _build_importance_key(view, table, all_sessions)
        known = (self._order_importance, self._importance)
        for order in known:
            if order[0] == key:
                self._order_importance = order
                return order[1]
        if keeps_shares:  # the columns keep their order until the shares of another figure are known
            for known_key, importance in known:
                if _has_other_sessions_or_figure(known_key, key) and known_key[-1] == key[-1]:
                    return importance
        latest = self._importance
        importance = self._find_importance(view, table, all_sessions)
        self._order_importance, self._importance = self._importance, latest
        return importance

    def _has_more_sessions(self, view: View, table: SessionTable, selected: npt.NDArray[np.bool_]) -> bool:
        """Return True if the latest shares are those of fewer sessions: more were read since."""
        (latest, importance), key = self._importance, _build_importance_key(view, table, selected)
        if importance is None or latest[0] is table or latest[2:-1] != key[2:-1]:
            return False
        former = latest[1]
        if not isinstance(former, Metric) or table.metric(former.title) is not key[1]:
            return False
        names = {name for each in importance.hparams for name in (each.name, *each.together)}
        return len(latest[0]) < len(table) and names <= table.hparams.keys()  # type: ignore[arg-type]

    def _find_importance(self, view: View, table: SessionTable, selected: npt.NDArray[np.bool_]) -> Importance | None:
        settings, chosen = view.settings, SESSIONS.value(view.settings)
        metric = choose_main_metric(table.metrics, chosen.metric)
        if metric is None:
            return None
        key = _build_importance_key(view, table, selected)
        if self._importance[0] != key:
            seeds = table.seeds if chosen.seeds is None else chosen.seeds
            values = compute_metric_values(table, settings)[metric.title].values
            best = metric.direction(settings) or "min"
            self._importance = key, measure_importance(table, metric.title, values, best, selected, seeds)
        return self._importance[1]


def _build_importance_key(view: View, table: SessionTable, selected: npt.NDArray[np.bool_]) -> tuple[object, ...]:
    """Return all inputs of the shares of a view: the figure is at 2 and 3, the selected sessions are the last one."""
    settings, chosen = view.settings, SESSIONS.value(view.settings)
    metric = choose_main_metric(table.metrics, chosen.metric)
    seeds = table.seeds if chosen.seeds is None else chosen.seeds
    best = "min" if metric is None else metric.direction(settings) or "min"
    return (table, metric, chosen.figure, chosen.at, seeds, best, settings.charts, selected.tobytes())


def _has_other_sessions_or_figure(known: tuple[object, ...], key: tuple[object, ...]) -> bool:
    """Return True if known shares differ from those of a key in nothing but the selected sessions or the figure."""
    if len(known) != len(key) or known == key:
        return False
    return known[:2] == key[:2] and known[4:-1] == key[4:-1]
