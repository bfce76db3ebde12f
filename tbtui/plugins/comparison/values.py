"""A comparison for the Python API: `logs.compare()`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.plugins.comparison.export import collect_hparam_values, run_table, tag_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.plugins.comparison.compared_runs import ComparedTag, Comparison, Entry
    from tbtui.plugins.comparison.settings import Statistic
    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.settings.settings import Best


class ComparedRuns:
    """A comparison of runs, one row each, with the numbers of `tbtui compare`; immutable.

    Args:
        comparison: The comparison, with all points.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    @property
    def runs(self) -> tuple[str, ...]:
        """Runs in the order of the rows; those without any of the tags are missing."""
        return self._comparison.runs

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags in the order of the columns: metrics of validation, other metrics, differing tags, sparse tags."""
        return tuple(tag.tag for tag in self._comparison.tags)

    @property
    def figure(self) -> Statistic:
        """The point of each curve that is its value."""
        return self._comparison.figure

    @property
    def baseline(self) -> str | None:
        """Run that `deltas` refer to."""
        return self._comparison.baseline

    @property
    def values(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Values by tag, one per run; NaN is missing or diverged."""
        return self._list_columns_by_tag(lambda entry: entry.compared.value)

    @property
    def steps(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Steps of these values by tag; NaN is missing."""
        return self._list_columns_by_tag(lambda entry: entry.compared.step)

    @property
    def deltas(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Differences from the baseline by tag; NaN for the baseline itself, and where either value is not finite."""
        return self._list_columns_by_tag(lambda entry: entry.delta)

    @property
    def directions(self) -> Mapping[str, Best | None]:
        """Better end of each tag, `min` or `max`; None if it is unknown."""
        return MappingProxyType({tag.tag: tag.best for tag in self._comparison.tags})

    @property
    def best_runs(self) -> Mapping[str, tuple[str, ...]]:
        """Runs with the best value of each tag; none where the better end is not known, or all have the same value."""
        return MappingProxyType(
            {
                tag.tag: tuple(run for run, entry in tag.entries.items() if entry.is_best)
                for tag in self._comparison.tags
            }
        )

    @property
    def hparams(self) -> Mapping[str, npt.NDArray[Any]]:
        """Hyperparameters that differ between the runs: float64, or objects if any is a text or missing."""
        return MappingProxyType(
            {name: collect_hparam_values(self._comparison, name) for name in self._comparison.differing}
        )

    @property
    def same_hparams(self) -> Mapping[str, HParamValue]:
        """Hyperparameters with the same value in all runs."""
        return self._comparison.constant

    def to_pandas(self) -> DataFrame:
        """Return one row for each run, as `tbtui export --plugin comparison --wide` writes it.

        Raises:
            ImportError: pandas is not installed.
        """
        from tbtui.api.data_frames import frame_from_columns

        _, table = run_table(self._comparison)
        columns = {name: _with_nan(column) for name, column in table.columns.items()}
        return frame_from_columns(columns).infer_objects()

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        runs, tags = len(self.runs), len(self.tags)
        return f"<{self.figure} values of {runs:,} run{'s' * (runs != 1)}, {tags:,} tag{'s' * (tags != 1)}>"

    def _list_columns_by_tag(self, number: Callable[[Entry], float | None]) -> Mapping[str, npt.NDArray[np.float64]]:
        def column(tag: ComparedTag) -> npt.NDArray[np.float64]:
            return _with_nan(tag_values(self._comparison, tag, number))

        return MappingProxyType({tag.tag: column(tag) for tag in self._comparison.tags})


def _with_nan(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a column in which missing numbers are NaN."""
    if isinstance(column, np.ma.MaskedArray):
        filled: npt.NDArray[Any] = column.filled(np.nan)
        return filled
    return column
