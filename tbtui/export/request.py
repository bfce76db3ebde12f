"""An export request, and its results: tables, or documents in a format of their own."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tbtui.export.table import KEY_COLUMNS, select_references
from tbtui.frozen import frozen
from tbtui.store.snapshot import ReferenceSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.export.media import FileSink
    from tbtui.export.table import SkippedValues, Table
    from tbtui.maths.x_values import XAxis
    from tbtui.store.snapshot import RunSnapshot


RUN_KEY = KEY_COLUMNS[:1]
"""Leading columns of tables about whole runs, which have no tag."""


class RequestError(ValueError):
    """Raised for a request that names something that does not exist; the message is one plain line."""


@frozen(slots=False)
class ExportRequest:
    """The runs and tags to export, and the receivers of problems and files."""

    runs: Iterable[RunSnapshot]
    """Iterated once. Process one run after the other and drop it, because its scalars take most of the memory."""

    tag_matches: Callable[[str], bool]
    skipped: SkippedValues
    """Collects values that cannot be read, and counts superseded points that are left out."""

    current: bool = False
    """Skip superseded points; otherwise every stored point is written in the order of time."""

    x_axis: XAxis | None = None
    """Axis whose x values are an additional column of scalars; None: no column."""

    x_tag: str = ""
    """Tag of the x axis `tag`."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Values of the options that dashboards declare, by the name of the setting."""

    listed_runs: Callable[[], tuple[Mapping[str, RunSnapshot], Callable[[str], bool]]] | None = None
    """Returns all runs as the dashboard lists them, in memory at once, and a function that is True for the selected
    ones, for tables that compare runs; None: `runs` are all."""

    folder: FileSink | None = None
    """Receives the files of pictures and sounds; None: only the table is written."""

    on_progress: Callable[[int, int], None] = lambda done, total: None  # noqa: ARG005
    """Called with the number of steps done and their total."""

    @cached_property
    def runs_without_scalars(self) -> list[RunSnapshot]:
        """All runs at once, without their scalars."""
        return [drop_scalars(run) for run in self.runs]

    def iter_selected_series(self, plugin: str) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
        """Yield the matching series of a plugin name whose values are stored in files."""
        return select_references(
            self.runs_without_scalars, plugin, self.tag_matches, current=self.current, skipped=self.skipped
        )

    def iter_by_run(self, tables_of: Callable[[RunSnapshot], Iterable[Table]]) -> Iterator[Table]:
        """Yield the tables of one run after the other; a run is released after its tables."""
        for run in self.runs:
            yield from tables_of(run)
            del run


def drop_scalars(run: RunSnapshot) -> RunSnapshot:
    """Return the run without its scalars, which take most of the memory."""
    return replace(
        run, series={tag: series for tag, series in run.series.items() if isinstance(series, ReferenceSeries)}
    )


@frozen
class Rows:
    """The tables of one kind of data."""

    columns: Sequence[str]
    tables: Iterable[Table]
    key_columns: Sequence[str] = KEY_COLUMNS
    """Columns in front of the others in every row."""


@frozen(eq=False)
class Document:
    """A document of one tag of a run."""

    run: str
    tag: str
    step: int
    text: Callable[[str], DocumentText | None]
    """Reads the document and returns it in a format. Returns None if it cannot be read, and adds the reason to
    `ExportRequest.skipped`."""

    is_superseded: bool = False
    """True if a later document of the tag superseded it; a single file contains only current documents."""


@frozen(eq=False)
class DocumentText:
    """The text of a document in one format."""

    pieces: Iterator[str]
    losses: tuple[str, ...] = ()
    """Descriptions of the parts that could not be read."""
