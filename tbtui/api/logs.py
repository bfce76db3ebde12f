"""Mapping of runs that `tbtui.open` returns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from tbtui.api.errors import LeftOutWarning, PathError, PatternError, UnknownRunError, warn_caller
from tbtui.api.lookup import MAX_LISTED_NAMES, NameMapping, Pattern, PatternMatcher, format_suggestion
from tbtui.api.run import Run, describe_run
from tbtui.api.scalars import RunClocks, Scalars
from tbtui.frozen import frozen
from tbtui.loading.lazy_runs import LazyRuns
from tbtui.loading.sources import SourceError, parse_sources
from tbtui.settings.filters import has_term_signs
from tbtui.store.run_folds import list_stored_names
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.loading.assets import RunAssets
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.lazy_runs import ReadableRuns
    from tbtui.loading.sources import Source
    from tbtui.loading.state import FileProblem
    from tbtui.maths.x_values import XAxis
    from tbtui.plugins.comparison.settings import Statistic
    from tbtui.plugins.comparison.values import ComparedRuns
    from tbtui.plugins.custom_scalars.layout import Layout
    from tbtui.plugins.hparams.settings import Figure
    from tbtui.plugins.hparams.values import Sessions
    from tbtui.settings.settings import Settings
    from tbtui.store.run_chains import ChainRuns
    from tbtui.store.run_folds import FoldRuns
    from tbtui.store.run_parts import SplitRuns
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

PathLike: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


@frozen
class OpenOptions:
    """The options of `tbtui.open`, which describes them."""

    runs: Pattern = None
    cache: bool = True
    jobs: int | None = None
    split_runs: SplitRuns = "no"
    fold_runs: FoldRuns = "no"
    run_names: str | None = None
    chain_runs: ChainRuns = "no"


class Logs(Mapping[str, Run]):
    """Mapping from run names to runs, sorted by name.

    Opening reads directory names only. A run is read whole on first use, and a table reads the runs it covers. Contents
    change only in `refresh`, and returned objects never change. Thread-safe: one thread reads while others wait. No
    file stays open. Unpickling in another process opens the paths again.
    """

    def __init__(self, sources: Sequence[Source], options: OpenOptions) -> None:
        self.paths = tuple(source.path for source in sources)
        """Absolute paths that were opened."""

        self._sources, self._options = tuple(sources), options
        run_matches = PatternMatcher(options.runs)
        self._lazy_runs = _create_runs(sources, options, run_matches)
        run_matches.check()
        self._runs: dict[str, Run] = {}
        self._revision = 1

    @property
    def runs(self) -> NameMapping[Run]:
        """The current runs; a later `refresh` does not change the returned mapping."""
        runs = {name: self._get_run(found_run) for name, found_run in self._lazy_runs.found.items()}
        return NameMapping(runs, runs.__getitem__, self._create_unknown_run_error)

    @property
    def revision(self) -> int:
        """Number that grows whenever `refresh` finds new data."""
        return self._revision

    def refresh(self) -> bool:
        """Find new and removed runs, and read data added to runs that were read before.

        A replaced file is read again. Objects returned earlier do not change.

        Returns:
            True if anything changed.
        """
        changed = self._lazy_runs.refresh()
        self._revision += changed
        self._runs = {name: run for name, run in self._runs.items() if name in self._lazy_runs.found}
        return changed

    def scalars(self, tags: Pattern = None, runs: Pattern = None) -> ManyScalars:
        """Return the scalars of all runs, or of the matching ones; runs are read if necessary.

        Args:
            tags: Regular expression, searched for anywhere in the tag, ignoring case, or plain text that it contains.
            runs: The same for run names; or terms over hyperparameters and metrics such as `lr>=1e-4 opt=adam`, for
                which all runs are read.
        """
        tag_matches = PatternMatcher(tags)
        scalars = ManyScalars(
            Scalars(series, clocks)
            for run in self._select_runs(runs)
            for clocks in (RunClocks(run),)
            for series in run.series.values()
            if isinstance(series, ScalarSeries) and tag_matches(series.tag)
        )
        tag_matches.check()
        return scalars

    def columns(
        self,
        tags: Pattern = None,
        runs: Pattern = None,
        *,
        plugin: str = "scalars",
        current: bool = False,
        x_axis: XAxis | None = None,
        x_tag: str = "",
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of `to_pandas` as numpy arrays, for other table libraries."""
        from tbtui.api.data_frames import read_columns

        tag_matches = PatternMatcher(tags)
        columns = read_columns(
            plugin, self._select_runs(runs), tag_matches, current=current, x_axis=x_axis, x_tag=x_tag
        )
        tag_matches.check()
        return columns

    def to_pandas(
        self,
        tags: Pattern = None,
        runs: Pattern = None,
        *,
        plugin: str = "scalars",
        current: bool = False,
        wide: bool = False,
        x_axis: XAxis | None = None,
        x_tag: str = "",
    ) -> DataFrame:
        """Return one table over all runs, or over the matching ones, as `tbtui export` writes it.

        Unreadable values are left out, with a `LeftOutWarning`.

        Args:
            tags: Regular expression, searched for anywhere in the tag, ignoring case, or plain text that it contains.
            runs: The same for run names; or terms over hyperparameters and metrics such as `lr>=1e-4 opt=adam`, for
                which all runs are read.
            plugin: `scalars` has the columns `run`, `tag`, `step`, `wall_time` and `value`, one row per point in
                logging order. Other tables of `tbtui export`: `histograms`, `distributions`, `pr_curves`, `images`,
                `audio`, `text`, `run_metadata`, `hparams`, `metadata`, `files`.
            current: Leave out superseded points; `Scalars.superseded` counts them.
            wide: Scalars with one row per step and one column per run and tag, without superseded points.
            x_axis: Of scalars: `relative` and `active` (seconds since the start of the run, the latter without pauses)
                and `order` (1 for the first value) add a column of that name. It replaces the step in a wide table,
                which then has superseded points too.
            x_tag: Of scalars: another tag, such as `epoch`, whose value at the same step is the column `x` (NaN at a
                step without one). It replaces the step in a wide table.

        Raises:
            ImportError: pandas is not installed.
            ValueError: There is no such table, or no such axis.
        """
        from tbtui.api.data_frames import read_frame

        tag_matches = PatternMatcher(tags)
        frame = read_frame(
            plugin, self._select_runs(runs), tag_matches, current=current, wide=wide, x_axis=x_axis, x_tag=x_tag
        )
        tag_matches.check()
        return frame

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """Damage in the files of all runs, and unreadable directories. Reads all runs."""
        self._read(lambda _: True)
        return self._lazy_runs.problems()

    @property
    def assets(self) -> tuple[RunAssets, ...]:
        """Files of embeddings and profiles next to the event files, by run."""
        return self._lazy_runs.assets

    @property
    def layouts(self) -> dict[str, Layout]:
        """Layouts of custom scalars by run: categories of charts, as the Custom tab shows them. Reads all runs.

        `Layout.to_json` returns one for `tbtui --layout`; layouts that cannot be read are left out, with a
        `LeftOutWarning`.
        """
        from tbtui.plugins.custom_scalars.read import read_layouts_by_run

        run_layouts = read_layouts_by_run(self._read(lambda _: True).runs)
        for layout in run_layouts:
            for problem in layout.problems:
                warn_caller(f"{layout.run}: {problem}", LeftOutWarning)
        return {layout.run: layout.layout for layout in run_layouts if layout.layout.categories}

    def sessions(self, metric: str = "", figure: Figure = "last") -> Sessions:
        """Return the sessions of all runs as a table of hyperparameters, metrics and importance. Reads all runs.

        Args:
            metric: Title of the metric that ranks the sessions; empty: the first one of the validation data.
            figure: Point of each curve that is the value of a metric: `last`, `best`, `min`, `max`, or `end` for the
                mean of the last tenth.
        """
        from tbtui.plugins.hparams.export import build_table
        from tbtui.plugins.hparams.settings import name_pattern
        from tbtui.plugins.hparams.values import Sessions

        runs = self._read(lambda _: True).runs.values()
        return Sessions(build_table(runs, name_pattern(self._settings)), figure, metric)

    def compare(
        self,
        tags: Pattern = None,
        runs: Pattern = None,
        *,
        figure: Statistic = "last",
        baseline: str | None = None,
        sort: str | None = None,
        reverse: bool = False,
        superseded: bool = False,
    ) -> ComparedRuns:
        """Return the runs beside each other, with the numbers and the order of columns of `tbtui compare`.

        Reads all runs. A run that only holds the hyperparameters of the run above is part of it, and has no row.

        Args:
            tags: As in `scalars`.
            runs: As in `scalars`.
            figure: The point of each curve that is its value: `last`, `best`, `min` or `max`.
            baseline: Full name of the run that differences refer to; it may be one that `runs` leaves out.
            sort: A tag, the best run first, or a hyperparameter; None: the order of the run tree.
            reverse: Reverse that order.
            superseded: Count values that others superseded, too.

        Raises:
            ValueError: The baseline, or the name to sort by, does not exist.
        """
        from tbtui.plugins.comparison.compared_runs import compare
        from tbtui.plugins.comparison.export import fold_runs
        from tbtui.plugins.comparison.settings import STATISTIC
        from tbtui.plugins.comparison.values import ComparedRuns
        from tbtui.plugins.hparams.export import build_table
        from tbtui.plugins.hparams.settings import name_pattern

        if figure not in STATISTIC.values:
            raise ValueError(f"unknown figure {figure!r}; choose from {', '.join(STATISTIC.values)}")
        selected = {run.name for run in self._select_runs(runs)}
        every = fold_runs(self._read(lambda _: True).runs.values())
        tag_matches = PatternMatcher(tags)
        comparison = compare(
            every,
            lambda name: not selected.isdisjoint((name, *list_stored_names(every[name]))),
            tag_matches,
            figure=figure,
            baseline=baseline,
            sort=sort,
            reverse=reverse,
            full=True,
            with_superseded=superseded,
            table=build_table(every.values(), name_pattern(self._settings)),
        )
        tag_matches.check()
        return ComparedRuns(comparison)

    @property
    def cache_failure(self) -> str | None:
        """Reason why the cache cannot be written; None if it can, or nothing was cached yet."""
        return self._lazy_runs.cache_failure

    def __getitem__(self, name: str) -> Run:
        found_run = self._lazy_runs.found.get(name)
        if found_run is None:
            raise self._create_unknown_run_error(name)
        return self._get_run(found_run)

    def __contains__(self, name: object) -> bool:
        return name in self._lazy_runs.found

    def __iter__(self) -> Iterator[str]:
        return iter(self._lazy_runs.found)

    def __len__(self) -> int:
        return len(self._lazy_runs.found)

    def __reduce__(self) -> tuple[Callable[..., Logs], tuple[Any, ...]]:
        return Logs, (self._sources, self._options)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        names = list(self._lazy_runs.found)
        head = f"<Logs {', '.join(map(repr, self.paths))}: {len(names):,} run{'s' * (len(names) != 1)}"
        lines = [f"  {name!r}: {describe_run(self._lazy_runs.get(name))}" for name in names[:MAX_LISTED_NAMES]]
        more = [f"  and {len(names) - MAX_LISTED_NAMES:,} more"] if len(names) > MAX_LISTED_NAMES else []
        return "\n".join([head, *lines, *more]) + ">"

    def _get_run(self, directory: FoundRun) -> Run:
        run = self._runs.get(directory.name)
        if run is None:
            run = self._runs.setdefault(directory.name, Run(directory.name, directory.directory, self._lazy_runs))
        return run

    @property
    def _settings(self) -> Settings:
        """Settings for reading hyperparameters."""
        from tbtui.plugins.hparams.settings import RUN_NAMES
        from tbtui.settings.settings import Settings

        return RUN_NAMES.with_value(Settings(), self._options.run_names)

    def _select_runs(self, runs: Pattern) -> list[RunSnapshot]:
        """Read and return the runs whose names match a pattern, or that terms over their attributes select."""
        if isinstance(runs, str) and has_term_signs(runs):
            selected_names = self._select_by_terms(runs)
            if selected_names is not None:
                return [run for run in self._read(lambda _: True).runs.values() if run.name in selected_names]
        run_matches = PatternMatcher(runs)
        selected = [run for run in self._read(run_matches).runs.values() if run_matches(run.name)]
        run_matches.check()
        return selected

    def _select_by_terms(self, text: str) -> frozenset[str] | None:
        """Return the names of the runs that terms select; None if the text is one regular expression."""
        from tbtui.plugins.registry import select_runs

        try:
            return select_runs(text, self._read(lambda _: True), self._settings)
        except ValueError as error:
            raise PatternError(f"{text!r}: {error}") from None

    def _read(self, matches: Callable[[str], bool]) -> StoreSnapshot:
        return self._lazy_runs.snapshot([name for name in self._lazy_runs.found if matches(name)])

    def _create_unknown_run_error(self, name: str) -> UnknownRunError:
        return UnknownRunError(f"there is no run {name!r}: {format_suggestion(name, self._lazy_runs.found)}")


