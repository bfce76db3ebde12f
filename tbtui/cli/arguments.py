"""The command line: which words tbtui understands. Imports neither numpy nor Textual, so that `--help` is immediate."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from tbtui import __version__
from tbtui.cli import values
from tbtui.cli.complaint import complain

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE_FORMATS = ("csv", "json", "jsonl")
GRAPH_FORMATS = ("dot", "mermaid", "svg", "pbtxt", "json")
"""Formats of `export`, the one that is taken where none is asked for first."""

DASHBOARD_EXAMPLES = """\
PATH is a directory, an event file, a glob in quotes, or NAME:PATH; without one,
the current directory.

commands:
  tbtui [PATH ...]          the dashboard
  tbtui inspect [PATH ...]  what is in the files and how healthy they are
  tbtui export [PATH ...]   scalars, histograms as CSV or JSON for programs
  tbtui cache               what is kept of logs that were read, and how much
                            (a directory of such a name is opened as ./export)

examples:
  tbtui --demo              look around without any logs
  tbtui logs/               all runs below logs/, live
  tbtui a:run1 b:run2       two runs under names of your own
  tbtui logs/ --runs 'adam|sgd' --tags ^loss --x-axis relative

exit codes: 0 fine, 1 a crash, 2 wrong arguments, path or terminal
"""

INSPECT_EXAMPLES = """\
examples:
  tbtui inspect logs/       a table of runs, tags and damage
  tbtui inspect --json logs/ | jq '.runs | keys'

exit codes: 0 fine, 1 nothing matched or data damaged beyond use, 2 wrong
arguments or path
"""

EXPORT_EXAMPLES = """\
Rows have run, tag, step and wall_time (seconds since 1970), and after them
  of scalars        value
  of histograms     left, right and count: a row a bucket
  of distributions  count, min, p6.68, p15.87, p30.85, median, p69.15, p84.13,
                    p93.32 and max: of each histogram the values below which so
                    many per cent of all lie, interpolated as in TensorBoard
  of pr_curves      threshold, precision, recall, tp, fp, tn and fn: a row a
                    threshold, also where nothing is predicted to be positive
  of text           row, column and text: a row a document, or a cell of a table
  of images         sample, file, format, width, height, bytes and problem
  of audio          sample, file, format, rate, channels, duration, label, bytes
                    and problem
for every stored point in the order it was logged. Numbers read back to the same
float64; those that are not finite are NaN, Infinity and -Infinity, in quotes in
JSON. A histogram that cannot be drawn (one of NaN, say) is left out and told,
and so is what stands in place of a curve. Images and audio are written with -o
into a folder, each as the bytes that were logged, and the table of them beside
them as manifest.jsonl (.csv, .json: --format); without -o there is the table.

Graphs are no rows. Each is a document: dot (Graphviz), json (nodes and edges)
and pbtxt have all of it; mermaid and svg have as many scopes open as a picture
has room for. -o is a folder of them if one is there, or if it ends in a slash
or has no ending; to a file or to stdout goes one graph.

examples:
  tbtui export logs/ > all.csv
  tbtui export logs/ --tags '^loss/' --current -o loss.jsonl
  tbtui export logs/ --plugin histograms --tags ^grads -o gradients.csv
  tbtui export logs/ --plugin images --runs ^gan -o pictures
  tbtui export logs/ --plugin graphs --runs ^cnn -o cnn.svg
  tbtui export --format jsonl logs/ | jq -r .tag | sort | uniq -c

exit codes: 0 fine, 1 nothing matched or data damaged beyond use, 2 wrong
arguments or path
"""


CACHE_EXAMPLES = """\
What was read of event files is kept, without pictures and the like, so that it
is there at once the next time; files that have changed are read anew. It may be
deleted at any time. --no-cache reads without it and keeps nothing.

examples:
  tbtui cache               where it is and how much
  tbtui cache --clear       delete it

exit codes: 0 fine, 1 it cannot be deleted, 2 wrong arguments
"""


class _OneLineParser(argparse.ArgumentParser):
    """Answers wrong arguments with one line instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(complain(f"{message} (see {self.prog} --help)"))


