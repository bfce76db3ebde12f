"""Errors of commands: one plain line on stderr, and an exit code."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection, Mapping

    from tbtui.cli.arguments import NameFilters
    from tbtui.loading.state import Searched

EXIT_NOTHING = 1
"""Exit code if nothing matched, or nothing of it could be read."""

EXIT_USAGE = 2
"""Exit code for unusable arguments or paths."""


def print_error(message: str) -> int:
    """Print a message as one line on stderr.

    Args:
        message: One sentence. It may quote arguments and paths, so control characters are removed.

    Returns:
        The exit code.
    """
    from tbtui.charts.text import safe

    with suppress(OSError):  # the exit code still reports the error
        print(f"tbtui: {safe(message)}", file=sys.stderr)
    return EXIT_USAGE


def explain_no_match(
    arguments: Namespace,
    otherwise: str,
    *,
    has_runs: bool,
    tags: Mapping[str, Collection[str]],
    of_kind: Mapping[str, Collection[str]] | None = None,
    filters: NameFilters | None = None,
    searched: Searched | None = None,
) -> str:
    """Return the reason why a command found nothing, with similar names.

    Args:
        arguments: With the patterns `runs` and `tags`, which have been applied to these names.
        otherwise: The reason where there are runs and no pattern: `no scalars`.
        has_runs: True if there is any run, selected or not.
        tags: The tags of every run; those of runs that are not selected may be missing.
        of_kind: The tags that the command supports, which are suggested; None: all.
        filters: The patterns as they were applied; None: `runs` is no terms.
        searched: The directories that hold no event files; None if they are not known.
    """
    if not has_runs:
        if searched is None:
            return "no event files"
        from tbtui.view.descriptions import SOUGHT, format_searched

        return f"no event files; {format_searched(searched)}, {SOUGHT}"
    options = [f"--{name}" for name in ("runs", "tags") if getattr(arguments, name)]
    if not options:
        return otherwise
    from tbtui.api.lookup import format_pattern_suggestion
    from tbtui.cli.arguments import NameFilters
    from tbtui.settings.filters import quote

    filters = filters or NameFilters(arguments)
    runs = [*filter(filters.runs(tags), tags)]
    if not runs:
        suggestion = format_pattern_suggestion(arguments.runs, sorted(tags))
        return f"nothing matches --runs {quote(arguments.runs)}: {suggestion}"
    present = sorted({tag for run in runs for tag in tags[run]})
    if not any(map(filters.tags(present), present)):
        if of_kind is None:
            # Tags of plugins, such as __run_graph__, are not suggested.
            suggested = [tag for tag in present if not tag.startswith("_")]
        else:
            suggested = sorted({tag for run in runs for tag in of_kind[run]})
        suggestion = format_pattern_suggestion(arguments.tags, suggested or present)
        return f"nothing matches --tags {quote(arguments.tags)}: {suggestion}"
    return f"what {' and '.join(options)} {'match' if options[1:] else 'matches'} has {otherwise}"
