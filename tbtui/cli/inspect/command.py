"""Run `tbtui inspect [PATH …]`: contents and health of event files. Imports no Textual."""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.numbers import format_count
from tbtui.cli.arguments import NameFilters, PatternError, name_sources
from tbtui.cli.errors import EXIT_NOTHING, explain_no_match, print_error
from tbtui.cli.inspect.report import create_reports
from tbtui.cli.output import Output, print_output_error
from tbtui.cli.run_loading import open_run_cache, report_cache_failure, report_unreadable_directories
from tbtui.cli.run_selection import find_attributes
from tbtui.export.output import OutputError
from tbtui.loading.loader import Loader
from tbtui.loading.sources import SourceError
from tbtui.plugins.registry import run_folder
from tbtui.store.run_chains import RunJoiner, find_chains
from tbtui.store.run_folds import list_stored_names

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.view.attributes import RunAttributes

DAMAGED = 1
"""Exit code of `--check` if a file is damaged."""


def run(arguments: Namespace) -> int:
    """Read everything once, comparing payloads with their checksums, and write a report.

    Args:
        arguments: Result of `options.inspect.parse`.

    Returns:
        0 fine; 1 nothing matched, nothing of it could be read, or anything is damaged where `--check` asks for that; 2
        wrong arguments or path, the output's too.
    """
    is_collecting = gc.isenabled()
    # What is read stays until the end: with thousands of runs, a search for garbage takes an eighth of the time.
    gc.disable()
    try:
        return _inspect(arguments)
    finally:
        if is_collecting:
            gc.enable()


def _inspect(arguments: Namespace) -> int:
    output = Output.of(arguments)
    try:
        output.check()
        loaded = Loader(
            name_sources(arguments.paths),
            reload_seconds=0,
            whole=arguments.check,
            indexes=None if arguments.check else open_run_cache(arguments),  # what is compared is what the disk has now
            jobs=arguments.jobs,
        ).load_all(verify=True)
        filters = NameFilters(arguments)
        folded = run_folder().fold(loaded.snapshot)
        snapshot = folded if arguments.fold_runs == "yes" and not arguments.json else loaded.snapshot
        listed = RunJoiner().join(snapshot, arguments.chain_runs)
        chosen = _choose(listed.runs, filters, find_attributes(arguments, loaded.snapshot))
        if chosen or output.wants_object(arguments):
            _write(chosen, listed, folded, loaded, arguments, output)
    except OutputError as error:
        return print_output_error(error)
    except (SourceError, PatternError) as error:
        return print_error(str(error))
    filters.report_plain_text()
    report_unreadable_directories(loaded)
    report_cache_failure(loaded)
    if not chosen:
        names = {name: run.series for name, run in loaded.snapshot.runs.items()}
        reason = explain_no_match(
            arguments, "no tags", has_runs=bool(names), tags=names, filters=filters, searched=loaded.searched
        )
        print_error(f"{_label(arguments)}: {reason}")
    if _is_useless(chosen):
        return EXIT_NOTHING
    return _report_damage(loaded, _find_stored_names(chosen, snapshot)) if arguments.check else 0


def _write(
    chosen: Sequence[RunSnapshot],
    listed: StoreSnapshot,
    folded: StoreSnapshot,
    loaded: LoadState,
    arguments: Namespace,
    output: Output,
) -> None:
    """Write the report in the selected format.

    Args:
        chosen: The runs to report.
        listed: All runs as the report lists them.
        folded: All runs, folded.
        loaded: The loaded logs.
        arguments: Parsed arguments.
        output: Where to write.

    Raises:
        OutputError: The output cannot be written.
    """
    reports = create_reports(chosen, time.time(), listed.runs.values())
    label = _label(arguments)
    if arguments.json:
        from tbtui.cli.inspect.json_text import iter_json_chunks

        joined = {name: run.name for run in listed.runs.values() for name in _members(run, loaded.snapshot)}
        above = {
            name: joined.get(run.name, run.name)
            for run in folded.runs.values()
            for name in list_stored_names(run)
            if name != run.name
        }
        output.write_data(iter_json_chunks(label, reports, loaded.assets, above))
    else:
        from tbtui.cli.inspect.formats import report_lines

        lines = report_lines(label, list(reports), width=output.columns, everything=arguments.all, assets=loaded.assets)
        output.write_text("".join(f"{line}\n" for line in lines))


def _label(arguments: Namespace) -> str:
    """Return the paths as the user gave them."""
    return " ".join(arguments.paths) or "."


def _members(run: RunSnapshot, before: StoreSnapshot) -> tuple[str, ...]:
    """Return the names of the runs that were joined into a run, usually its own; `before` has them."""
    return (run.name,) if run.name in before.runs else find_chains(before.runs).get(run.name, ())


def _find_stored_names(runs: Sequence[RunSnapshot], before: StoreSnapshot) -> set[str]:
    """Return the names of the stored runs that were folded and joined into some runs; `before` was not joined."""
    parts = [before.runs.get(name, run) for run in runs for name in _members(run, before)]
    return {name for part in parts for name in list_stored_names(part)}


def _report_damage(loaded: LoadState, names: Collection[str]) -> int:
    """Print the amount of damage and its first position to stderr, and return the exit code.

    A file that ends in the middle of a record is damaged once it has not been written for some minutes: before, it is
    how a file looks between two flushes. One that holds nothing is not.
    """
    damaged = [
        problem
        for problem in loaded.problems
        if problem.problem.kind != "empty" and (problem.run in names or problem.run not in loaded.snapshot.runs)
    ]
    if not damaged:
        return 0
    first = damaged[0]
    position_text = "" if first.problem.is_about_file else f" at byte {first.problem.offset:,}"
    count = (
        f"{format_count(len(damaged), 'place')} in {format_count(len({problem.path for problem in damaged}), 'file')}"
    )
    print_error(f"damage: {count}; first {first.path}{position_text}: {first.problem.message}")
    return DAMAGED


def _choose(
    runs: Mapping[str, RunSnapshot], filters: NameFilters, attributes: Callable[[], RunAttributes | None]
) -> list[RunSnapshot]:
    """Return the matching runs with their matching tags."""
    passes = filters.runs(runs, attributes)
    chosen = [run for run in runs.values() if passes(run.name)]
    if not filters.has_tags:
        return chosen
    passes = filters.tags({tag for run in chosen for tag in (*run.series, *(asset.tag for asset in run.assets))})
    chosen = [
        replace(
            run,
            series={tag: series for tag, series in run.series.items() if passes(tag)},
            assets=tuple(asset for asset in run.assets if passes(asset.tag)),
        )
        for run in chosen
    ]
    return [run for run in chosen if run.series or run.assets]


def _is_useless(runs: Sequence[RunSnapshot]) -> bool:
    """Return True if no run holds any readable data."""
    if any(run.assets for run in runs):
        return False
    # The first file that is well decides.
    files = (file for run in runs for file in run.files)
    return not any(file.records or file.state in {"ok", "empty", "truncated"} for file in files)
