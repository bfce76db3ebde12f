"""Summary of damage, and of data that is not shown, in few lines on stderr; `inspect` lists all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.errors import print_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import RunSnapshot


def report_damage(loaded: LoadState, chosen: Mapping[str, RunSnapshot], done: str) -> None:
    """Report directories that cannot be listed, and the first damaged file.

    Args:
        loaded: The loaded logs.
        chosen: The selected runs by name.
        done: Past participle of the command: `exported`.
    """
    report_unreadable_directories(loaded)
    files = [file for run in chosen.values() for file in run.files if file.state in {"corrupt", "unreadable"}]
    if files:
        others = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        print_error(f"{files[0].path}{others}: damaged, {done} as far as it can be read (see tbtui inspect)")


def report_unshown(loaded: LoadState) -> None:
    """Report data that no dashboard shows."""
    from tbtui.plugins.unshown import unshown_lines

    for line in unshown_lines(loaded.assets, map(_tags_by_plugin, loaded.snapshot.runs.values())):
        print_error(line)


def _tags_by_plugin(run: RunSnapshot) -> dict[str, set[str]]:
    tags: dict[str, set[str]] = {}
    for tag, series in run.series.items():
        if len(series):
            tags.setdefault(series.metadata.plugin_name, set()).add(tag)
    return tags


def report_unreadable_directories(loaded: LoadState) -> None:
    """Report directories that cannot be listed."""
    for problem in loaded.problems:
        if problem.run not in loaded.snapshot.runs:
            print_error(f"{problem.path}: {problem.problem.message}")
