"""One run: its tags, its values by tag, and the health of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from tbtui.api.errors import UnknownTagError
from tbtui.api.lookup import NameMapping, format_names, format_suggestion
from tbtui.api.scalars import RunClocks, Scalars
from tbtui.store.snapshot import RunSnapshot, ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pandas import DataFrame

    from tbtui.api.lookup import Pattern
    from tbtui.api.values import Tensors, Values
    from tbtui.loading.lazy_runs import ReadableRuns
    from tbtui.loading.state import FileProblem
    from tbtui.maths.x_values import XAxis
    from tbtui.plugins.audio.values import Sounds
    from tbtui.plugins.base import Accessor
    from tbtui.plugins.graphs.values import Graphs
    from tbtui.plugins.histograms.values import Histograms
    from tbtui.plugins.hparams.sessions import RunHParams
    from tbtui.plugins.images.values import Images
    from tbtui.plugins.mesh.values import Meshes
    from tbtui.plugins.pr_curves.values import PrCurves
    from tbtui.plugins.profile.values import Profiles
    from tbtui.plugins.projector.values import Embeddings
    from tbtui.plugins.text.values import Texts
    from tbtui.store.snapshot import EventFile, ReferenceSeries, Series

    AnyValues = TypeVar("AnyValues", bound=Values)  # type: ignore[type-arg]


class Run:
    """One run, as read on first use and updated by `Logs.refresh`.

    Returned objects never change; request them again after a refresh. A removed run keeps the data that was read.
    """

    def __init__(self, name: str, directory: str, lazy_runs: ReadableRuns) -> None:
        self.name = name
        """Name among the logs; `.` is the run in the opened directory itself."""

        self.directory = directory
        """Absolute path of the directory that holds its event files."""

        self._lazy_runs = lazy_runs
        self._last: RunSnapshot | None = None

    @property
    def tags(self) -> NameMapping[str]:
        """All tags in order of appearance, mapped to their plugin names such as `scalars`."""
        series = self.snapshot.series
        return NameMapping(series, lambda tag: series[tag].metadata.plugin_name, self._create_missing_tag_error)

    def scalars(self, tag: str) -> Scalars:
        """Return all points of a scalar tag.

        Raises:
            UnknownTagError: There is no such tag, or it holds other data.
        """
        series = self._get_series(tag, "scalars")
        if not isinstance(series, ScalarSeries):
            raise self._create_wrong_kind_error(series, "scalars")
        return Scalars(series, RunClocks(self.snapshot))

    def histograms(self, tag: str) -> Histograms:
        """Return the histograms of a tag, from which distributions are computed. Raises `UnknownTagError`."""
        from tbtui.plugins.histograms.values import Histograms

        return self._get_values(tag, "histograms", Histograms)

    def images(self, tag: str) -> Images:
        """Return the images of a tag. Raises `UnknownTagError`."""
        from tbtui.plugins.images.values import Images

        return self._get_values(tag, "images", Images)

    def audio(self, tag: str) -> Sounds:
        """Return the sounds of a tag. Raises `UnknownTagError`."""
        from tbtui.plugins.audio.values import Sounds

        return self._get_values(tag, "audio", Sounds)

    def text(self, tag: str) -> Texts:
        """Return the texts of a tag. Raises `UnknownTagError`."""
        from tbtui.plugins.text.values import Texts

        return self._get_values(tag, "text", Texts)

    def pr_curves(self, tag: str) -> PrCurves:
        """Return the precision-recall curves of a tag. Raises `UnknownTagError`."""
        from tbtui.plugins.pr_curves.values import PrCurves

        return self._get_values(tag, "pr_curves", PrCurves)

    def meshes(self, name: str) -> Meshes:
        """Return the meshes and point clouds of a name, or of one of its tags. Raises `UnknownTagError`."""
        from tbtui.plugins.mesh.series import find_meshes
        from tbtui.plugins.mesh.values import Meshes

        mesh = find_meshes(self.snapshot).get(name)
        return self._get_values(name if mesh is None else mesh.main.tag, "mesh", Meshes)

    @overload
    def values(self, plugin: str, tag: str) -> Values[Any]: ...
    @overload
    def values(self, plugin: type[AnyValues], tag: str) -> AnyValues: ...
    def values(self, plugin: str | type[Values[Any]], tag: str) -> Values[Any]:
        """Return the values of a tag of a dashboard: `values("images", tag)` is `images(tag)`.

        Args:
            plugin: Plugin name of the values, or their class, from which type checkers infer the returned type:
                `values(tbtui.Images, tag)`.
            tag: The tag.

        Raises:
            UnknownTagError: There is no such tag, or it holds other data.
            ValueError: No dashboard reads values of that name tag by tag.
        """
        if not isinstance(plugin, str):
            return self._get_values(tag, plugin.plugin, plugin)
        accessor = _find_accessor(plugin)
        if accessor is None or accessor.load_values is None:
            raise ValueError(
                f"no values are read as {plugin!r}; tensors() reads those of any plugin: "
                f"{format_suggestion(plugin, _list_value_names())}"
            )
        return self._get_values(tag, plugin, accessor.load_values())

    def tensors(self, tag: str) -> Tensors:
        """Return the values of a tag of any plugin except scalars as tensors (meshes, for example).

        Raises:
            UnknownTagError: There is no such tag, or it holds scalars.
        """
        from tbtui.api.values import Tensors

        return self._get_values(tag, "", Tensors)

    @property
    def graphs(self) -> Graphs:
        """Graphs and profiles of the run, the most useful first, by index or by tag."""
        from tbtui.plugins.graphs.values import Graphs

        return Graphs(self.snapshot, self._create_missing_graph_error)

    @property
    def profiles(self) -> Profiles:
        """Profiles of the run, by index; each file is read on first use."""
        from tbtui.plugins.profile.values import Profiles

        return Profiles(self.snapshot)

    @property
    def embeddings(self) -> Embeddings:
        """Embeddings of the projector by name: `run.embeddings["layer"].at(100).vectors`."""
        from tbtui.plugins.projector.values import Embeddings

        return Embeddings(self.snapshot)

    @property
    def hparams(self) -> RunHParams:
        """Hyperparameters of the run: `run.hparams.values["lr"]`. Empty if the run is not a session."""
        from tbtui.loading.payloads import Payloads
        from tbtui.plugins.hparams.sessions import read_run_hparams

        return read_run_hparams(self.snapshot, Payloads())

    def to_pandas(
        self,
        tags: Pattern = None,
        *,
        plugin: str = "scalars",
        current: bool = False,
        wide: bool = False,
        x_axis: XAxis | None = None,
        x_tag: str = "",
    ) -> DataFrame:
        """Return a table of this run; see `Logs.to_pandas`."""
        from tbtui.api.data_frames import read_frame
        from tbtui.api.lookup import PatternMatcher

        matcher = PatternMatcher(tags)
        frame = read_frame(plugin, [self.snapshot], matcher, current=current, wide=wide, x_axis=x_axis, x_tag=x_tag)
        matcher.check()
        return frame

    @property
    def files(self) -> tuple[EventFile, ...]:
        """Event files of the run with their health (`state`) and damage (`problems`)."""
        return tuple(self.snapshot.files)

    @property
    def problems(self) -> tuple[FileProblem, ...]:
        """Damage in the files of the run. An incomplete last record of a growing file is listed by `files` only."""
        self._read()
        return self._lazy_runs.problems(self.name)

    @property
    def revision(self) -> int:
        """Number that grows whenever `refresh` finds new data in the run."""
        return self.snapshot.revision

    @property
    def snapshot(self) -> RunSnapshot:
        """All data of the run that was read, in the form that the dashboard uses."""
        return self._read()

    def __repr__(self) -> str:
        run = self._lazy_runs.get(self.name) or self._last
        return f"<Run {self.name!r}: {describe_run(run)}>"

    def _read(self) -> RunSnapshot:
        run = self._lazy_runs.get(self.name)
        if run is None:
            self._lazy_runs.read([self.name])
            run = self._lazy_runs.get(self.name)
        if run is None:
            # The run was removed before it was read.
            run = self._last or RunSnapshot(self.name, 0)
        self._last = run
        return run

    def _get_series(self, tag: str, plugin: str) -> Series:
        series = self.snapshot.series.get(tag)
        if series is None:
            raise self._create_missing_tag_error(tag, plugin)
        return series

    def _get_values(
        self, tag: str, plugin: str, create: Callable[[RunSnapshot, ReferenceSeries], AnyValues]
    ) -> AnyValues:
        snapshot = self.snapshot
        series = self._get_series(tag, plugin)
        if isinstance(series, ScalarSeries) or plugin not in {"", series.metadata.plugin_name}:
            raise self._create_wrong_kind_error(series, plugin)
        return create(snapshot, series)

    def _create_missing_tag_error(self, tag: str, plugin: str = "") -> UnknownTagError:
        series = self.snapshot.series.values()
        return self._create_unknown_tag_error(
            [each.tag for each in series if plugin in {"", each.metadata.plugin_name}], tag, plugin
        )

    def _create_missing_graph_error(self, graphs: Sequence[str], tag: str) -> UnknownTagError:
        series = self.snapshot.series.get(tag)
        if series is not None and _format_accessor_call(series.metadata.plugin_name) != "graphs":
            return self._create_wrong_kind_error(series, "graphs")
        return self._create_unknown_tag_error(graphs, tag, "graphs")

    def _create_unknown_tag_error(self, tags: Iterable[str], tag: str, plugin: str) -> UnknownTagError:
        kind = f" of {plugin}" if plugin else ""
        return UnknownTagError(f"{self.name!r} has no tag {tag!r}{kind}: {format_suggestion(tag, tags)}")

    def _create_wrong_kind_error(self, series: Series, plugin: str) -> UnknownTagError:
        plugin_name = series.metadata.plugin_name
        return UnknownTagError(
            f"{series.tag!r} of {self.name!r} holds {plugin_name or 'tensors'}, not {plugin or 'tensors'}: "
            f"ask {_format_accessor_call(plugin_name)}"
        )


def _find_accessor(plugin: str) -> Accessor | None:
    from tbtui.plugins.registry import find_accessor

    return find_accessor(plugin)


def _list_value_names() -> list[str]:
    """Return the names that `values` accepts."""
    from tbtui.plugins.registry import list_accessor_names

    return [name for name in list_accessor_names() if (found := _find_accessor(name)) is not None and found.load_values]


def _format_accessor_call(plugin: str) -> str:
    """Return the call on a run that reads series of a plugin name."""
    accessor = _find_accessor(plugin)
    return "tensors()" if accessor is None else accessor.call or f"values({plugin!r}, tag)"


def describe_run(run: RunSnapshot | None) -> str:
    """Return a one-line summary of a run for `repr`."""
    if run is None:
        return "not read yet"
    if run.problem is not None:
        return f"cannot be read: {run.problem}"
    plugins = dict.fromkeys(series.metadata.plugin_name or "tensors" for series in run.series.values())
    damaged = sum(file.state in {"corrupt", "unreadable"} for file in run.files)
    tag_count = f"{len(run.series):,} tag{'s' * (len(run.series) != 1)}"
    kinds = f" of {format_names(plugins)}".replace("'", "") if plugins else ""
    health = f", {damaged:,} damaged file{'s' * (damaged != 1)}" if damaged else ""
    return f"{tag_count}{kinds}{health}"