def dashboard_parser() -> argparse.ArgumentParser:
    """The parser of `tbtui [PATH …]`."""
    parser = _new_parser(
        "tbtui", "Everything a TensorBoard log directory holds, in a terminal, live.", DASHBOARD_EXAMPLES
    )
    _add_common(parser)
    shown = parser.add_argument_group("for this session (otherwise as it was left the last time)")
    shown.add_argument("--tab", metavar="NAME", help="the dashboard to open, such as scalars")
    shown.add_argument(
        "--smoothing", metavar="WEIGHT", type=values.weight, help="weight of the moving average, 0 to 0.999"
    )
    shown.add_argument("--x-axis", choices=("step", "relative", "wall"), help="what runs along the x axis")
    shown.add_argument(
        "--max-steps", metavar="N", type=values.steps, help="the step at which runs end: says when that will be"
    )
    shown.add_argument(
        "--images",
        choices=("auto", "kitty", "sixel", "half", "off"),
        help="how pictures are drawn: in pixels where the terminal can, by half blocks, or not at all",
    )
    shown.add_argument("--theme", metavar="NAME", help="colours; ansi-dark and ansi-light keep the terminal's own")
    shown.add_argument("--player", metavar="COMMAND", help="plays sounds; {} in it is the file, else that comes last")
    shown.add_argument("--fresh", action="store_true", help="forget what was chosen for these logs before")
    parser.add_argument(
        "--reload",
        metavar="SECONDS",
        type=values.seconds,
        help="look for new data this often, not when the file system tells of it; 0: read once",
    )
    parser.add_argument(
        "--alert",
        action="store_true",
        help="ring, and say it in the terminal's title, when a run gets NaN, diverges, stalls or is done",
    )
    parser.add_argument("--demo", action="store_true", help="show a training that tbtui simulates itself")
    parser.add_argument("--version", action="version", version=f"tbtui {__version__}")
    return parser


def inspect_parser() -> argparse.ArgumentParser:
    """The parser of `tbtui inspect [PATH …]`."""
    parser = _new_parser("tbtui inspect", "What is in the event files and how healthy they are.", INSPECT_EXAMPLES)
    _add_common(parser)
    parser.add_argument("--json", action="store_true", help="everything, in a form for scripts")
    parser.add_argument(
        "--check", action="store_true", help="read all of long values too, such as images, and compare their checksums"
    )
    return parser


def export_parser() -> argparse.ArgumentParser:
    """The parser of `tbtui export [PATH …]`."""
    parser = _new_parser("tbtui export", "Data out, for other programs.", EXPORT_EXAMPLES)
    _add_common(parser)
    parser.add_argument(
        "--plugin",
        choices=("scalars", "histograms", "distributions", "pr_curves", "text", "images", "audio", "graphs"),
        default="scalars",
        metavar="NAME",
        help="what kind of data: %(choices)s",
    )
    parser.add_argument(
        "--format",
        choices=tuple(dict.fromkeys(TABLE_FORMATS + GRAPH_FORMATS)),
        metavar="NAME",
        help="csv, json or jsonl (an object a line); of graphs dot, mermaid, svg, pbtxt or json; "
        "when not said, what FILE ends in, or the first",
    )
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="write there instead of to stdout; a folder of images, audio, graphs"
    )
    parser.add_argument("--force", action="store_true", help="replace FILE, or files in the folder, if there already")
    parser.add_argument("--current", action="store_true", help="leave out points that a restart has superseded")
    return parser


def cache_parser() -> argparse.ArgumentParser:
    """The parser of `tbtui cache`."""
    parser = _new_parser("tbtui cache", "What is kept of logs that were read.", CACHE_EXAMPLES)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--info", action="store_true", help="say where it is and how much, as without an option")
    which.add_argument("--clear", action="store_true", help="delete all of it")
    return parser


def parse_dashboard(words: Sequence[str]) -> argparse.Namespace:
    """Read the words after `tbtui`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help` or `--version`.
    """
    parser = dashboard_parser()
    arguments = parser.parse_intermixed_args(words)
    if arguments.demo and arguments.paths:
        parser.error("--demo brings its own logs: leave out either --demo or PATH")
    return arguments


def parse_inspect(words: Sequence[str]) -> argparse.Namespace:
    """Read the words after `tbtui inspect`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    return inspect_parser().parse_intermixed_args(words)


def parse_export(words: Sequence[str]) -> argparse.Namespace:
    """Read the words after `tbtui export`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = export_parser()
    arguments = parser.parse_intermixed_args(words)
    formats = GRAPH_FORMATS if arguments.plugin == "graphs" else TABLE_FORMATS
    if arguments.format not in (None, *formats):
        known = f"{', '.join(formats[:-1])} or {formats[-1]}"
        parser.error(f"{arguments.plugin}: written as {known}, not as {arguments.format}")
    return arguments


def parse_cache(words: Sequence[str]) -> argparse.Namespace:
    """Read the words after `tbtui cache`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    return cache_parser().parse_args(words)


def _new_parser(prog: str, description: str, epilog: str) -> argparse.ArgumentParser:
    return _OneLineParser(
        prog,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help="log directories or event files")
    parser.add_argument("--runs", metavar="REGEX", type=values.pattern, help="only runs whose name matches")
    parser.add_argument("--tags", metavar="REGEX", type=values.pattern, help="only tags that match")
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=values.jobs,
        help="processes that read at once when there is much to read, all but one of them niced (0 and 1: one; "
        "otherwise a quarter of the cores, 2 to 8)",
    )
    parser.add_argument("--no-cache", action="store_true", help="read all anew, and keep nothing for the next time")
