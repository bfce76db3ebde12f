"""Loading of runs by commands: the cache, and reports on stderr of damage and of data that is not shown.

The reports take a few lines; `tbtui inspect` lists everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.errors import print_error
from tbtui.loading.cache.index_folder import open_user_indexes

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from tbtui.loading.cache.index_folder import RunIndexes
    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import EventFile, RunSnapshot


def open_run_cache(arguments: Namespace) -> RunIndexes | None:
    """Return the cache of the user; None with `--no-cache`."""
    if arguments.no_cache:
        return None
    return open_user_indexes()


def report_cache_failure(state: LoadState) -> None:
    """Report that the cache could not be written, which is no failure of the command."""
    if state.index_failure is not None:
        print_error(f"{state.index_failure} (nothing is lost, but it will be read anew the next time; see --no-cache)")


def report_damage(loaded: LoadState, chosen: Mapping[str, RunSnapshot], participle: str) -> None:
    """Report directories that cannot be listed, and the first unreadable and the first damaged file.

    Args:
        loaded: The loaded logs.
        chosen: The selected runs by name.
        participle: Past participle of the command: `exported`.
    """
    from tbtui.store.event_files import select_troubled

    report_unreadable_directories(loaded)
    files = [
        file
        for run in chosen.values()
        for file in select_troubled(run.files)
        if file.state in {"corrupt", "unreadable"}
    ]
    foreign = [file for file in files if file.state == "unreadable" and not file.records and file.problems]
    if foreign:
        reason = foreign[0].problems[0].message
        is_common = all(file.problems[0].message == reason for file in foreign)
        others = "" if is_common else f"; {len(foreign) - 1:,} more files cannot be read either (see tbtui inspect)"
        print_error(f"{foreign[0].path}{_count_others(foreign) if is_common else ''}: {reason}{others}")
    damaged = [file for file in files if file not in foreign]
    if damaged:
        subject = f"{damaged[0].path}{_count_others(damaged)}"
        print_error(f"{subject}: damaged, {participle} as far as it can be read (see tbtui inspect)")


def _count_others(files: Sequence[EventFile]) -> str:
    return f" and {len(files) - 1:,} more" if len(files) > 1 else ""


def report_unshown(loaded: LoadState) -> None:
    """Report data that no dashboard shows."""
    from tbtui.plugins.unsupported_data import format_unshown_lines, list_shown_plugins
    from tbtui.run_health.summaries import collect_contents

    known_plugins = list_shown_plugins()
    runs = [run for run in loaded.snapshot.runs.values() if not run.plugin_names <= known_plugins]
    for line in format_unshown_lines(loaded.assets, (collect_contents(run).tags for run in runs)):
        print_error(line)


def report_unreadable_directories(loaded: LoadState) -> None:
    """Report directories that cannot be listed."""
    for problem in loaded.problems:
        if problem.run not in loaded.snapshot.runs:
            print_error(f"{problem.path}: {problem.problem.message}")
