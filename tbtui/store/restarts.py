"""Find the restarts of a series, and the points that later ones supersede on the step axis (`docs/points.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.store.file_merge import count_late_points, make_monotone

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

MAX_CROSSING_STRIDES = 8
"""A piece that leaps over the former maximum by more than this many times its own advance returns to the former count:
two counters alternate in one file."""

MAX_SWAPPED_POINTS = 3
"""Up to this many points after a single greater one are neighbours out of order, not a restart."""


@frozen(eq=False)
class FileParts:
    """The files of the points of a series, as parts of one file each."""

    starts: npt.NDArray[np.int64]
    """Index of the first point of each part, int64[k]."""

    files: npt.NDArray[np.int32]
    """Index of its file in the run's `files`, int32[k]."""

    @classmethod
    def of(cls, files: npt.NDArray[np.int32]) -> FileParts:
        """Return the parts of points whose files are int32[n]."""
        is_first = np.empty(len(files), np.bool_)
        is_first[:1] = True
        np.not_equal(files[1:], files[:-1], out=is_first[1:])
        starts = is_first.nonzero()[0]
        return cls(starts, files[starts])

    def find_files(self, count: int) -> npt.NDArray[np.int32]:
        """Return the file of each of `count` points, int32[count]."""
        return np.repeat(self.files, np.diff(self.starts, append=count))

    def split_chains(self, count: int) -> list[npt.NDArray[np.intp]] | None:
        """Return the points of each chain of files that do not overlap in time; None if all files are one chain."""
        if len(self.starts) == len(np.unique(self.files)):
            return None
        numbers = _number_chains(self.files.tolist(), np.diff(self.starts, append=count).tolist())
        if len(set(numbers.values())) == 1:
            return None
        chains = np.array([numbers[file] for file in self.files.tolist()], np.int32)
        chain_of_point = np.repeat(chains, np.diff(self.starts, append=count))
        return [np.flatnonzero(chain_of_point == number) for number in sorted(set(numbers.values()))]


@frozen
class RunRestart:
    """A restart of a run, by its longest tags."""

    wall_time: float
    """Time of its beginning, seconds since the epoch."""

    min_step: int
    """Smallest step at which other tags may have gone back with it: one stride before that of the longest tag."""


def _number_chains(files: Sequence[int], lengths: Sequence[int]) -> dict[int, int]:
    """Return the chain of each file: the one that ended last before the file began, else a new one.

    Args:
        files: The file of each part.
        lengths: The number of points of each part.
    """
    last = _find_last_parts(files, lengths)
    chain_ends: list[int] = []
    numbers: dict[int, int] = {}
    for part, file in enumerate(files):
        if file in numbers:
            continue
        ended = [number for number, end in enumerate(chain_ends) if end < part]
        number = max(ended, key=chain_ends.__getitem__, default=len(chain_ends))
        if number == len(chain_ends):
            chain_ends.append(last[file])
        chain_ends[number] = last[file]
        numbers[file] = number
    return numbers


def _find_last_parts(files: Sequence[int], lengths: Sequence[int]) -> dict[int, int]:
    """Return the part with which each file ends, apart from a few late points."""
    totals: dict[int, int] = {}
    for file, length in zip(files, lengths, strict=True):
        totals[file] = totals.get(file, 0) + length
    late = dict.fromkeys(totals, 0)
    last: dict[int, int] = {}
    for part in range(len(files) - 1, -1, -1):
        file = files[part]
        late[file] += lengths[part]
        if file not in last and late[file] > count_late_points(totals[file]):
            last[file] = part
    return last