class ManyScalars(Sequence[Scalars]):
    """Sequence of the scalars of several runs and tags, unchanged by a later `refresh`."""

    def __init__(self, scalars: Iterable[Scalars]) -> None:
        self._scalars = tuple(scalars)

    @overload
    def __getitem__(self, index: int) -> Scalars: ...
    @overload
    def __getitem__(self, index: slice) -> ManyScalars: ...

    def __getitem__(self, index: int | slice) -> Scalars | ManyScalars:
        return ManyScalars(self._scalars[index]) if isinstance(index, slice) else self._scalars[index]

    def __len__(self) -> int:
        return len(self._scalars)

    def __repr__(self) -> str:
        lines = [f"  {each!r}" for each in self._scalars[:MAX_LISTED_NAMES]]
        more = [f"  and {len(self) - MAX_LISTED_NAMES:,} more"] if len(self) > MAX_LISTED_NAMES else []
        return "\n".join([f"<{len(self):,} scalar tag{'s' * (len(self) != 1)}", *lines, *more]) + ">"


def open_logs(paths: Iterable[PathLike | Iterable[PathLike]], options: OpenOptions) -> Logs:
    """Implement `tbtui.open`.

    Raises:
        PathError: A path cannot be opened.
        PatternError: `runs` is neither a valid regular expression nor part of any name, or `run_names` is not one.
    """
    path_texts = [_decode_path(path) for path in _flatten(paths)]
    if options.run_names is not None:
        from tbtui.plugins.hparams.settings import check_name_pattern

        try:
            check_name_pattern(options.run_names)
        except ValueError as error:
            raise PatternError(f"run_names {options.run_names!r}: {error}") from None
    try:
        return Logs(parse_sources(path_texts), options)
    except SourceError as error:
        raise PathError(str(error)) from error


