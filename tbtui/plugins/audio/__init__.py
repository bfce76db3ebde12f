"""The Audio dashboard: sounds as waveforms and spectrograms, played by what the machine has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.audio.settings import SETTINGS
from tbtui.plugins.base import Accessor, InspectFacts, Plugin, PrintedText, TableExport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.plugins.audio.values import Sounds
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.audio.pane.pane import AudioPane

    return AudioPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.audio.print_blocks import build_audio_blocks

    return build_audio_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.media import export_media
    from tbtui.plugins.audio.export import SOUNDS

    return export_media(SOUNDS, request)


def _load_values() -> type[Sounds]:
    from tbtui.plugins.audio.values import Sounds

    return Sounds


def _inspect_series(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...]:
    from tbtui.plugins.audio.export import describe_newest
    from tbtui.store.snapshot import ReferenceSeries

    return (describe_newest(run, series),) if isinstance(series, ReferenceSeries) and len(series) else ()


PLUGIN = Plugin(
    "audio",
    "Audio",
    "sounds",
    frozenset({"audio"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_step=True),
    exports=(
        TableExport(
            "audio",
            "sounds",
            _export_rows,
            writes_files=True,
            columns_help="sample, file, format, rate, channels, duration, label, bytes and problem",
        ),
    ),
    facts={"audio": InspectFacts(("newest",), _inspect_series, is_text=True)},
    accessors={"audio": Accessor("audio()", _load_values)},
    settings=SETTINGS,
)
