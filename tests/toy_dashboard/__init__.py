"""A minimal dashboard in one folder, for tests and as the example of docs/architecture.md.

It shows levels: two numbers per step, stored as a tensor under the plugin name `levels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, InspectFacts, PictureExport, Plugin, PrintedText, ScalarExtremes, TableExport
from tests.toy_dashboard.settings import COLUMN, COLUMNS, NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.picture import Charts
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane
    from tests.toy_dashboard.decode import Levels


def _load_pane() -> type[Pane]:
    from tests.toy_dashboard.pane.pane import LevelsPane

    return LevelsPane


def _load_values() -> type[Levels]:
    from tests.toy_dashboard.decode import Levels

    return Levels


def _blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tests.toy_dashboard.print_blocks import level_blocks

    return level_blocks(view, options)


def _rows(request: ExportRequest) -> Rows:
    from tests.toy_dashboard.export import level_rows

    return level_rows(request)


def _charts(view: View, payloads: Payloads) -> Charts:
    from tests.toy_dashboard.chart import level_charts

    return level_charts(view, payloads)


def _newest(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...] | None:
    from tests.toy_dashboard.decode import Levels

    stored = run.references(series.tag, NAME)
    if stored is None:
        return None
    newest = Levels(run, stored.current)[-1]
    return f"{newest.level:g}", f"{newest.temperature:g}"


PLUGIN = Plugin(
    name=NAME,
    title="Levels",
    noun="levels",
    reads=frozenset({NAME}),
    load_pane=_load_pane,
    text=PrintedText(_blocks),
    exports=(TableExport(NAME, "levels", _rows, columns_help=f"{', '.join(COLUMNS)}: the numbers that were logged"),),
    picture=PictureExport(_charts),
    accessors={NAME: Accessor(load_values=_load_values)},
    facts={NAME: InspectFacts(COLUMNS, _newest)},
    settings=(COLUMN,),
)
