"""Log directories as a program sees them: `tbtui.open`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from tbtui.api.errors import PathError, UnknownRunError
from tbtui.api.lookup import MAX_LISTED_NAMES, NameMapping, Pattern, compile_pattern, format_suggestion
from tbtui.api.run import Run, describe_run
from tbtui.api.scalars import Scalars
from tbtui.loading.lazy_runs import LazyRuns
from tbtui.loading.sources import SourceError, parse_sources
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.sources import Source
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

PathLike: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


class Logs(Mapping[str, Run]):
    """Runs by name, in the order of their names.

    Opening reads names of directories alone; a run is read when it is first asked for, whole, and tables read those
    that they are of. Nothing changes but by `refresh`. Any thread may ask: one reads, the others wait for it, and what
    was handed out is never written to. No file stays open. In another process it is opened anew when it is unpickled.
    """

    def __init__(self, sources: Sequence[Source], *, runs: Pattern, cache: bool, jobs: int | None) -> None:
        self.paths = tuple(source.path for source in sources)
        """What was asked for: absolute."""

        self._opened = (tuple(sources), runs, cache, jobs)
        self._held = LazyRuns(sources, is_wanted=compile_pattern(runs), keeps=cache, jobs=jobs)
        self._runs: dict[str, Run] = {}
        self._revision = 1

    @property
    def runs(self) -> NameMapping[Run]:
        """The runs as they are now; a later `refresh` leaves them as they are."""
        known = {name: self._run(found) for name, found in self._held.found.items()}
        return NameMapping(known, known.__getitem__, self._no_run)

    @property
    def revision(self) -> int:
        """Grows whenever `refresh` has found something new."""
        return self._revision

    def refresh(self) -> bool:
        """Look for runs that came or went, and read what has been added to those that have been read.

        A file that was replaced is read anew. What was handed out before stays as it was.

        Returns:
            Whether anything is another now.
        """
        changed = self._held.look_again()
        self._revision += changed
        self._runs = {name: run for name, run in self._runs.items() if name in self._held.found}
        return changed

    def scalars(self, tags: Pattern = None, runs: Pattern = None) -> ManyScalars:
        """The scalars of all runs, or of those that patterns choose, which are read if they were not.

        Args:
            tags: A regular expression, searched for anywhere in a tag and in any case.
            runs: Likewise for names of runs.
        """
        tag_matches = compile_pattern(tags)
        return ManyScalars(
            Scalars(series)
            for run in self._chosen(runs)
            for series in run.series.values()
            if isinstance(series, ScalarSeries) and tag_matches(series.tag)
        )

    def columns(
        self, tags: Pattern = None, runs: Pattern = None, *, plugin: str = "scalars", current: bool = False
    ) -> dict[str, npt.NDArray[Any]]:
        """The columns of `to_pandas` as numpy arrays, for those who have another library of tables."""
        from tbtui.api.frames import read_columns

        return read_columns(plugin, self._chosen(runs), compile_pattern(tags), current=current)

    def to_pandas(
        self,
        tags: Pattern = None,
        runs: Pattern = None,
        *,
        plugin: str = "scalars",
        current: bool = False,
        wide: bool = False,
    ) -> DataFrame:
        """One table over all runs, or over those that patterns choose: what `tbtui export` writes.

        Values that cannot be read are left out, with a `LeftOutWarning`.

        Args:
            tags: A regular expression, searched for anywhere in a tag and in any case.
            runs: Likewise for names of runs.
            plugin: `scalars`: columns `run`, `tag`, `step`, `wall_time`, `value`, a row a point in the order in which
                they were logged. Or what else `tbtui export` has tables of: `histograms`, `distributions`, `pr_curves`,
                `images`, `audio`, `text`, `run_metadata`, `hparams`, `metadata`, `files`.
            current: Without points that a restart superseded.
            wide: Of scalars a row a step and a column a run and tag, without superseded points.

        Raises:
            ImportError: pandas is not installed.
            ValueError: There is no such table.
        """
        from tbtui.api.frames import read_frame

        return read_frame(plugin, self._chosen(runs), compile_pattern(tags), current=current, wide=wide)

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """What is wrong with the files of all runs, which are read if they were not, and with directories."""
        self._read(compile_pattern(None))
        return self._held.problems()

    @property
    def cache_failure(self) -> str | None:
        """Why what was read cannot be kept for the next time, in plain words; None when it can, or was not tried."""
        return self._held.keeping_failure

    def __getitem__(self, name: str) -> Run:
        found = self._held.found.get(name)
        if found is None:
            raise self._no_run(name)
        return self._run(found)

    def __contains__(self, name: object) -> bool:
        return name in self._held.found

    def __iter__(self) -> Iterator[str]:
        return iter(self._held.found)

    def __len__(self) -> int:
        return len(self._held.found)

    def __reduce__(self) -> tuple[Callable[..., Logs], tuple[Any, ...]]:
        return _reopen, self._opened

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        names = list(self._held.found)
        head = f"<Logs {', '.join(map(repr, self.paths))}: {len(names):,} run{'s' * (len(names) != 1)}"
        lines = [f"  {name!r}: {describe_run(self._held.known(name))}" for name in names[:MAX_LISTED_NAMES]]
        more = [f"  and {len(names) - MAX_LISTED_NAMES:,} more"] if len(names) > MAX_LISTED_NAMES else []
        return "\n".join([head, *lines, *more]) + ">"

    def _run(self, found: FoundRun) -> Run:
        run = self._runs.get(found.name)
        if run is None:
            run = self._runs.setdefault(found.name, Run(found.name, found.directory, self._held))
        return run

    def _chosen(self, runs: Pattern) -> list[RunSnapshot]:
        """The runs whose names a pattern chooses, read."""
        run_matches = compile_pattern(runs)
        return [run for run in self._read(run_matches).runs.values() if run_matches(run.name)]

    def _read(self, wanted: Callable[[str], bool]) -> StoreSnapshot:
        return self._held.snapshot([name for name in self._held.found if wanted(name)])

    def _no_run(self, name: str) -> UnknownRunError:
        return UnknownRunError(f"there is no run {name!r}: {format_suggestion(name, self._held.found)}")


class ManyScalars(Sequence[Scalars]):
    """Scalars of several runs and tags, as they were when they were asked for."""

    def __init__(self, held: Iterable[Scalars]) -> None:
        self._held = tuple(held)

    @overload
    def __getitem__(self, index: int) -> Scalars: ...
    @overload
    def __getitem__(self, index: slice) -> ManyScalars: ...

    def __getitem__(self, index: int | slice) -> Scalars | ManyScalars:
        return ManyScalars(self._held[index]) if isinstance(index, slice) else self._held[index]

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        lines = [f"  {each!r}" for each in self._held[:MAX_LISTED_NAMES]]
        more = [f"  and {len(self) - MAX_LISTED_NAMES:,} more"] if len(self) > MAX_LISTED_NAMES else []
        return "\n".join([f"<{len(self):,} scalar tag{'s' * (len(self) != 1)}", *lines, *more]) + ">"


def _reopen(sources: Sequence[Source], runs: Pattern, cache: bool, jobs: int | None) -> Logs:
    return Logs(sources, runs=runs, cache=cache, jobs=jobs)


def open_logs(paths: Iterable[PathLike | Iterable[PathLike]], *, runs: Pattern, cache: bool, jobs: int | None) -> Logs:
    """What `tbtui.open` does.

    Raises:
        PathError: A path cannot be shown.
        PatternError: `runs` is no regular expression.
    """
    given = [_path_text(path) for path in _flatten(paths)]
    try:
        return Logs(parse_sources(given), runs=runs, cache=cache, jobs=jobs)
    except SourceError as error:
        raise PathError(str(error)) from error


def _flatten(paths: Iterable[Any]) -> Iterator[Any]:
    for path in paths:
        if isinstance(path, str | bytes | os.PathLike):
            yield path
        else:
            several = list(path) if isinstance(path, Iterable) else [path]
            if not several:
                raise PathError("a list of paths is empty")
            yield from several


def _path_text(path: Any) -> str:
    """A path as it is written on the command line; one that is an object never means NAME:PATH."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"a path is a text or a Path, not {type(path).__name__}")
    text = os.fsdecode(path)
    return os.path.join(os.curdir, text) if isinstance(path, os.PathLike) and ":" in text else text  # noqa: PTH118