def _create_runs(sources: Sequence[Source], options: OpenOptions, matches: Callable[[str], bool]) -> ReadableRuns:
    """Return the runs of the sources, folded and then chained as the options require."""
    runs: ReadableRuns = LazyRuns(
        sources, matches=matches, cache=options.cache, jobs=options.jobs, split_runs=options.split_runs
    )
    if options.fold_runs == "yes" and options.split_runs == "no":
        from tbtui.api.derived_runs import FoldedRuns

        runs = FoldedRuns(runs)
    if options.chain_runs == "no":
        return runs
    from tbtui.api.derived_runs import ChainedRuns

    return ChainedRuns(runs)


def _flatten(paths: Iterable[Any]) -> Iterator[Any]:
    for path in paths:
        if isinstance(path, str | bytes | os.PathLike):
            yield path
        else:
            nested = list(path) if isinstance(path, Iterable) else [path]
            if not nested:
                raise PathError("a list of paths is empty")
            yield from nested


def _decode_path(path: Any) -> str:
    """Return a path as on the command line; an `os.PathLike` with a colon never means NAME:PATH."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"a path is a text or a Path, not {type(path).__name__}")
    text = os.fsdecode(path)
    return os.path.join(os.curdir, text) if isinstance(path, os.PathLike) and ":" in text else text  # noqa: PTH118
