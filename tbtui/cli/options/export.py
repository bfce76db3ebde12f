"""Words after `tbtui export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options.endings import GRAPHS, TABLES, refuse_ending
from tbtui.cli.options.parser import add_common, new_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tbtui.cli.options.parser import OneLineParser

TABLE_FORMATS = ("csv", "json", "jsonl", "parquet", "arrow")
GRAPH_FORMATS = ("dot", "mermaid", "svg", "pbtxt", "json")
"""Formats of `export`, the one that is taken where none is asked for first."""

PLUGINS = (
    *("scalars", "histograms", "distributions", "pr_curves", "text", "images", "audio", "graphs"),
    *("hparams", "run_metadata", "metadata", "files", "all"),
)

IN_FOLDERS = ("images", "audio", "all")
"""Of these, `-o` names a folder."""

EXAMPLES = """\
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
  of run_metadata   device, name, label, thread, start_ns, duration_ns and
                    memory: a row an execution of an operation
for every stored point in the order it was logged. Numbers read back to the same
float64; those that are not finite are NaN, Infinity and -Infinity, in quotes in
JSON. A histogram that cannot be drawn (one of NaN, say) is left out and told,
and so is what stands in place of a curve. Images and audio are written with -o
into a folder, each as the bytes that were logged, and the table of them beside
them as manifest.jsonl (.csv, .json: --format); without -o there is the table.

Of hparams there is a row for each value of a run: run, name, value and number;
of metadata a row for each tag: what it is, how many points it has, description,
and the plugin's own message in base64 and as JSON; of files a row for each
event file: size, records, writer, times, state and problems. all writes all of
this into a folder, one table each, with images, audio and graphs in folders of
their own and a manifest.json that lists what is there.

Graphs are no rows. Each is a document: dot (Graphviz), json (nodes and edges)
and pbtxt have all of it; mermaid and svg have as many scopes open as a picture
has room for. -o is a folder of them if one is there, or if it ends in a slash
or has no ending; to a file or to stdout goes one graph.

examples:
  tbtui export logs/ > all.csv
  tbtui export logs/ --tags '^loss/' --current -o loss.jsonl
  tbtui export logs/ --plugin histograms --tags ^grads -o gradients.csv
  tbtui export logs/ --wide --tags ^loss/val -o losses.csv
  tbtui export logs/ -o all.parquet
  tbtui export logs/ --plugin all -o everything
  tbtui export logs/ --plugin images --runs ^gan -o pictures
  tbtui export logs/ --plugin graphs --runs ^cnn -o cnn.svg
  tbtui export --format jsonl logs/ | jq -r .tag | sort | uniq -c

exit codes: 0 fine, 1 nothing matched or data damaged beyond use, 2 wrong
arguments or path
"""


def command_parser() -> OneLineParser:
    """The parser of `tbtui export [PATH …]`."""
    parser = new_parser("tbtui export", "Data out, for other programs.", EXAMPLES)
    add_common(parser)
    parser.add_argument(
        "--plugin",
        choices=PLUGINS,
        default="scalars",
        metavar="NAME",
        help="what kind of data: %(choices)s",
    )
    parser.add_argument(
        "--format",
        choices=tuple(dict.fromkeys(TABLE_FORMATS + GRAPH_FORMATS)),
        metavar="NAME",
        help="csv, json, jsonl (an object a line), parquet or arrow (both need the extra parquet); of graphs dot, "
        "mermaid, svg, pbtxt or json; when not said, what FILE ends in, or the first",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write there instead of to stdout; a folder of images, audio, graphs, all",
    )
    parser.add_argument("--force", action="store_true", help="replace FILE, or files in the folder, if there already")
    parser.add_argument("--current", action="store_true", help="leave out points that a restart has superseded")
    parser.add_argument(
        "--wide",
        action="store_true",
        help="scalars with a row a step and a column a run and tag, run/tag, in place of a row a point; implies "
        "--current, and has no wall times",
    )
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the words after `tbtui export`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = command_parser()
    arguments: argparse.Namespace = parser.parse_intermixed_args(words)
    formats = GRAPH_FORMATS if arguments.plugin == "graphs" else TABLE_FORMATS
    if arguments.format not in (None, *formats):
        known = f"{', '.join(formats[:-1])} or {formats[-1]}"
        parser.error(f"{arguments.plugin}: written as {known}, not as {arguments.format}")
    if arguments.format is None and arguments.plugin not in IN_FOLDERS:
        refuse_ending(parser, arguments.output, GRAPHS if arguments.plugin == "graphs" else TABLES)
    if arguments.wide and arguments.plugin != "scalars":
        parser.error(f"--wide is for scalars, not for {arguments.plugin}")
    return arguments
