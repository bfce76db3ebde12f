"""List all dashboards. A new one is a folder next to this file and one entry in `PLUGINS`.

Tabs, `print`, pictures, `export`, the Python API, `inspect` and the help of all of them ask the functions here.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from tbtui.plugins import (
    audio,
    comparison,
    custom_scalars,
    distributions,
    graphs,
    histograms,
    hparams,
    images,
    mesh,
    pr_curves,
    profile,
    projector,
    scalars,
    text,
)
from tbtui.plugins.base import DocumentExport, TableExport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import Accessor, InspectFacts, Plugin, ValueProblem
    from tbtui.settings.declaration import ReportCommand, Setting
    from tbtui.settings.settings import Settings
    from tbtui.store.run_folds import RunFolder
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.view.attributes import RunAttributes

PLUGINS: tuple[Plugin, ...] = (
    scalars.PLUGIN,
    comparison.PLUGIN,
    hparams.PLUGIN,
    custom_scalars.PLUGIN,
    images.PLUGIN,
    audio.PLUGIN,
    histograms.PLUGIN,
    distributions.PLUGIN,
    graphs.PLUGIN,
    text.PLUGIN,
    pr_curves.PLUGIN,
    mesh.PLUGIN,
    projector.PLUGIN,
    profile.PLUGIN,
)
"""Dashboards in the order of their tabs."""

REPORT_ORDER = (
    "scalars",
    "custom_scalars",
    "comparison",
    "hparams",
    "histograms",
    "distributions",
    "pr_curves",
    "text",
    "images",
    "audio",
    "graphs",
    "mesh",
    "profile",
    "projector",
)
"""Order of the dashboards in the lists of `print` and `export`; a dashboard that is not named here comes last.

`print` without `--plugin` shows the first one with data.
"""


def _export_metadata(request: ExportRequest) -> Rows:
    from tbtui.export.metadata import METADATA_COLUMNS, iter_metadata_tables
    from tbtui.export.request import Rows

    return Rows(METADATA_COLUMNS, request.iter_by_run(lambda run: iter_metadata_tables(run, request.tag_matches)))


def _export_files(request: ExportRequest) -> Rows:
    from tbtui.export.metadata import FILE_COLUMNS, build_files_table
    from tbtui.export.request import RUN_KEY, Rows

    return Rows(FILE_COLUMNS, request.iter_by_run(lambda run: [build_files_table(run)]), RUN_KEY)


GENERAL_EXPORTS = (
    TableExport(
        "metadata",
        "tags",
        _export_metadata,
        source="runs",
        rows_help="one row per tag: kind, number of points, description, and the message of the plugin in base64 and "
        "as JSON",
    ),
    TableExport(
        "files",
        "files",
        _export_files,
        source="runs",
        rows_help="one row per event file: size, records, writer, times, state and problems",
    ),
)
"""Tables about tags of all kinds and about files, which belong to no dashboard."""


def list_tabs() -> tuple[Plugin, ...]:
    """Return the dashboards that have a tab, in the order of the tabs."""
    return tuple(plugin for plugin in PLUGINS if plugin.load_pane is not None)


def list_titles() -> dict[str, str]:
    """Return the name of each dashboard by the title of its tab."""
    return {plugin.title: plugin.name for plugin in PLUGINS}


def list_text_plugins() -> dict[str, Plugin]:
    """Return the dashboards that `tbtui print` can show, by name. Without `--plugin` the first with data is printed."""
    return {plugin.name: plugin for plugin in _sort_for_reports() if plugin.text is not None}


def list_picture_plugins() -> dict[str, Plugin]:
    """Return the dashboards whose charts can be drawn as a picture, by name; the first with data is the default."""
    return {plugin.name: plugin for plugin in _sort_for_reports() if plugin.picture is not None}


def list_exports() -> dict[str, TableExport | DocumentExport]:
    """Return all exports by name: values of tags first, then facts of runs, then tables of no dashboard."""
    all_exports = list(chain.from_iterable(plugin.exports for plugin in _sort_for_reports()))
    all_exports.sort(
        key=lambda export: (
            isinstance(export, TableExport) and (export.source in ("runs", "all runs") or export.is_secondary)
        )
    )
    return {export.name: export for export in (*all_exports, *GENERAL_EXPORTS)}


def list_table_exports() -> dict[str, TableExport]:
    """Return the exports that are tables: those of scalars first, then of values in files, then of runs."""
    tables = [export for export in list_exports().values() if isinstance(export, TableExport)]
    order = ("scalars", "values", "runs", "all runs")
    return {export.name: export for export in sorted(tables, key=lambda export: order.index(export.source))}


def list_exported_names() -> frozenset[str]:
    """Return the plugin names of series whose values `tbtui export` can write."""
    return frozenset(chain.from_iterable(plugin.reads for plugin in PLUGINS if plugin.exports))


def find_accessor(plugin_name: str) -> Accessor | None:
    """Return the accessor of the Python API for a plugin name; None if only tensors are available."""
    return next((plugin.accessors[plugin_name] for plugin in PLUGINS if plugin_name in plugin.accessors), None)


def list_accessor_names() -> Sequence[str]:
    """Return the plugin names that the Python API reads."""
    return tuple(chain.from_iterable(plugin.accessors for plugin in PLUGINS))


def find_facts(plugin_name: str) -> InspectFacts | None:
    """Return the columns that `tbtui inspect` adds to series of a plugin name."""
    return next((plugin.facts[plugin_name] for plugin in PLUGINS if plugin_name in plugin.facts), None)


def run_details(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the sections that the dashboards add to the page of a run: a heading and lines each."""
    for plugin in PLUGINS:
        if plugin.run_details is not None:
            yield from plugin.run_details(run, payloads)


