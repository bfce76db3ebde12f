"""Summary of damage, and of data that is not shown, in few lines on stderr; `inspect` lists all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.errors import print_error
from tbtui.store.event_files import troubled_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import EventFile, RunSnapshot


def report_damage(loaded: LoadState, chosen: Mapping[str, RunSnapshot], done: str) -> None:
    """Report directories that cannot be listed, and the first unreadable and the first damaged file.

    Args:
        loaded: The loaded logs.
        chosen: The selected runs by name.
        done: Past participle of the command: `exported`.
    """
    report_unreadable_directories(loaded)
    files = [
        file for run in chosen.values() for file in troubled_files(run.files) if file.state in {"corrupt", "unreadable"}
    ]
    foreign = [file for file in files if file.state == "unreadable" and not file.records and file.problems]
    if foreign:
        reason = foreign[0].problems[0].message
        is_common = all(file.problems[0].message == reason for file in foreign)
        others = "" if is_common else f"; {len(foreign) - 1:,} more files cannot be read either (see tbtui inspect)"
        print_error(f"{foreign[0].path}{_more(foreign) if is_common else ''}: {reason}{others}")
    damaged = [file for file in files if file not in foreign]
    if damaged:
        print_error(f"{damaged[0].path}{_more(damaged)}: damaged, {done} as far as it can be read (see tbtui inspect)")


def _more(files: Sequence[EventFile]) -> str:
    return f" and {len(files) - 1:,} more" if len(files) > 1 else ""


def report_unshown(loaded: LoadState) -> None:
    """Report data that no dashboard shows."""
    from tbtui.plugins.unsupported_data import shown_plugins, unshown_lines

    shown = shown_plugins()
    runs = [run for run in loaded.snapshot.runs.values() if not run.plugin_names <= shown]
    for line in unshown_lines(loaded.assets, map(_tags_by_plugin, runs)):
        print_error(line)


def _tags_by_plugin(run: RunSnapshot) -> Mapping[str, frozenset[str]]:
    from tbtui.run_health.summaries import run_contents

    return run_contents(run).tags


def report_unreadable_directories(loaded: LoadState) -> None:
    """Report directories that cannot be listed."""
    for problem in loaded.problems:
        if problem.run not in loaded.snapshot.runs:
            print_error(f"{problem.path}: {problem.problem.message}")
