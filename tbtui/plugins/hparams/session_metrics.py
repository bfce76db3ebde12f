"""Metrics of sessions: scalars of their runs, declared ones, and values that were logged with a session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.hparams.decode import SESSION_START_TAG
from tbtui.plugins.hparams.metric import PLACEHOLDER_METRIC, PLACEHOLDER_VALUE, LoggedValue, Metric
from tbtui.store.run_series import iter_scalar_series
from tbtui.store.snapshot import ReferenceSeries
from tbtui.view.natural_order import make_natural_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from tbtui.plugins.hparams.decode import Experiment, MetricInfo
    from tbtui.store.snapshot import RunSnapshot, ScalarSeries

    MetricKey: TypeAlias = tuple[str, str]
    """Tag and group of a metric."""

_METRIC_PREFIX = re.compile(r"^(?:hparams?|hp|metrics?)/")


class MetricFinder:
    """Finds the metrics of all sessions.

    Args:
        runs: All runs as stored, by name.
        folded: The run that each run is folded into.
        logged: Names of the runs that hold a session message.
        experiments: Declarations of all runs.
    """

    def __init__(
        self,
        runs: Mapping[str, RunSnapshot],
        folded: Mapping[str, str],
        logged: Collection[str],
        experiments: Iterable[Experiment],
    ) -> None:
        self._runs, self._folded, self._logged = runs, folded, logged
        self._declared: dict[MetricKey, MetricInfo] = {}
        for experiment in experiments:
            for info in experiment.metric_infos:
                self._declared.setdefault((info.tag, info.group), info)

    def find(self, members: Mapping[str, Sequence[str]]) -> tuple[tuple[Metric, ...], tuple[str, ...]]:
        """Return all metrics with a value, and the titles of those that were declared and have none.

        Args:
            members: The runs of each session, by the name of the session in the order of rows.
        """
        declared, count = self._declared, len(members)
        curves: dict[MetricKey, list[ScalarSeries | None]] = {}
        logged: dict[MetricKey, list[LoggedValue | None]] = {}
        for index, (row, runs) in enumerate(members.items()):
            for key, curve, value in self._find_metrics(row, runs):
                if key not in curves:
                    curves[key], logged[key] = [None] * count, [None] * count
                curves[key][index] = curve if curve is not None else curves[key][index]
                logged[key][index] = value if value is not None else logged[key][index]
        keys = [key for key in declared if key in curves and not _is_placeholder(key[0], curves[key], logged[key])]
        others = [key for key in curves if key not in declared]
        others = [key for key in others if not _is_placeholder(key[0], curves[key], logged[key])]
        keys += sorted(others, key=lambda key: make_natural_key(f"{key[1]}/{key[0]}"))
        titles = _make_titles(keys, declared)
        metrics = tuple(
            Metric(
                *key,
                titles[key],
                declared[key].description if key in declared else "",
                declared[key].dataset_type if key in declared else "",
                key in declared,
                tuple(curves[key]),
                tuple(logged[key]),
            )
            for key in keys
        )
        return metrics, tuple("/".join(filter(None, (key[1], key[0]))) for key in declared if key not in curves)

    def _find_metrics(
        self, row: str, members: Iterable[str]
    ) -> Iterator[tuple[MetricKey, ScalarSeries | None, LoggedValue | None]]:
        """Yield tag and group of each metric of a row, its curve, and the value that was logged with the session."""
        curves: dict[MetricKey, ScalarSeries] = {}
        folded: dict[str, ScalarSeries] = {}
        for name in members:
            is_folded = self._folded.get(name) == row
            group = "" if is_folded or name == row else name if row == "." else name[len(row) + 1 :]
            for series in iter_scalar_series(self._runs[name].series):
                if is_folded:
                    folded[series.tag] = series
                else:
                    curves[series.tag, group] = series
        run = self._runs.get(row)
        for (tag, group), series in curves.items():
            separated = None if group or run is None or row not in self._logged else separate_logged_value(run, series)
            if separated is None:
                yield (tag, group), series, None
            else:
                yield (tag, group), separated[1], separated[0]
        for tag, series in folded.items():
            value = LoggedValue(float(series.values[-1]), int(series.steps[-1]))
            curve = curves.get((tag, "")) or curves.get((_METRIC_PREFIX.sub("", tag), ""))
            yield (tag, ""), curve or series, value


def separate_logged_value(run: RunSnapshot, series: ScalarSeries) -> tuple[LoggedValue, ScalarSeries] | None:
    """Return the value that a session logged into a curve at an earlier step, and the curve without it.

    PyTorch's `add_hparams(run_name=".")` without a step logs the metrics at step 0 of the run itself, into a file of
    their own. Such a value must not replace the first point of the curve.

    Args:
        run: The run of the session.
        series: A scalar series of the run.

    Returns:
        None if there is no such value.
    """
    parts, start = series.parts, run.series.get(SESSION_START_TAG)
    if parts is None or not isinstance(start, ReferenceSeries) or len(series) < 2:
        return None
    files = parts.find_files(len(series))
    for file in np.unique(start.files).tolist():
        points = np.flatnonzero(files == file)
        if len(points) == 1 and series.steps[points[0]] < series.steps.max() and len(points) < len(series):
            point = int(points[0])
            others = np.flatnonzero(files != file)
            return LoggedValue(float(series.values[point]), int(series.steps[point])), series.part(others)
    return None


def _is_placeholder(tag: str, curves: Iterable[ScalarSeries | None], logged: Iterable[LoggedValue | None]) -> bool:
    """Return True for Lightning's metric if it has no other value than its default."""
    if tag.rpartition("/")[2] != PLACEHOLDER_METRIC:
        return False
    return all(curve is None or bool((curve.values == PLACEHOLDER_VALUE).all()) for curve in curves) and all(
        value is None or value.value == PLACEHOLDER_VALUE for value in logged
    )


def _make_titles(keys: Sequence[MetricKey], declared: Mapping[MetricKey, MetricInfo]) -> dict[MetricKey, str]:
    """Return a unique title of each metric: its display name, with its group if another one has the same."""
    paths = {key: "/".join(filter(None, (key[1], key[0]))) for key in keys}
    titles = {key: (declared[key].display_name if key in declared else "") or paths[key] for key in keys}
    seen: dict[str, list[MetricKey]] = {}
    for key, title in titles.items():
        seen.setdefault(title, []).append(key)
    for title, alike in seen.items():
        if len(alike) > 1:
            for key in alike:
                titles[key] = f"{key[1]}/{title}" if key[1] else paths[key]
    used_titles: set[str] = set()
    for key, title in titles.items():
        number = 1
        unique = title
        while unique in used_titles:
            number += 1
            unique = f"{title} ({number})"
        titles[key] = unique
        used_titles.add(unique)
    return titles
