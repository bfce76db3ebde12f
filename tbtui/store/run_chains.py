"""Join numbered runs of one training (`PPO_1`, `PPO_2`; `version_0`, `version_1`) on request into one run each."""

from __future__ import annotations

import itertools
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.store.restarts import FileParts
from tbtui.store.run_restarts import share_restarts
from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, ScalarSeries, StoreSnapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.store.snapshot import Series

ChainRuns: TypeAlias = Literal["no", "numbered"]

_NUMBERED = re.compile(r"(?P<stem>.*[^\W\d_].*?[_.-])(?P<number>\d{1,9})")
"""A folder whose name ends in a number: `PPO_1`, `version_0`. A number alone is a job of a sweep, not a part."""

_INDEPENDENT = re.compile(
    r"(?:^|[^a-z])(?:seed|rank|fold|trial|worker|split|env|gpu|node|agent|client|rs|lr|bs|wd|dim|layers?|epochs?|steps?)"
    r"s?[_.=-]$",
    re.IGNORECASE,
)
"""Words before numbers of runs that do not continue each other: repetitions, processes, hyperparameters."""


def find_chains(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the numbered runs that are joined, by the name of the joined run: `PPO_*` has `PPO_1` and `PPO_2`.

    Names that differ in the number of their last numbered folder alone are one chain, in the order of the numbers.
    """
    known = set(names)
    members: dict[str, list[tuple[int, str]]] = {}
    for name in sorted(known):
        numbered = _parse_number(name)
        if numbered is not None:
            chain, number = numbered
            members.setdefault(chain, []).append((number, name))
    return {
        chain: tuple(name for _, name in sorted(each))
        for chain, each in members.items()
        if len(each) > 1 and chain not in known
    }


def _parse_number(name: str) -> tuple[str, int] | None:
    """Return the name of the chain that a run belongs to, and its number there; None if it has none."""
    folders = name.split("/")
    for index in range(len(folders) - 1, -1, -1):
        match = _NUMBERED.fullmatch(folders[index])
        if match and not _INDEPENDENT.search(match["stem"]):
            return "/".join((*folders[:index], f"{match['stem']}*", *folders[index + 1 :])), int(match["number"])
    return None


class RunJoiner:
    """Joins the numbered runs of one snapshot after the other; only changed chains are joined again."""

    def __init__(self) -> None:
        self._revisions = itertools.count(1)
        self._joined: dict[str, tuple[tuple[RunSnapshot, ...], RunSnapshot]] = {}
        self._snapshot = self._result = StoreSnapshot()

    def join(self, snapshot: StoreSnapshot, how: ChainRuns) -> StoreSnapshot:
        """Return the snapshot with its numbered runs joined; the same object for the same arguments."""
        if how == "no" or not snapshot.runs:
            return snapshot
        if snapshot is not self._snapshot:
            self._snapshot = snapshot
            self._result = StoreSnapshot(snapshot.revision, MappingProxyType(dict(self._iter_runs(snapshot))))
        return self._result

    def run(self, name: str, members: Sequence[RunSnapshot]) -> Iterator[RunSnapshot]:
        """Yield the joined run; or the members themselves if a tag has values of different kinds in them."""
        former = self._joined.get(name)
        if former is None or not _is_same(former[0], members):
            joined = _join_runs(name, members, former, next(self._revisions))
            if joined is None:
                yield from members
                return
            former = self._joined[name] = tuple(members), joined
        yield former[1]

    def _iter_runs(self, snapshot: StoreSnapshot) -> Iterator[tuple[str, RunSnapshot]]:
        """Yield the runs by name; a chain is at the position of its first member."""
        chains = find_chains(snapshot.runs)
        chain_of = {name: chain for chain, names in chains.items() for name in names}
        for name, run in snapshot.runs.items():
            chain = chain_of.get(name)
            if chain is None:
                yield name, run
            elif chain in chains:
                for each in self.run(chain, [snapshot.runs[member] for member in chains.pop(chain)]):
                    yield each.name, each


def _is_same(some: Sequence[RunSnapshot], others: Sequence[RunSnapshot]) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))


def _join_runs(
    name: str,
    members: Sequence[RunSnapshot],
    former: tuple[tuple[RunSnapshot, ...], RunSnapshot] | None,
    revision: int,
) -> RunSnapshot | None:
    """Return one run with the files of all members; None if a tag is a scalar in one of them and not in another."""
    starts = np.cumsum([0, *(len(member.files) for member in members)]).tolist()
    parts_by_tag: dict[str, list[tuple[int, Series]]] = {}
    for start, member in zip(starts, members, strict=False):
        for tag, part in member.series.items():
            parts_by_tag.setdefault(tag, []).append((start, part))
    series: dict[str, Series] = {}
    for tag, parts in parts_by_tag.items():
        joined_series = _join_series(name, parts, revision)
        if joined_series is None:
            return None
        series[tag] = joined_series
    problems = [member.problem for member in members if member.problem is not None]
    run = RunSnapshot(
        name,
        revision,
        MappingProxyType(series),
        tuple(file for member in members for file in member.files),
        all(member.vanished for member in members),
        problems[0] if len(problems) == len(members) else None,
        sum(member.reading for member in members),
        None,
        tuple(each for member in members for each in member.set_aside),
        tuple(sorted((each for member in members for each in member.assets), key=lambda each: each.path)),
    )
    return share_restarts(run, None if former is None else former[1])


def _join_series(name: str, parts: Sequence[tuple[int, Series]], revision: int) -> Series | None:
    """Return the points of all parts, one part after the other.

    Args:
        name: Name of the joined run.
        parts: Index of the first file of each part in the joined run, and the part.
        revision: Revision of the result.
    """
    first = parts[0][1]
    steps = np.concatenate([part.steps for _, part in parts])
    wall_times = np.concatenate([part.wall_times for _, part in parts])
    files = np.concatenate([_number_files(part) + np.int32(start) for start, part in parts])
    scalars = [part for _, part in parts if isinstance(part, ScalarSeries)]
    if len(scalars) == len(parts):
        values = np.concatenate([part.values for part in scalars])
        return ScalarSeries(name, first.tag, first.metadata, revision, steps, wall_times, values, FileParts.of(files))
    references = [part for _, part in parts if isinstance(part, ReferenceSeries)]
    if len(references) != len(parts):
        return None
    return ReferenceSeries(
        name,
        first.tag,
        first.metadata,
        revision,
        steps,
        wall_times,
        files,
        np.concatenate([part.offsets for part in references]),
        np.concatenate([part.lengths for part in references]),
        np.concatenate([part.indices for part in references]),
    )


def _number_files(part: Series) -> npt.NDArray[np.int32]:
    """Return the file of each point, int32[n]."""
    parts = part.file_parts
    return np.zeros(len(part), np.int32) if parts is None else parts.find_files(len(part))