def find_value_problems(snapshot: StoreSnapshot, settings: Settings, payloads: Payloads) -> Iterator[ValueProblem]:
    """Yield the completely stored values that dashboards cannot use; reads files."""
    for plugin in PLUGINS:
        if plugin.value_problems is not None:
            yield from plugin.value_problems(snapshot, settings, payloads)


def describe_run_assets(run: RunSnapshot) -> Iterator[str]:
    """Yield descriptions of the profiles and embeddings of a run; may read their files."""
    from tbtui.run_health.summaries import collect_contents

    tags = collect_contents(run).tags
    for plugin in PLUGINS:
        if plugin.describe_assets is not None and not plugin.reads.isdisjoint(tags):
            yield from plugin.describe_assets(run)


def run_folder(plugins: Sequence[Plugin] = PLUGINS) -> RunFolder:
    """Return the object that folds runs into the runs above if they only describe them."""
    from tbtui.store.run_folds import RunFolder

    return RunFolder(plugin.folds() for plugin in plugins if plugin.folds is not None)


def read_attributes(snapshot: StoreSnapshot, settings: Settings) -> RunAttributes | None:
    """Return the attributes of runs, such as hyperparameters; None if no dashboard has any. May read event files."""
    from tbtui.loading.payloads import Payloads

    make = next((plugin.attributes for plugin in PLUGINS if plugin.attributes is not None), None)
    return None if make is None else make(Payloads())(snapshot, settings)


def select_runs(text: str, snapshot: StoreSnapshot, settings: Settings) -> frozenset[str] | None:
    """Return the runs that terms over their attributes select; None if the text is one regular expression.

    Raises:
        ValueError: A term cannot be applied; the message says why.
    """
    from tbtui.view.terms import select_by_terms

    return select_by_terms(text, list(snapshot.runs), lambda: read_attributes(snapshot, settings))


def list_plugin_settings() -> Sequence[Setting[Any]]:
    """Return the settings that single dashboards declare."""
    return tuple(dict.fromkeys(chain.from_iterable(plugin.settings for plugin in PLUGINS)))


def list_command_settings(command: ReportCommand) -> Sequence[Setting[Any]]:
    """Return the settings of dashboards with an option of `print` or `export`."""
    return tuple(each for each in list_plugin_settings() if each.option is not None and command in each.option.commands)


def run_settings() -> Sequence[Setting[Any]]:
    """Return the settings of dashboards with an option of every command with `--runs`."""
    return tuple(each for each in list_plugin_settings() if each.option is not None and each.option.selects_runs)


def _sort_for_reports() -> list[Plugin]:
    positions = {name: position for position, name in enumerate(REPORT_ORDER)}
    return sorted(PLUGINS, key=lambda plugin: positions.get(plugin.name, len(positions)))
