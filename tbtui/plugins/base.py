"""Define the record that describes a dashboard to the app, the command line and the Python API.

The module imports no Textual and no dashboard. A record holds functions; each imports its module when it is called, so
that `tbtui print` of scalars imports no other dashboard.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tbtui.api.values import Values
    from tbtui.charts.ink_colours import InkTheme
    from tbtui.export.drawing.shapes import Drawing
    from tbtui.export.request import Document, ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.picture import Charts
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.settings.declaration import Setting
    from tbtui.settings.settings import Settings
    from tbtui.store.run_folds import FindFolds
    from tbtui.store.snapshot import RunSnapshot, Series, StoreSnapshot
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane

ReadAttributes: TypeAlias = "Callable[[StoreSnapshot, Settings], RunAttributes]"
"""Returns the attributes of the runs of a snapshot; called on one thread, which is not the UI thread."""

ExportSource: TypeAlias = Literal["scalars", "values", "runs", "all runs"]
"""Source of an export: points in memory, values in event files, facts of a whole run, or a comparison of all runs.

The last one is no part of `--plugin all`."""


@frozen
class PrintedText:
    """Description of the output of `tbtui print` for a dashboard."""

    blocks: Callable[[View, PrintOptions], Iterator[Block]]
    """Yields headings, charts and tables of a view."""

    reads: frozenset[str] | None = None
    """Plugin names of the printed series; None: those of the dashboard."""

    filters_tags: bool = True
    """False if `--tags` filters metrics or charts rather than the printed series."""

    has_data: Callable[[View], bool] | None = None
    """Return True if there is anything to print; None: if a visible run holds such a series."""

    run_noun: str = ""
    """Noun of the data of one run, as in `3 sessions`; empty: the tags are counted."""

    takes_step: bool = False
    """Supports `--step`."""

    takes_figure: bool = False
    """Supports `--figure`."""


@frozen
class TableExport:
    """One table of `tbtui export --plugin NAME`, also available as `Run.to_pandas(plugin=NAME)`."""

    name: str
    noun: str
    """Plural noun of its values in messages: "no sounds"."""

    rows: Callable[[ExportRequest], Rows]
    source: ExportSource = "values"
    writes_files: bool = False
    """Writes each value to a file of its own; `-o` names a folder, and the table is its manifest."""

    columns_help: str = ""
    """Columns after run, tag, step and wall time, for `tbtui export --help`; empty: described elsewhere."""

    rows_help: str = ""
    """Meaning of a row and its columns, for `tbtui export --help`, if rows are not points of tags."""

    wide: str = ""
    """Name of the table that `--wide` writes instead; empty: `--wide` is not supported."""

    repeats: bool = False
    """Another table reads the same values: only that one reports values that cannot be read."""

    is_secondary: bool = False
    """Listed after the tables that bear the names of their dashboards."""


@frozen
class DocumentExport:
    """Values that `tbtui export --plugin NAME` writes as documents, each in its own format rather than as rows."""

    name: str
    noun: str
    """Plural noun of its values in messages, as of a `TableExport`."""

    formats: Mapping[str, Sequence[str]]
    """Names of formats, the default first, to the endings of file names."""

    documents: Callable[[ExportRequest], Sequence[Document]]
    """Return the documents that match."""


@frozen
class PictureExport:
    """Description of the picture of a dashboard (`tbtui print --format svg|png`)."""

    charts: Callable[[View, Payloads], Charts] | None = None
    """None: `draw` makes the picture."""

    takes_step: bool = False
    """Draws one step, which `--step` selects; other charts show every step."""

    draw: Callable[[View, InkTheme, str | None, int | None, int | None], Drawing] | None = None
    """Returns a picture that is no chart, in some colours, with a background, of some columns and rows.

    It raises `NothingToDrawError` if there is nothing to draw.
    """


@frozen
class Accessor:
    """Description of the values of a tag in the Python API."""

    call: str = ""
    """Call on a `Run` that returns them, for error messages: `images()`; empty: `values('levels', tag)`."""

    load_values: Callable[[], type[Values[Any]]] | None = None
    """Imports and returns the class of the values; None: they are not read by tag."""


class ScalarExtremes(NamedTuple):
    """Extremes of the finite values of one scalar tag, and counts of the others; superseded points are included."""

    min: float | None
    max: float | None
    nan: int
    inf: int


@frozen
class InspectFacts:
    """Columns that the text of `tbtui inspect` adds to the tags of a dashboard, after values and steps.

    `tbtui inspect --json` does not contain them.
    """

    headings: tuple[str, ...]
    cells: Callable[[RunSnapshot, Series, ScalarExtremes | None], tuple[str, ...] | None]
    """Return one cell per heading, or None if nothing is known of the series. The extremes are those of scalars.

    If it raises an exception, `inspect` writes `unreadable` for the tag and continues.
    """

    is_text: bool = False
    """The cells are texts of any length. They share the last column with notes, and may move to the next line."""

    tells_reason: bool = False
    """True if `inspect` writes the message of a ValueError among the lines of the run."""

    row_name: Callable[[RunSnapshot, Series], str | None] | None = None
    """Returns the name of the row of a series; None: the row of another series describes it. Without the function each
    series has a row with its tag."""


class ValueProblem(NamedTuple):
    """A value that is stored completely, but cannot be used; not yet safe for a terminal."""

    run: str
    """Name of the run; empty for a file that an option names."""

    source: str
    """Tag or file."""

    message: str


@frozen
class Plugin:
    """Describe a dashboard: one folder under `tbtui/plugins` and one entry in the registry."""

    name: str
    """Name in `--tab` and `--plugin`: `scalars`, `histograms`, …"""

    title: str
    """Title of the tab."""

    noun: str
    """Plural noun of its data, as in `no images in the visible runs`."""

    reads: frozenset[str]
    """Plugin names, as stored in event files, of the series it shows. The tab appears once a run holds one."""

    load_pane: Callable[[], type[Pane]] | None = None
    """Imports and returns the class of the pane; None: the dashboard has no tab."""

    is_requested: Callable[[Settings], bool] | None = None
    """Return True if an option gives it something to show, whatever the logs hold: it has a tab, and is printed without
    `--plugin`. None: no option does."""

    has_files: Callable[[StoreSnapshot, Settings], bool] | None = None
    """Return True if files next to the event files or names of runs hold its data. It reads directories; the dashboard
    asks on a thread once the logs are read."""

    has_outline: bool = False
    """True if its pane lists its own content instead of the tags, applies the tag filter to it, and reports what is
    missing."""

    text: PrintedText | None = None
    exports: tuple[TableExport | DocumentExport, ...] = ()
    picture: PictureExport | None = None
    accessors: Mapping[str, Accessor] = field(default_factory=dict)
    """Accessors by the plugin name of a series, as in `reads`."""

    facts: Mapping[str, InspectFacts] = field(default_factory=dict)
    """Facts by the plugin name of a series. If several dashboards read a plugin name, only one declares its facts."""

    run_details: Callable[[RunSnapshot, Payloads], Iterator[tuple[str, Sequence[str]]]] | None = None
    """Yields headings and lines for the page of a run; called on a separate thread, with names not yet safe."""

    value_problems: Callable[[StoreSnapshot, Settings, Payloads], Iterator[ValueProblem]] | None = None
    """Yields unusable values for the damage list; called on a separate thread with runs as stored."""

    attributes: Callable[[Payloads], ReadAttributes] | None = None
    """Returns a reader of attributes of runs, such as hyperparameters, which filter, colour and group runs."""

    folds: Callable[[], FindFolds] | None = None
    """Returns a function that finds runs which only describe the run above, and are folded into it."""

    describe_assets: Callable[[RunSnapshot], Iterator[str]] | None = None
    """Yields lines for `tbtui inspect` about the profiles or embeddings of a run; may read their files."""

    settings: tuple[Setting[Any], ...] = ()
    """Settings of this dashboard; one that several dashboards share is listed by each of them."""

    reads_tags: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Tags of other plugin names that hold its data too, such as texts with arguments; the tab appears for these."""

    lists: frozenset[str] = frozenset()
    """Plugin names of the tags that the sidebar lists and filters while the tab is shown; empty: those of `reads`."""

    def has_data(self, tags: Mapping[str, frozenset[str]]) -> bool:
        """Return True if a run with these tags, by plugin name, holds data of this dashboard."""
        if not self.reads.isdisjoint(tags):
            return True
        return any(not names.isdisjoint(tags.get(name, ())) for name, names in self.reads_tags.items())
