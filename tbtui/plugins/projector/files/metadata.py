"""Read `metadata.tsv`: the labels and other columns of the points.

Rules of TensorBoard (`vz_projector/data-provider.ts`): the first line that is not blank is a header if it holds a tab,
else the one column has no name. Cells are split at tabs alone; there are no quotes and no escapes. Blank lines are
skipped, which shifts labels after an empty one; here they are kept when the lines then match the points.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MAX_METADATA_BYTES = 1 << 30
MAX_COLUMNS = 1000
MAX_CATEGORIES = 50
"""A column with more distinct values is not categorical, as in TensorBoard."""

LABEL = "label"
"""Name of the column of a file without header."""

NUMBER = re.compile(r"\s*[+-]?(?:Infinity|\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|0x[\da-f]+)\s*\Z", re.IGNORECASE)
"""A number as in JavaScript, by which TensorBoard decides whether a column is numeric."""


@frozen(eq=False, slots=False)
class Column:
    """One column of metadata, one text per point; an empty text is a missing value."""

    name: str
    texts: tuple[str, ...]

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64] | None:
        """The values as numbers, float64[n], missing ones as NaN; None if a value is not a number."""
        numbers = np.full(len(self.texts), np.nan)
        parsed: dict[str, float] = {"": np.nan}
        for index, text in enumerate(self.texts):
            number = parsed.get(text)
            if number is None:
                if not NUMBER.match(text):
                    return None
                number = parsed[text] = _parse_number(text)
            numbers[index] = number
        return numbers if len(parsed) > 1 else None

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The distinct values that are present, the most frequent first; those of equal frequency in natural order."""
        counts: dict[str, int] = {}
        for text in self.texts:
            counts[text] = counts.get(text, 0) + 1
        counts.pop("", None)
        return tuple(sorted(counts, key=lambda text: (-counts[text], to_natural_key(text))))

    @cached_property
    def codes(self) -> npt.NDArray[np.int32]:
        """Index of each value in `categories`, int32[n]; -1 for a missing one."""
        index = {text: number for number, text in enumerate(self.categories)}
        return np.fromiter((index.get(text, -1) for text in self.texts), np.int32, len(self.texts))

    @property
    def is_categorical(self) -> bool:
        """Return True if the column has few distinct values, so that each may have a colour."""
        return 1 <= self._distinct <= min(MAX_CATEGORIES, max(len(self.texts) // 2, 1))

    @cached_property
    def _distinct(self) -> int:
        """Number of distinct values that are present: 88,588 words are counted in 5 ms, but sorted in half a second."""
        return len(set(self.texts) - {""})

    def take(self, rows: npt.NDArray[np.intp]) -> Column:
        """Return the column of some of the points."""
        return Column(self.name, tuple(map(self.texts.__getitem__, rows.tolist())))


@frozen(eq=False)
class Metadata:
    """The columns of all points of one tensor."""

    columns: tuple[Column, ...] = ()
    rows: int = 0
    """Rows in the file; the number of points may differ."""

    problems: tuple[str, ...] = ()

    @property
    def label(self) -> Column | None:
        """The column that names the points: the first that is not numeric, else the first."""
        return next((column for column in self.columns if column.numbers is None), next(iter(self.columns), None))

    def column(self, name: str) -> Column | None:
        """Return the column of a name; of equal names the last, as in TensorBoard."""
        return next((column for column in reversed(self.columns) if column.name == name), None)

    def take(self, rows: npt.NDArray[np.intp]) -> Metadata:
        """Return the metadata of some of the points."""
        return Metadata(tuple(column.take(rows) for column in self.columns), self.rows, self.problems)


def read_metadata(path: str, points: int) -> Metadata:
    """Return the metadata of a number of points.

    Raises:
        OSError: The file cannot be read.
    """
    with open_file(path) as file:
        if file.size > MAX_METADATA_BYTES:
            raise OSError(f"the metadata has {file.size:,} bytes; at most {MAX_METADATA_BYTES:,} are read")
        data = file.read(0, file.size).tobytes()
    return parse_metadata(data.decode("utf-8", "replace"), points)


def parse_metadata(text: str, points: int) -> Metadata:
    """Return the metadata of a number of points from the text of its file. It never fails: problems are listed."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    if not any(line.strip() for line in lines):
        return (
            Metadata(rows=len(lines), problems=("the metadata is empty",)) if not lines else _parse_lines(lines, points)
        )
    return _parse_lines(lines, points)


def _parse_lines(lines: list[str], points: int) -> Metadata:
    header = _find_header(lines, points)
    body = lines[1:] if header is not None else lines
    if len(body) != points:  # TensorBoard's rule, by which blank lines are no rows
        not_blank = [line for line in body if line.strip()]
        body = not_blank if len(not_blank) == points or len(not_blank) > points > len(body) else body
    problems = []
    if len(body) != points:
        rows = "row" if len(body) == 1 else "rows"
        problems.append(
            f"the metadata has {len(body):,} {rows} for {points:,} points: "
            + ("labels after a line break inside one are shifted" if len(body) > points else "the last have none")
        )
    names = header if header is not None else [LABEL]
    if len(names) > MAX_COLUMNS:
        problems.append(f"the first {MAX_COLUMNS:,} of {len(names):,} columns are shown")
        names = names[:MAX_COLUMNS]
    return Metadata(_split_columns(names, body[:points], points), len(body), tuple(problems))


def _split_columns(names: Sequence[str], body: Sequence[str], points: int) -> tuple[Column, ...]:
    if len(names) == 1:
        texts: list[Sequence[str]] = [[line if line.strip() else "" for line in body]]
    else:
        cells = [line.split("\t") for line in body]
        texts = [[row[index] if index < len(row) else "" for row in cells] for index in range(len(names))]
    missing = [""] * (points - len(body))
    return tuple(Column(name, (*values, *missing)) for name, values in zip(names, texts, strict=True))


def _find_header(lines: Sequence[str], points: int) -> list[str] | None:
    """Return the names of the columns; None if the file has no header.

    PyTorch writes labels with tabs as they are, so that a first line with a tab need not be a header: it is none if all
    lines are as many as points, or if no other line has a tab. One more line than points, in one column, of which the
    first is unlike all others, is a header that TensorBoard refuses.
    """
    first = lines[0]
    if "\t" in first:
        has_tabs = any("\t" in line for line in lines[1:])
        if len(lines) == points and not has_tabs and points > 1:
            return None
        return _fill_empty_names(first.split("\t"))
    if len(lines) == points + 1 and points > 1 and first.strip() and not any("\t" in line for line in lines):
        others = [line for line in lines[1:] if line.strip()]
        if others and not NUMBER.match(first) and all(NUMBER.match(line) for line in others):
            return [first]
    return None


def _fill_empty_names(names: Sequence[str]) -> list[str]:
    """Return names of columns, none empty."""
    return [name.strip() or f"column {number}" for number, name in enumerate(names, 1)]


def _parse_number(text: str) -> float:
    text = text.strip()
    if text[:2].lower() == "0x":
        return float(int(text, 16))
    return float(text)


_DIGITS = re.compile(r"(\d+)")


def to_natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts `class 2` before `class 10`."""
    return tuple((0, int(part[:18]), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(text) if part)