def find_restarts(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Return the indices of the points with which a training began again at an earlier step, ascending.

    The step goes back and stays back: from there it advances over at least two distinct steps up to the maximum so
    far. A single value at an earlier step, neighbours out of order and counters that alternate are no restart.

    Args:
        steps: int64[n], in order of time; from files that do not overlap in time.
    """
    descents = np.flatnonzero(steps[1:] < steps[:-1]) + 1
    if not len(descents):
        return np.zeros(0, np.intp)
    starts, ends = np.concatenate(([0], descents)), np.append(descents, len(steps))
    firsts, lasts = steps[starts].tolist(), steps[ends - 1].tolist()
    restarts: list[int] = []
    began, greatest, greatest_end = 0, lasts[0], int(ends[0])
    budget = MAX_COMPARED_POINTS
    for piece in range(1, len(starts)):
        first, last = firsts[piece], lasts[piece]
        if first < last and first < greatest:
            start, end = int(starts[piece]), int(ends[piece])
            if _is_restart(steps[start:end], greatest, steps[:greatest_end]):
                budget -= end - began + MIN_COMPARED_POINTS
                if budget < 0 or not _is_taking_turns(steps[began:start], steps[start:end]):
                    restarts.append(start)
                    began, greatest, greatest_end = start, last, end
                    continue
        if last >= greatest:
            greatest, greatest_end = last, int(ends[piece])
    return np.array(restarts, np.intp)


def _is_restart(piece: npt.NDArray[np.int64], greatest: int, former: npt.NDArray[np.int64]) -> bool:
    """Return True if a piece of points is a restart.

    Args:
        piece: Steps that do not decrease; the first is smaller than `greatest`.
        greatest: Maximum step that was reached before.
        former: Steps up to that maximum.
    """
    first = int(piece[0])
    below = int(np.searchsorted(piece, greatest))
    reached = int(piece[below - 1])
    if below < len(piece) and int(piece[below]) == greatest:
        return True
    if reached == first or below == len(piece):
        return reached > first
    is_alone = len(former) < 2 or int(former[-2]) < first
    if is_alone and below <= MAX_SWAPPED_POINTS:
        return False
    return int(piece[below]) - reached <= MAX_CROSSING_STRIDES * (reached - first)


def _is_taking_turns(former: npt.NDArray[np.int64], piece: npt.NDArray[np.int64]) -> bool:
    """Return True if points and former ones fill each other's gaps, several steps at a time.

    A training that moves between machines whose clocks differ leaves such steps: 0 to 9 and 20 to 29 in one file, 10 to
    19 and 30 to 39 in another one with earlier or later times.

    Args:
        former: Steps since the last restart, in order of time.
        piece: Steps that do not decrease.
    """
    # A step in both decides, and nearly always one of the first is: a resumed training logs the same steps again.
    if any(bool((former == step).any()) for step in piece[:FIRST_STEPS].tolist()):
        return False
    sides = np.unique(former), np.unique(piece)
    steps = np.concatenate(sides)
    order = np.argsort(steps, kind="stable")
    steps = steps[order].astype(np.float64)
    is_piece = order >= len(sides[0])
    changes = np.flatnonzero(is_piece[1:] != is_piece[:-1]) + 1
    if len(changes) < 2 or bool((steps[1:] == steps[:-1]).any()) or np.diff(changes).min() < MIN_STEPS_OF_A_TURN:
        return False
    if len(changes) == 2 and is_piece[changes[0]]:  # it may as well have begun again in a gap
        return False
    strides = [float(np.median(np.diff(side.astype(np.float64)))) for side in sides]
    gaps = steps[changes[1:]] - steps[changes[:-1] - 1]
    return bool((gaps > GAP_STRIDES * np.where(is_piece[changes[:-1]], *strides)).all())


MAX_COMPARED_POINTS, MIN_COMPARED_POINTS = 20_000_000, 20_000
"""Points of a series that are compared in search of parts in turns, and those that each part counts for at least.

This takes half a second at most, also for a counter that begins again 100,000 times.
"""

FIRST_STEPS = 8

MIN_STEPS_OF_A_TURN = 2
GAP_STRIDES = 2
"""A gap that another part fills is longer than this many of the usual strides."""


def find_chain_restarts(
    steps: npt.NDArray[np.int64],
    chains: Sequence[npt.NDArray[np.intp]] | None,
    wall_times: npt.NDArray[np.float64],
    run_restarts: Sequence[RunRestart] = (),
) -> list[tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp]]]:
    """Return each chain, None for all points, with the indices of its restarts in the series.

    Args:
        steps: int64[n], in order of time.
        chains: The points of each chain of files; None for one chain.
        wall_times: float64[n].
        run_restarts: Restarts of the run, in order of time, which the series follows.
    """
    starts = np.zeros(0, np.intp)
    if run_restarts:
        begins = np.array([restart.wall_time for restart in run_restarts])
        starts = np.searchsorted(make_monotone(wall_times), begins)
    if chains is None:
        return [(None, _with_followed(steps, find_restarts(steps), starts, run_restarts))]
    restarts: list[tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp]]] = []
    for chain in chains:
        own = steps[chain]
        followed = _with_followed(own, find_restarts(own), np.searchsorted(chain, starts), run_restarts)
        restarts.append((chain, chain[followed]))
    return restarts


def _with_followed(
    steps: npt.NDArray[np.int64],
    restarts: npt.NDArray[np.intp],
    starts: npt.NDArray[np.intp],
    run_restarts: Sequence[RunRestart],
) -> npt.NDArray[np.intp]:
    """Return the restarts of points, and those of the run at which their steps went back as well.

    Args:
        steps: int64[n], in order of time.
        restarts: Indices of their own restarts.
        starts: Index of the first point after each restart of the run.
        run_restarts: The restarts of the run, in order of time.
    """
    indices = set(restarts.tolist())
    begin = 0
    for start, restart in zip(starts.tolist(), run_restarts, strict=True):
        if start in indices or not 0 < start < len(steps):
            continue
        begin = max((index for index in indices if index < start), default=0)
        if restart.min_step <= int(steps[start]) < int(steps[begin:start].max()):
            indices.add(start)
    return restarts if len(indices) == len(restarts) else np.array(sorted(indices), np.intp)


def select_current(
    steps: npt.NDArray[np.int64],
    restarts: Iterable[tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp]]],
) -> npt.NDArray[np.intp]:
    """Return the indices of the points that the step axis shows, in the order of their steps.

    A restart supersedes earlier points of its chain at its step or greater ones. Of points at one step, the last in
    time is current. At the least step of all, values that were logged after the curve had left it are passed over:
    they belong to a session, such as the `hp_metric` that Lightning logs at step 0 after a test.

    Args:
        steps: int64[n], in order of time.
        restarts: The result of `find_chain_restarts`.
    """
    is_current = np.ones(len(steps), np.bool_)
    for chain, indices in restarts:
        if not len(indices):
            continue
        least_after = np.minimum.accumulate(steps[indices][::-1])[::-1]
        points = np.arange(int(indices[-1])) if chain is None else chain[: int(np.searchsorted(chain, indices[-1]))]
        is_current[points] = steps[points] < least_after[np.searchsorted(indices, points, "right")]
    current = np.flatnonzero(is_current)
    current = current[np.argsort(steps[current], kind="stable")]
    ordered = steps[current]
    is_last = np.ones(len(current), np.bool_)
    is_last[:-1] = ordered[1:] != ordered[:-1]
    at_least = int(np.searchsorted(ordered, ordered[0], "right")) if len(current) else 0
    if 1 < at_least < len(current):
        before = int(np.searchsorted(current[:at_least], current[at_least:].min()))
        if before:
            is_last[:at_least] = False
            is_last[before - 1] = True
    return current[is_last]
