"""Run `tbtui compare [PATH …]`: metrics and hyperparameters of runs side by side. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.text import safe
from tbtui.cli.arguments import NameFilters, PatternError, name_sources
from tbtui.cli.errors import EXIT_NOTHING, explain_no_match, print_error
from tbtui.cli.output import Output, print_output_error
from tbtui.cli.run_loading import open_run_cache, report_cache_failure, report_damage
from tbtui.cli.run_selection import RunLister, apply_options, find_attributes
from tbtui.export.output import OutputError
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import SourceError
from tbtui.plugins.comparison.compared_runs import CompareError, compare
from tbtui.plugins.hparams.settings import name_pattern
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.plugins.registry import run_settings
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from tbtui.loading.state import LoadState
    from tbtui.plugins.comparison.compared_runs import Comparison


def run(arguments: Namespace) -> int:
    """Compare runs.

    Args:
        arguments: Result of `options.compare.parse`.

    Returns:
        Exit code: 0 success; 1 nothing matched; 2 wrong arguments, path or output.
    """
    output = Output.of(arguments)
    try:
        output.check()
        loaded = Loader(
            name_sources(arguments.paths),
            reload_seconds=0,
            indexes=open_run_cache(arguments),
            jobs=arguments.jobs,
        ).load_all()
        loaded = replace(loaded, snapshot=RunLister(arguments).list(loaded.snapshot))
        filters = NameFilters(arguments)
        comparison = _compare(loaded, arguments, filters)
        if comparison.runs or output.wants_object(arguments):
            _write(comparison, arguments, output)
    except OutputError as error:
        return print_output_error(error)
    except (SourceError, PatternError, CompareError) as error:
        return print_error(str(error))
    filters.report_plain_text()
    report_cache_failure(loaded)
    report_damage(loaded, {name: loaded.snapshot.runs[name] for name in comparison.runs}, "compared")
    if not comparison.runs:
        print_error(f"{' '.join(arguments.paths) or '.'}: {_explain_nothing(loaded, arguments, filters)}")
        return EXIT_NOTHING
    return 0


def _compare(loaded: LoadState, arguments: Namespace, filters: NameFilters) -> Comparison:
    runs = loaded.snapshot.runs
    chosen = filters.runs(runs, find_attributes(arguments, loaded.snapshot))
    tags = {tag for name, run in runs.items() if chosen(name) for tag in run.series}
    return compare(
        runs,
        chosen,
        filters.tags(tags),
        figure=arguments.figure,
        baseline=arguments.baseline,
        sort=arguments.sort,
        reverse=arguments.reverse,
        limit=arguments.limit or None,
        full=arguments.json,
        with_superseded=arguments.superseded or arguments.x_axis != "step",
        x_tag=arguments.x_tag or "",
        table=SessionTables(Payloads()).build(runs, name_pattern(apply_options(Settings(), arguments, run_settings()))),
    )


def _write(comparison: Comparison, arguments: Namespace, output: Output) -> None:
    """Write the comparison in the selected format.

    Raises:
        OutputError: The output cannot be written.
    """
    label = " ".join(arguments.paths) or "."
    if arguments.json:
        from tbtui.cli.compare.formats import encode_json

        output.write_data(encode_json(comparison, label))
    elif arguments.markdown:
        from tbtui.cli.compare.formats import format_markdown

        output.write_data(_end(format_markdown(comparison, safe(label))))
    else:
        from tbtui.cli.compare.formats import format_text

        output.write_text("".join(_end(format_text(comparison, safe(label), output.columns))))


def _end(lines: Iterable[str]) -> Iterator[str]:
    return (f"{line}\n" for line in lines)


def _explain_nothing(loaded: LoadState, arguments: Namespace, filters: NameFilters) -> str:
    """Return the reason why there is nothing to compare."""
    runs = loaded.snapshot.runs
    tags = {name: run.series for name, run in runs.items()}
    scalars = {
        name: [tag for tag, series in series_by_tag.items() if isinstance(series, ScalarSeries)]
        for name, series_by_tag in tags.items()
    }
    if runs and not any(scalars.values()):
        return "no scalars"
    return explain_no_match(
        arguments,
        "no scalars",
        has_runs=bool(runs),
        tags=tags,
        of_kind=scalars,
        filters=filters,
        searched=loaded.searched,
    )
