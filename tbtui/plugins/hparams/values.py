"""Sessions for the Python API: `logs.sessions()`."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from tbtui.export.table import build_object_column
from tbtui.frozen import frozen
from tbtui.plugins.hparams.export import build_session_table
from tbtui.plugins.hparams.importance import Importance, measure_importance
from tbtui.plugins.hparams.metric import choose_main_metric
from tbtui.run_health.anomalies import guess_metric_direction

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.plugins.hparams.session_table import SessionTable
    from tbtui.plugins.hparams.settings import Figure
    from tbtui.settings.settings import Best


@frozen
class SessionValues:
    """One session."""

    name: str
    """Run that represents it."""

    runs: tuple[str, ...]
    """All its runs."""

    group: str
    status: str
    """`done`, `failed`, `running` or `nan`."""

    hparams: Mapping[str, HParamValue]
    metrics: Mapping[str, float]
    """Values by title of the metric; metrics without a value are missing."""


class Sessions(Sequence[SessionValues]):
    """All sessions of some logs, one row each; it does not change.

    Args:
        table: The table of the dashboard.
        figure: Point of each curve that is the value of a metric.
        metric: Title of the metric that sessions are judged by; empty: the first one of the validation data.
    """

    def __init__(self, table: SessionTable, figure: Figure = "last", metric: str = "") -> None:
        self._table, self._figure = table, figure
        self._metric = choose_main_metric(table.metrics, metric)
        self._values = {
            each.title: table.figures.values(each, figure, guess_metric_direction(each.tag)).values
            for each in table.metrics
        }

    @property
    def metric(self) -> str | None:
        """Title of the metric that sessions are judged by; None without any metric."""
        return None if self._metric is None else self._metric.title

    @property
    def names(self) -> tuple[str, ...]:
        """Run that represents each session."""
        return tuple(session.name for session in self._table.sessions)

    @property
    def hparams(self) -> Mapping[str, npt.NDArray[Any]]:
        """Hyperparameters by name: float64 where all values are numbers (NaN is missing), otherwise objects."""
        columns = {}
        for name, hparam in self._table.hparams.items():
            column = hparam.column
            columns[name] = column.numbers.copy() if column.is_numeric else build_object_column(column.values())
        return MappingProxyType(columns)

    @property
    def metrics(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Values of metrics by title, float64; NaN is missing or diverged."""
        return MappingProxyType({title: column.numbers.copy() for title, column in self._values.items()})

    def importance(self, metric: str | None = None, *, best: Best | None = None) -> Importance:
        """Return the importance for a metric: `sessions.importance("val/loss").hparams[0].share`.

        Args:
            metric: Title of the metric; None: the one that sessions are judged by.
            best: `min` or `max`; None: guessed from the name, `min` if the name is unknown.

        Raises:
            ValueError: There is no such metric.
        """
        title = self.metric if metric is None else metric
        metric_facts = None if title is None else self._table.metric(title)
        if metric_facts is None or title is None:
            titles = ", ".join(each.title for each in self._table.metrics) or "none"
            raise ValueError(f"there is no metric {title!r}; there are {titles}")
        goal = best or guess_metric_direction(metric_facts.tag) or "min"
        return measure_importance(self._table, title, self._values[title], goal, None, self._table.seeds)

    def to_pandas(self) -> DataFrame:
        """Return one row for each session: run, group, status, times, hyperparameters and metrics.

        Raises:
            ImportError: pandas is not installed.
        """
        from tbtui.api.data_frames import frame_from_columns

        _, rows = build_session_table(self._table, lambda _: True, self._figure)
        return frame_from_columns(rows.columns).infer_objects()

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, index: int) -> SessionValues: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SessionValues]: ...

    def __getitem__(self, index: int | slice) -> SessionValues | Sequence[SessionValues]:
        if isinstance(index, slice):
            return [self._session(row) for row in range(len(self))[index]]
        return self._session(range(len(self))[index])

    def _session(self, row: int) -> SessionValues:
        session = self._table.sessions[row]
        hparams = {name: hparam.column.value(row) for name, hparam in self._table.hparams.items()}
        return SessionValues(
            session.name,
            session.members,
            session.group,
            str(self._table.statuses.value(row)),
            MappingProxyType({name: value for name, value in hparams.items() if value is not None}),
            MappingProxyType(
                {title: float(column.numbers[row]) for title, column in self._values.items() if column.present[row]}
            ),
        )

    def __repr__(self) -> str:
        count = len(self)
        judged = f" judged by {self.metric}" if self.metric is not None else ""
        return f"<{count:,} session{'s' * (count != 1)}{judged}>"
