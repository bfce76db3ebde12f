"""Attributes of runs: hyperparameters, metrics and states as columns, which filter, colour and group runs.

A row is a session, which may have several runs: Keras writes two runs per session, and PyTorch writes hyperparameters
into a separate run. Columns are arrays, so that thousands of sessions are filtered within a frame.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.settings.filters import has_term_signs
from tbtui.settings.settings import RunGroups
from tbtui.view.natural_order import make_natural_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.settings.settings import Settings

AttributeValue: TypeAlias = "bool | float | str"

SAME_DIGITS = 15
"""Significant digits in which equal numbers agree: 0.1 * 3 equals 0.3."""

NUMBER, NO_WORD = -1, -2
"""Codes of a row with a number and of one without a value."""


def restore_decimals(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return numbers as users wrote them: 0.1 for the nearest float32, 0.3 for 0.1 * 3."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        power = SAME_DIGITS - 1 - np.floor(np.log10(np.abs(numbers)))
        factor = 10.0**power
        rounded = np.rint(numbers * factor) / factor
        as_float32 = numbers.astype(np.float32)
        is_float32 = (as_float32 == numbers) & (numbers != np.rint(numbers))
    rounded = np.where(np.isfinite(rounded) & (numbers != 0), rounded, numbers)
    if is_float32.any():
        rounded[is_float32] = as_float32[is_float32].astype(str).astype(np.float64)
    return rounded


@frozen(slots=False, eq=False)
class AttributeColumn:
    """One attribute of each row: a number, a word or nothing."""

    numbers: npt.NDArray[np.float64]
    """Number of each row, float64[n]; NaN for a NaN and for rows without a number."""

    codes: npt.NDArray[np.int32]
    """Index into `words`, `NUMBER` or `NO_WORD`, int32[n]."""

    words: tuple[str | bool, ...] = ()
    """Distinct texts and booleans, not yet safe for a terminal."""

    @classmethod
    def of_values(cls, values: Iterable[AttributeValue | None]) -> AttributeColumn:
        """Return the column of some values; None is missing."""
        # The fast case: there may be hundreds of thousands of values, most of them floats.
        value_list = list(values)
        if set(map(type, value_list)) == {float}:
            return cls.of_numbers(np.array(value_list, np.float64))
        codes_of_words: dict[tuple[type, str | bool], int] = {}
        codes = [
            NUMBER
            if type(value) is float
            else NO_WORD
            if value is None
            else codes_of_words.setdefault((type(value), value), len(codes_of_words))
            if isinstance(value, bool | str)
            else NUMBER
            for value in value_list
        ]
        numbers = [
            value if type(value) is float else np.nan if code != NUMBER else float(value)  # type: ignore[arg-type]
            for value, code in zip(value_list, codes, strict=True)
        ]
        words = tuple(word for _, word in codes_of_words)
        return cls(np.array(numbers, np.float64), np.array(codes, np.int32), words)

    @classmethod
    def of_numbers(
        cls, numbers: npt.NDArray[np.float64], present: npt.NDArray[np.bool_] | None = None
    ) -> AttributeColumn:
        """Return a column of numbers; rows that are not `present` have none."""
        codes = np.full(len(numbers), NUMBER, np.int32)
        if present is not None:
            codes[~present] = NO_WORD
        return cls(numbers, codes)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def present(self) -> npt.NDArray[np.bool_]:
        """True for rows with a value, bool[n]."""
        return np.asarray(self.codes != NO_WORD)

    @cached_property
    def is_number(self) -> npt.NDArray[np.bool_]:
        """True for rows with a number, also NaN, bool[n]."""
        return np.asarray(self.codes == NUMBER)

    @cached_property
    def is_numeric(self) -> bool:
        """True if at least one value is a number and none is a word."""
        return bool(self.is_number.any()) and not bool((self.codes >= 0).any())

    @cached_property
    def is_integral(self) -> bool:
        """True if it is numeric, and all finite numbers are whole."""
        finite = self.numbers[np.isfinite(self.numbers)]
        return self.is_numeric and bool((finite == np.rint(finite)).all())

    @cached_property
    def rounded(self) -> npt.NDArray[np.float64]:
        """Numbers from `restore_decimals`, float64[n]; rows with equal ones have equal values."""
        return restore_decimals(self.numbers)

    @cached_property
    def distinct(self) -> int:
        """Number of distinct values; missing ones do not count."""
        return len(np.unique(self.rounded[self.is_number])) + len(np.unique(self.codes[self.codes >= 0]))

    @cached_property
    def is_constant(self) -> bool:
        """True if all rows have the same value, and none is missing."""
        return bool(self.present.all()) and self.distinct <= 1

    def value(self, row: int) -> AttributeValue | None:
        """Return the value of a row; None if it has none."""
        code = int(self.codes[row])
        if code >= 0:
            return self.words[code]
        return float(self.numbers[row]) if code == NUMBER else None

    def values(self, rows: Iterable[int] | None = None) -> list[AttributeValue | None]:
        """Return the values of some rows, or of all."""
        codes, numbers = self.codes, self.numbers
        if rows is not None:
            indices = np.fromiter(rows, np.intp)
            codes, numbers = codes[indices], numbers[indices]
        if bool((codes == NUMBER).all()):
            return numbers.tolist()  # type: ignore[no-any-return]
        return [
            number if code == NUMBER else None if code == NO_WORD else self.words[code]
            for code, number in zip(codes.tolist(), numbers.tolist(), strict=True)
        ]

    def part(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> AttributeColumn:
        """Return the column of some rows, selected by ascending indices or bool[n].

        Cached properties of the column are reused: level codes are still equal for equal values, but need not be
        consecutive.
        """
        part = AttributeColumn(self.numbers[rows], self.codes[rows], self.words)
        cache = vars(part)
        cache["rounded"], cache["level_codes"] = self.rounded[rows], self.level_codes[rows]
        new_rows = np.full(len(self), -1, np.intp)
        new_rows[rows] = np.arange(len(part))
        order = new_rows[self.order]
        cache["order"] = order[order >= 0]
        return part

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """Rows by their numbers, ascending, int[n]; those without a number, and NaN, are last."""
        return np.argsort(np.where(self.is_number, self.rounded, np.nan), kind="stable")

    @cached_property
    def level_codes(self) -> npt.NDArray[np.intp]:
        """Return a number per row, equal for equal values, int[n]: numbers ascend, then words, then missing."""
        keys = np.where(self.codes == NO_WORD, len(self.words), self.codes)
        _, ranks = np.unique(np.where(self.is_number, self.rounded, 0.0), return_inverse=True)
        both = keys.astype(np.int64) * (len(ranks) + 1) + np.where(self.is_number, ranks.reshape(-1), 0)
        _, inverse = np.unique(both, return_inverse=True)
        return inverse.reshape(-1)


@frozen(slots=False, eq=False)
class RunAttributes:
    """Attributes of all sessions, and the runs of each."""

    members: tuple[tuple[str, ...], ...] = ()
    """Runs of each row."""

    columns: Mapping[str, AttributeColumn] | None = None
    """Column by name."""

    runs: Sequence[str] = ()
    """Name of the run that represents each row."""

    @cached_property
    def row_of_run(self) -> dict[str, int]:
        """Row by run."""
        return {run: row for row, members in enumerate(self.members) for run in members}

    def find(self, name: str) -> AttributeColumn | None:
        """Return the column with a name, or the only one whose name is equal without regard to case; else None."""
        columns = self.columns or {}
        if name in columns:
            return columns[name]
        matches = self._by_folded_name.get(name.casefold(), ())
        return columns[matches[0]] if len(matches) == 1 else None

    @cached_property
    def _by_folded_name(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for name in self.columns or ():
            names.setdefault(name.casefold(), []).append(name)
        return names


NO_ATTRIBUTES = RunAttributes()
"""Attributes that are not known yet: `columns` is None."""


def needs_attributes(settings: Settings) -> bool:
    """Return True if a setting depends on attributes of runs."""
    if settings.colour_by or settings.group_by or settings.run_columns:
        return True
    return has_term_signs(settings.run_filter)


MAX_COLOURS = 8
"""Maximum number of colours of runs by an attribute; more distinct numbers are binned."""


@lru_cache(maxsize=4)
def colour_levels(attributes: RunAttributes, name: str) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """Return the colour of each run by an attribute, a number from 0, and the label of each colour.

    Each word has a colour. Each number has a colour if there are at most `MAX_COLOURS`, otherwise each of the bins,
    which have equal sizes. Runs without a value, and runs without a session, share the last colour.
    """
    column = attributes.find(name)
    if column is None:
        return {}, ()
    finite = column.rounded[column.is_number & np.isfinite(column.rounded)]
    if column.is_numeric and len(np.unique(finite)) > MAX_COLOURS:
        edges = np.unique(np.quantile(finite, np.linspace(0, 1, MAX_COLOURS + 1)[1:-1], method="nearest"))
        codes = np.searchsorted(edges, np.nan_to_num(column.rounded, nan=np.inf), side="right")
        labels = [f"< {edges[0]:.3g}", *(f"≥ {edge:.3g}" for edge in edges.tolist())]
    else:
        codes = column.level_codes
        _, firsts = np.unique(codes, return_index=True)
        labels = [str(column.value(row)) for row in firsts.tolist()]
    codes = np.where(column.present, codes, len(labels))
    level_of_run = {run: int(codes[row]) for run, row in attributes.row_of_run.items()}
    return MappingProxyType(level_of_run), (*labels, "no value")


@lru_cache(maxsize=4)
def group_runs(attributes: RunAttributes, names: tuple[str, ...]) -> RunGroups | None:
    """Return the groups of runs with equal values of some attributes; None without any of these."""
    columns = [(name, column) for name in names if (column := attributes.find(name)) is not None]
    if not columns:
        return None
    texts = []
    for row in range(len(attributes.members)):
        parts = (f"{name}={format_attribute(column.value(row))}" for name, column in columns)
        texts.append(" ".join(parts))
    labels = {run: texts[row] for run, row in attributes.row_of_run.items()}
    # Several runs of one session, such as training and validation, are different curves of the same tags.
    for row, members in enumerate(attributes.members):
        for run in members:
            suffix = run[len(attributes.runs[row]) :].strip("/") if run.startswith(attributes.runs[row]) else ""
            labels[run] = f"{texts[row]} {suffix}".strip()
    return RunGroups(MappingProxyType(labels))


def sort_values(values: AttributeColumn, *, descending: bool) -> npt.NDArray[np.intp]:
    """Return the order of rows: numbers, then words in natural order, then NaN, then missing values."""
    word_order = sorted(range(len(values.words)), key=lambda code: make_natural_key(str(values.words[code])))
    rank_of = np.zeros(len(values.words) + 1, np.int64)
    rank_of[word_order] = np.arange(len(word_order))
    is_word = values.codes >= 0
    is_nan = values.is_number & np.isnan(values.numbers)
    family = np.select([values.codes == NO_WORD, is_nan, is_word], [3, 2, 1], 0)
    sign = -1 if descending else 1
    words = np.where(is_word, sign * rank_of[np.where(is_word, values.codes, 0)], 0)
    numbers = np.where(values.is_number & ~is_nan, sign * values.numbers, 0.0)
    return np.lexsort((numbers, words, family))


def format_attribute(value: AttributeValue | None) -> str:
    """Return a value in few characters, not yet safe for a terminal; `–` if it is missing."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e6 else f"{value:.4g}".replace("e-0", "e-")
