"""All kinds of tables, by the words of `tbtui export --plugin`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.export.chosen import chosen_references
from tbtui.export.table import LEADS
from tbtui.frozen import frozen
from tbtui.store.snapshot import ReferenceSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tbtui.export.media import Folder
    from tbtui.export.refusals import Refusals
    from tbtui.export.table import Table
    from tbtui.store.snapshot import RunSnapshot

SCALARS = "scalars"

MEDIA = ("images", "audio")
"""What can be written as files into a folder, with a table of them."""

IN_FILES = ("histograms", "distributions", "pr_curves", *MEDIA, "text", "run_metadata")
"""Tables of values that are read from files again."""

OF_RUNS = ("hparams", "metadata", "files")
"""Tables of what is known of a whole run."""

TABLES = (SCALARS, *IN_FILES, *OF_RUNS)
"""What there are tables of."""


@frozen
class Rows:
    """The tables of one kind of data."""

    columns: Sequence[str]
    tables: Iterable[Table]
    leads: Sequence[str] = LEADS
    """What stands in front of the columns in every row."""


def rows_of(
    kind: str,
    runs: Iterable[RunSnapshot],
    tag_matches: Callable[[str], bool],
    refusals: Refusals,
    *,
    current: bool = False,
    folder: Folder | None = None,
    told: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Rows:
    """The tables of some runs.

    Args:
        kind: One of `TABLES`.
        runs: Those that are wanted. They are taken one by one; for values `IN_FILES` all at once, of which no scalars
            are held.
        tag_matches: Whether a tag is wanted.
        refusals: Told of what cannot be read.
        current: Without points that a restart superseded, instead of every stored point in arrival order.
        folder: Where pictures and sounds are put; None: only the table is wanted.
        told: Called with the steps of pictures and sounds that are done, and with how many there are in all.
    """
    if kind == SCALARS or kind in OF_RUNS:
        return _rows_of_runs(kind, runs, tag_matches, refusals, current=current)
    held = [without_scalars(run) for run in runs]

    def chosen(plugin: str) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
        return chosen_references(held, plugin, tag_matches, current=current)

    if kind in MEDIA:
        from tbtui.export.images import IMAGES
        from tbtui.export.media import Media
        from tbtui.export.sounds import SOUNDS

        of_kind = IMAGES if kind == "images" else SOUNDS
        media = Media(of_kind, list(chosen(of_kind.plugin)), refusals, folder, told)
        return Rows(media.columns, media.tables())
    if kind == "pr_curves":
        from tbtui.export.pr_curves import CURVES, curve_tables

        return Rows(CURVES, curve_tables(chosen(kind), refusals))
    if kind == "text":
        from tbtui.export.texts import TEXTS, text_tables

        return Rows(TEXTS, text_tables(chosen(kind), refusals))
    if kind == "run_metadata":
        from tbtui.export.run_metadata import RUN_METADATA, run_metadata_tables

        return Rows(RUN_METADATA, run_metadata_tables(held, tag_matches, refusals))
    from tbtui.export.histograms import BUCKETS, PLUGIN_NAME, QUANTILES, bucket_table, histogram_tables, quantile_table

    columns, table_of = (BUCKETS, bucket_table) if kind == "histograms" else (QUANTILES, quantile_table)
    return Rows(columns, histogram_tables(chosen(PLUGIN_NAME), table_of, refusals))


def _rows_of_runs(
    kind: str,
    runs: Iterable[RunSnapshot],
    tag_matches: Callable[[str], bool],
    refusals: Refusals,
    *,
    current: bool,
) -> Rows:
    if kind == SCALARS:
        from tbtui.export.scalars import SCALARS as COLUMNS
        from tbtui.export.scalars import scalar_tables

        return Rows(COLUMNS, _each(runs, lambda run: scalar_tables(run, tag_matches, current=current)))
    if kind == "hparams":
        from tbtui.export.hparams import HPARAMS, hparams_table

        return Rows(HPARAMS, _each(runs, lambda run: filter(len, [hparams_table(run, refusals)])), LEADS[:1])
    from tbtui.export.metadata import FILES, METADATA, files_table, metadata_tables

    if kind == "files":
        return Rows(FILES, _each(runs, lambda run: [files_table(run)]), LEADS[:1])
    return Rows(METADATA, _each(runs, lambda run: metadata_tables(run, tag_matches)))


def _each(runs: Iterable[RunSnapshot], tables_of: Callable[[RunSnapshot], Iterable[Table]]) -> Iterator[Table]:
    """Tables of one run after the other; none is held that has been gone through."""
    for run in runs:
        yield from tables_of(run)
        del run


def without_scalars(run: RunSnapshot) -> RunSnapshot:
    """The run with its other series alone: scalars are what takes memory."""
    return replace(run, series={tag: held for tag, held in run.series.items() if isinstance(held, ReferenceSeries)})
