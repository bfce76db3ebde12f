"""Split a run that several processes wrote at the same time into a run for each of them (`docs/points.md`)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, islice
from operator import le, lt
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.store.event_files import collect_first_wall_times, collect_last_wall_times
from tbtui.store.restarts import FileParts
from tbtui.store.run_restarts import select_longest_scalars
from tbtui.store.snapshot import ReferenceSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.store.snapshot import EventFile, RunSnapshot, Series

MAX_LABEL_LENGTH = 40
"""Maximum length of the label that distinguishes the files of two writers; the rest is cut off."""

_FILE_NAME = re.compile(
    r"events\.out\.tfevents\.(?P<time>\d+)\.(?P<host>.*?)(?:\.(?P<pid>\d+)(?:\.(?P<number>\d+))?)?(?P<suffix>\.[a-z]\w*)?"
)
"""TensorFlow, PyTorch and tensorboardX name files TIME.HOST, TIME.HOST.PID.NUMBER or these with a suffix."""


_RANK = re.compile(r"(?:rank|worker|process|proc|gpu|replica)[-_]?\d+", re.IGNORECASE)


def split_writers(
    run: RunSnapshot, former: Mapping[str, RunSnapshot] = MappingProxyType({})
) -> tuple[RunSnapshot, ...]:
    """Return the run, or a run for each writer if several wrote to it at the same time.

    Files that overlap in time and log the same tags at the same steps there have a writer each, and so do files of
    different hosts that are in step, whatever their clocks say. The other files belong to the writer whose names
    resemble theirs, else to one that had ended. The result depends on the run alone.

    Args:
        run: All files of a directory.
        former: An earlier result by name, whose unchanged series are used again.
    """
    if len(run.files) < 2:
        return (run,)
    conflicts = frozenset[tuple[int, int]]()
    if _is_overlapping(run.files):
        conflicts = conflicts.union(*(series.file_conflicts for series in run.series.values()))
    conflicts |= _find_files_in_step(run)
    if not conflicts:
        return (run,)
    writers = _assign_files(run.files, conflicts)
    labels = label_files([run.files[files[0]].path for files in writers])
    return with_assets_once(
        _select_writer(run, f"{run.name} [{label}]", files, former)
        for label, files in zip(labels, writers, strict=True)
    )


def with_assets_once(parts: Iterable[RunSnapshot]) -> tuple[RunSnapshot, ...]:
    """Return the parts of one run, the first with its profiles and embeddings."""
    return tuple(replace(part, assets=()) if number and part.assets else part for number, part in enumerate(parts))


def _is_overlapping(files: Sequence[EventFile]) -> bool:
    """Return True if two files overlap in time, as far as their first and last events tell."""
    firsts = [time for time in collect_first_wall_times(files) if time is not None]
    lasts = [time for time in collect_last_wall_times(files) if time is not None]
    # A run may have tens of thousands of files, most often each begun after the end of the one before.
    has_all = len(firsts) == len(lasts) == len(files)
    if has_all and all(map(le, firsts, lasts)) and all(map(lt, lasts, islice(firsts, 1, None))):
        return False
    ends = zip(collect_first_wall_times(files), collect_last_wall_times(files), strict=True)
    spans = [(min(first, last), max(first, last)) for first, last in ends if first is not None and last is not None]
    spans.sort()
    end = -np.inf
    for first, last in spans:
        if first <= end:
            return True
        end = max(end, last)
    return False


def _find_files_in_step(run: RunSnapshot) -> frozenset[tuple[int, int]]:
    """Return the pairs of files of different hosts or ranks that went through a training together."""
    if not run.has_descents or len({_rank(file.path) for file in run.files}) < 2:
        return frozenset()
    pairs: set[tuple[int, int]] = set()
    for series in select_longest_scalars(run)[:MAX_COMPARED_TAGS]:
        parts = series.file_parts
        if parts is None or len(parts.starts) < 2:
            continue
        files = parts.find_files(len(series))
        points = {file: np.flatnonzero(files == file) for file in np.unique(files).tolist()[:MAX_COMPARED_FILES]}
        for one, other in combinations(points, 2):
            if (one, other) in pairs or _rank(run.files[one].path) == _rank(run.files[other].path):
                continue
            columns = [(series.steps[points[file]], series.wall_times[points[file]]) for file in (one, other)]
            if are_in_step(*columns[0], *columns[1]):
                pairs.add((one, other))
    return frozenset(pairs)


def _rank(path: str) -> tuple[str, str]:
    """Return the host of a file, and the number of its process if its name has one, such as `rank1`."""
    match = _RANK.search(os.path.basename(path))  # noqa: PTH119
    return _identify_writer(path), match[0] if match else ""


def are_in_step(
    steps: npt.NDArray[np.int64],
    wall_times: npt.NDArray[np.float64],
    other_steps: npt.NDArray[np.int64],
    other_times: npt.NDArray[np.float64],
) -> bool:
    """Return True if two writers logged the same steps from the first one on, always the same time apart.

    Ranks wait for each other at every step, so nine in ten of their distances differ by less than the usual time
    between two points. Two trainings drift apart.

    Args:
        steps: int64[n], in order of time.
        wall_times: float64[n].
        other_steps: Those of the other writer, int64[m].
        other_times: float64[m].
    """
    counts = len(steps), len(other_steps)
    if steps[0] != other_steps[0] or min(counts) < max(MIN_POINTS_IN_STEP, MIN_SHARE_IN_STEP * max(counts)):
        return False
    common, own, others = np.intersect1d(steps, other_steps, return_indices=True)
    if len(common) < MIN_SHARE_IN_STEP * max(counts):
        return False
    own_times, other_common = wall_times[own], other_times[others]
    with np.errstate(invalid="ignore"):
        distances, strides = own_times - other_common, np.diff(own_times)
    if not (np.isfinite(distances).all() and np.isfinite(strides).all()):
        return False
    low, high = np.quantile(distances, [0.05, 0.95])
    return bool(high - low < np.median(strides) or high == low)


MAX_COMPARED_TAGS, MAX_COMPARED_FILES = 4, 24
"""The longest tags and the first files of a run in which ranks are searched: 10 ms at most for each change."""

MIN_POINTS_IN_STEP, MIN_SHARE_IN_STEP = 10, 0.8
"""Writers in step share at least this many points, and this share of the points of both."""


def _assign_files(files: Sequence[EventFile], conflicts: frozenset[tuple[int, int]]) -> list[list[int]]:
    """Return the files of each writer, such that no two of a writer conflict."""
    order = sorted(range(len(files)), key=lambda file: (_start(files[file]), file))
    writers: list[list[int]] = []
    for file in order:
        free = [
            number
            for number, own in enumerate(writers)
            if not any((min(file, other), max(file, other)) in conflicts for other in own)
        ]
        writer = min(free, key=lambda number: (*_rank_writer(files, file, writers[number]), number), default=None)
        if writer is None:
            writers.append([file])
        else:
            writers[writer].append(file)
    return sorted(sorted(own) for own in writers)


def _start(file: EventFile) -> float:
    start = file.first_wall_time
    return np.inf if start is None or np.isnan(start) else start


def _rank_writer(files: Sequence[EventFile], file: int, own: Sequence[int]) -> tuple[bool, bool]:
    """Return a key that is smaller for a writer that more likely wrote a file."""
    name = _identify_writer(files[file].path)
    is_other = all(_identify_writer(files[each].path) != name for each in own)
    ends = [files[each].last_wall_time for each in own]
    return is_other, any(end is not None and end >= _start(files[file]) for end in ends)


def _identify_writer(path: str) -> str:
    """Return the host of a file, or the part of its name that stands for it."""
    name = os.path.basename(path)  # noqa: PTH119
    match = _FILE_NAME.fullmatch(name)
    return match["host"] if match else re.sub(r"\d{9,}", "", name)


def label_files(paths: Sequence[str]) -> list[str]:
    """Return the labels that distinguish files: host, process or number in their names, or where the names differ."""
    firsts = [os.path.basename(path) for path in paths]  # noqa: PTH119
    matches = [_FILE_NAME.fullmatch(name) for name in firsts]
    for group in ("host", "pid", "number"):
        labels = [match[group] or "" if match else "" for match in matches]
        if all(labels) and len(set(labels)) == len(labels):
            return _shorten_labels(labels)
    prefix = os.path.commonprefix(firsts)  # noqa: RUF071 - of names, not of paths
    prefix = prefix[: max(prefix.rfind(mark) for mark in "._-") + 1]
    ends = [name[len(prefix) :] for name in firsts]
    suffix = os.path.commonprefix([end[::-1] for end in ends])[::-1]  # noqa: RUF071 - as above
    suffix = suffix[suffix.find(".") :] if "." in suffix else ""
    return _shorten_labels([end.removesuffix(suffix) or end for end in ends])


def _shorten_labels(labels: Sequence[str]) -> list[str]:
    """Return labels of bounded length that differ."""
    short = [label[:MAX_LABEL_LENGTH] for label in labels]
    return short if len(set(short)) == len(short) and all(short) else [str(number) for number in range(len(labels))]


def _select_writer(run: RunSnapshot, name: str, files: list[int], former: Mapping[str, RunSnapshot]) -> RunSnapshot:
    """Return the part of a run that is in some of its files."""
    own_files = tuple(run.files[file] for file in files)
    before = former.get(name)
    known: Mapping[str, Series] = {}
    if before is not None and before.reading == run.reading:
        is_same = [file.path for file in before.files] == [file.path for file in own_files]
        known = before.series if is_same else {}
    part = FilePart(name, tuple(files))
    series: Mapping[str, Series]
    if isinstance(run.series, MappingProxyType | dict):
        chosen = ((tag, _find_or_add(known.get(tag), full_series, part)) for tag, full_series in run.series.items())
        series = MappingProxyType({tag: each for tag, each in chosen if len(each)})
    else:
        series = _LazySeries(run.series, part)
    return replace(run, name=name, series=series, files=own_files)


def _find_or_add(known: Series | None, full_series: Series, part: FilePart) -> Series:
    return known if known is not None and known.revision == full_series.revision else part.of(full_series)


class FilePart(NamedTuple):
    """The part of each series that is in some of the files of a run."""

    name: str
    files: tuple[int, ...]

    def of(self, series: Series) -> Series:
        """Return the points in these files; their indices count these files alone."""
        parts = series.file_parts
        files = np.zeros(len(series), np.int32) if parts is None else parts.find_files(len(series))
        is_own = np.isin(files, self.files)
        chosen = series.part(slice(None) if bool(is_own.all()) else is_own)
        own_files = np.searchsorted(self.files, files[is_own]).astype(np.int32)
        if isinstance(chosen, ReferenceSeries):
            return replace(chosen, run=self.name, files=own_files)
        return replace(chosen, run=self.name, parts=FileParts.of(own_files))


class _LazySeries(Mapping[str, "Series"]):
    """Series that are taken apart at each access, so that the largest one determines the memory."""

    def __init__(self, whole: Mapping[str, Series], part: FilePart) -> None:
        self._whole, self._part = whole, part
        self._tags = tuple(tag for tag in whole if len(part.of(whole[tag])))

    def __len__(self) -> int:
        return len(self._tags)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tags)

    def __getitem__(self, tag: str) -> Series:
        return self._part.of(self._whole[tag])
