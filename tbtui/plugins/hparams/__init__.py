"""Define the hyperparameters of runs for `print`, `export` and the Python API; they have no tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, Plugin, PrintedText, TableExport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.rows import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View


def _blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.hparams.text import hparam_blocks

    return hparam_blocks(view, options)


def _rows(request: ExportRequest) -> Rows:
    from tbtui.export.rows import RUN_KEY, Rows
    from tbtui.plugins.hparams.table import HPARAM_COLUMNS, hparams_table

    tables = request.by_run(lambda run: filter(len, [hparams_table(run, request.refusals)]))
    return Rows(HPARAM_COLUMNS, tables, RUN_KEY)


def _run_details(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:
    from tbtui.plugins.hparams.sessions import hparams_of
    from tbtui.plugins.hparams.table import hparam_lines

    yield "Hyperparameters", hparam_lines(hparams_of(run, payloads))


PLUGIN = Plugin(
    "hparams",
    "Hyperparameters",
    "hyperparameters",
    frozenset({"hparams"}),
    rank=30,
    text=PrintedText(_blocks, filters_tags=False, noun_of_run="session"),
    exports=(TableExport("hparams", "hyperparameters", _rows, source="runs"),),
    accessors={"hparams": Accessor("hparams")},
    run_details=_run_details,
)
