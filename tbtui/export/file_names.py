"""Names for the files of values: made of run, tag and step, whatever these hold.

A name can be kept by any file system: it has no separator, no control character and no name that Windows keeps for
devices, is short, and no other one differs from it in upper and lower case alone. It hides no file, is no option of a
program, and can be told from all others of the same export.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

MOST_BYTES = 80
"""Of the part that a run, and of the part that a tag has in a name, in UTF-8: names of 255 bytes are the longest that
most file systems keep, encrypted ones 143, and half of them is for step and ending."""

_KEPT = frozenset("._=+-")
_EDGES = "._-"
_BETWEEN = "-"
_AGAIN = "~"
"""Stands before a number, and is never kept of a name."""

_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)
"""Source: Microsoft, "Naming Files, Paths, and Namespaces"; also with anything behind a dot."""


class FileNames:
    """The stems of all series of one export."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def stem(self, run: str, tag: str) -> str:
        """What the names of all files of a series begin with; no two calls have the same answer."""
        parts = [part for name in (run, tag) if (part := _kept(name))]
        stem = _BETWEEN.join(parts) or "unnamed"
        if _folded(stem.partition(".")[0]) in _DEVICES:
            stem = f"_{stem}"
        unique, times = stem, 1
        while (key := _folded(unique)) in self._taken:
            times += 1
            unique = f"{stem}{_AGAIN}{times}"
        self._taken.add(key)
        return unique


class StepNames:
    """The names of the files of one series; one of each starts with another stem.

    Args:
        stem: As `FileNames.stem` has it.
        steps: Of all points, int64[n]; a step that is there again has a number behind it.
    """

    def __init__(self, stem: str, steps: npt.NDArray[np.int64]) -> None:
        self._stem, self._steps, self._times = stem, steps, _times(steps)
        self._digits = max(len(str(steps.min())), len(str(steps.max()))) if len(steps) else 1

    def name(self, point: int, ending: str, sample: int | None = None) -> str:
        """The name of one file.

        Args:
            point: Index of the step.
            ending: Of the name, its dot included.
            sample: Which of the values of this step; None where it has one alone.
        """
        step, times = int(self._steps[point]), int(self._times[point])
        again = f"{_AGAIN}{times + 1}" if times else ""
        which = "" if sample is None else f"_{sample}"
        return f"{self._stem}-step{step:0{self._digits}d}{again}{which}{ending}"


def _kept(name: str) -> str:
    """What of a name can stand in the name of a file, cut in its middle where it is long."""
    composed = unicodedata.normalize("NFC", name)
    marked = "".join(letter if _is_kept(letter) else " " for letter in composed)
    kept = "_".join(marked.split()).strip(_EDGES)
    encoded = kept.encode()
    if len(encoded) <= MOST_BYTES:
        return kept
    # Tags are told apart by their ends rather than by their beginnings.
    first, last = encoded[: MOST_BYTES // 3], encoded[1 - MOST_BYTES + MOST_BYTES // 3 :]
    return f"{first.decode(errors='ignore')}_{last.decode(errors='ignore')}".strip(_EDGES)


def _is_kept(letter: str) -> bool:
    """Letters, digits and what is written above or below them, of any script."""
    return letter in _KEPT or letter.isalnum() or unicodedata.category(letter).startswith("M")


def _folded(name: str) -> str:
    """What is alike of names that a file system may take for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _times(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How often the step of each point was there before it."""
    order = np.argsort(steps, kind="stable")
    ordered = steps[order]
    begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(steps)), np.bool_), ordered[1:] != ordered[:-1]]))
    times = np.empty(len(steps), np.int64)
    times[order] = np.arange(len(steps)) - np.repeat(begins, np.diff(begins, append=len(steps)))
    return times
