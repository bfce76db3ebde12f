"""`tbtui inspect [PATH …]`: what is in the event files and how healthy they are. Imports no Textual."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.cli.cache import complain_of_index, run_indexes
from tbtui.cli.complaint import complain
from tbtui.cli.patterns import PatternError, matches
from tbtui.loading.loader import Loader
from tbtui.loading.sources import SourceError, parse_sources

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence
    from typing import TextIO

    from tbtui.loading.index.again import RunIndexes
    from tbtui.store.snapshot import RunSnapshot

NOTHING = 1
"""Exit code when nothing matched, or when nothing could be read of what did."""


def run(arguments: Namespace) -> int:
    """Print what is in the event files on stdout.

    Args:
        arguments: As `parse_inspect` gives them.

    Returns:
        The exit code.
    """
    if sys.stdout is None:
        return complain("stdout is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names may hold what the locale cannot write
    return inspect(
        arguments.paths,
        json=arguments.json,
        runs=arguments.runs,
        tags=arguments.tags,
        out=sys.stdout,
        check=arguments.check,
        indexes=None if arguments.check else run_indexes(arguments),  # what is compared is what the disk has now
        jobs=arguments.jobs,
    )


def inspect(
    paths: Sequence[str],
    *,
    json: bool,
    runs: str | None,
    tags: str | None,
    out: TextIO,
    check: bool = False,
    indexes: RunIndexes | None = None,
    jobs: int | None = 1,
) -> int:
    """Read everything once, comparing payloads with their checksums, and write a report.

    Args:
        paths: Directories, event files, globs, or NAME:PATH; none for the current directory.
        json: For scripts instead of for people.
        runs: Regular expression that names of runs must match; None for all.
        tags: The same for tags; runs without a matching tag are left out.
        out: Where the report goes. Complaints go to stderr.
        check: Read and compare long payloads too, of which a part tells enough for the report.
        indexes: Where what is read is kept for the next time; None: nowhere.
        jobs: How many processes may read at once; None: as many as are sensible here.

    Returns:
        0 fine; 1 nothing matched, or nothing of it could be read; 2 wrong arguments or path.
    """
    try:
        sources = parse_sources(paths)
        loaded = Loader(
            sources, reload_seconds=0, check_payloads=True, whole=check, indexes=indexes, jobs=jobs
        ).load_all()
        chosen = _choose(loaded.snapshot.runs.values(), runs, tags)
    except (SourceError, PatternError) as error:
        return complain(str(error))
    label = " ".join(paths) or "."
    if json:
        from tbtui.cli.inspect_json import write_report
    else:
        from tbtui.cli.inspect_table import write_report
    write_report(label, chosen, out)
    for problem in loaded.problems:
        if problem.run not in loaded.snapshot.runs:  # a directory that could not be looked into
            complain(f"{problem.path}: {problem.problem.message}")
    complain_of_index(loaded)
    if not chosen:
        complain(f"{label}: {'nothing matches' if loaded.snapshot.runs else 'no event files'}")
    return NOTHING if _is_useless(chosen) else 0


def _choose(runs: Iterable[RunSnapshot], run_pattern: str | None, tag_pattern: str | None) -> list[RunSnapshot]:
    """The runs that match, with those of their tags that match."""
    passes = matches(run_pattern, {run.name for run in runs})
    chosen = [run for run in runs if passes(run.name)]
    if not tag_pattern:
        return chosen
    passes = matches(tag_pattern, {tag for run in chosen for tag in run.series})
    chosen = [replace(run, series={tag: series for tag, series in run.series.items() if passes(tag)}) for run in chosen]
    return [run for run in chosen if run.series]


def _is_useless(runs: Sequence[RunSnapshot]) -> bool:
    """Whether there is nothing, or nothing but damage."""
    files = [file for run in runs for file in run.files]
    return not any(file.records or file.state in {"ok", "empty", "truncated"} for file in files)
