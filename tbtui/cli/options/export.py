"""Parse the options of `tbtui export`."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING

from tbtui.cli import arguments as values
from tbtui.cli.options.parser import TABLE_SUFFIXES, add_common, add_setting, check_suffix, create_parser
from tbtui.plugins.base import DocumentExport, TableExport
from tbtui.plugins.comparison import PLUGIN
from tbtui.plugins.comparison.settings import STATISTIC
from tbtui.plugins.registry import list_command_settings, list_exports, list_titles
from tbtui.settings.settings import SETTINGS, X_AXES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.cli.options.parser import OneLineParser

ALL = "all"
"""Name in `--plugin` of everything, written into a folder."""

HELP_WIDTH = 80
"""Columns of the paragraphs of `--help`."""

EXAMPLES = """\
Rows have run, tag, step and wall_time (seconds since 1970), followed by
{columns}
for every stored point, in the order of logging. Numbers read back to the same
float64; NaN, Infinity and -Infinity are quoted in JSON. A histogram or curve
that cannot be drawn (such as one of NaN) is left out and reported. With -o,
images and audio are written into a folder, each as the bytes that were logged,
with their table as manifest.jsonl (.csv, .json: --format). Without -o, only the
table is written.

{tables}

Graphs are not rows. Each is a document: dot (Graphviz), json (nodes and edges)
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
  tbtui export logs/ --plugin comparison --wide --figure best -o runs.csv
  tbtui export logs/ --plugin images --runs ^gan -o pictures
  tbtui export logs/ --plugin graphs --runs ^cnn -o cnn.svg
  tbtui export --format jsonl logs/ | jq -r .tag | sort | uniq -c

exit codes: 0 fine, 1 nothing matched or data damaged beyond use, 2 wrong
arguments or path
"""


def is_folder(name: str) -> bool:
    """Return True if `-o` always names a folder for this value of `--plugin`."""
    export = list_exports().get(name)
    return name == ALL or (isinstance(export, TableExport) and export.writes_files)


def _list_formats(name: str) -> Mapping[str, Sequence[str]]:
    """Return the formats of a value of `--plugin`, the default first, with the endings of file names."""
    export = list_exports().get(name)
    return export.formats if isinstance(export, DocumentExport) else TABLE_SUFFIXES


def _format_columns_help() -> str:
    """Return the lines of `--help` that list the columns of each table of values."""
    tables = [export for export in list_exports().values() if isinstance(export, TableExport) and export.columns_help]
    indent = 6 + max(len(table.name) for table in tables)
    return "\n".join(line for table in tables for line in _format_columns(table, indent))


def _format_tables_help() -> str:
    """Return the paragraph of `--help` about tables whose rows are no points of tags."""
    tables = [export for export in list_exports().values() if isinstance(export, TableExport) and export.rows_help]
    listed = "; ".join(f"{table.name} has {table.rows_help}" for table in tables)
    text = (
        f"{listed}. all writes these tables into one folder, with images, audio and graphs in folders of their own and "
        "a manifest.json that lists the contents."
    )
    return "\n".join(wrap(text, HELP_WIDTH))


def _find_wide_tables() -> dict[str, str]:
    """Return the table that `--wide` writes in place of each that has one."""
    tables = [export for export in list_exports().values() if isinstance(export, TableExport)]
    return {table.name: table.wide for table in tables if table.wide}


def _format_wide_help() -> str:
    return "; ".join(f"{name} as {table}" for name, table in _find_wide_tables().items())


def _format_columns(table: TableExport, indent: int) -> Iterator[str]:
    lead = f"  of {table.name}".ljust(indent + 1)
    yield from wrap(table.columns_help, HELP_WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead))


def command_parser() -> OneLineParser:
    """Return the parser of `tbtui export [PATH …]`."""
    text = EXAMPLES.format(columns=_format_columns_help(), tables=_format_tables_help())
    parser = create_parser("tbtui export", "The data as tables and files, for other programs.", text)
    add_common(parser)
    parser.add_argument(
        "--plugin",
        type=values.make_name_parser("kind of data", (*list_exports(), ALL), list_titles()),
        choices=(*list_exports(), ALL),
        default="scalars",
        metavar="NAME",
        help="kind of data: %(choices)s (default: scalars)",
    )
    parser.add_argument(
        "--format",
        choices=tuple(dict.fromkeys(chain(TABLE_SUFFIXES, *map(_list_formats, list_exports())))),
        metavar="NAME",
        help="csv, json, jsonl (one object per line), parquet or arrow (both need the extra parquet); of graphs dot, "
        "mermaid, svg, pbtxt or json (default: by the suffix of FILE, else the first)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to FILE instead of stdout; for images, audio, graphs and all a folder",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing FILE, or files in the folder")
    add_setting(parser, SETTINGS["split_runs"], default="no")
    add_setting(parser, SETTINGS["chain_runs"], default="no")
    add_setting(
        parser,
        SETTINGS["fold_runs"],
        help="runs that only hold the hyperparameters of the run above are part of it; all runs are then held in "
        "memory (default: no, runs as stored; comparison: yes)",
    )
    for declared in list_command_settings("export"):
        add_setting(parser, declared)
    parser.add_argument(
        "--figure",
        choices=STATISTIC.values,
        metavar="NAME",
        help="of comparison: the value of a run, %(choices)s (default: last)",
    )
    parser.add_argument("--baseline", metavar="RUN", help="of comparison: full name of the run that deltas refer to")
    parser.add_argument("--current", action="store_true", help="leave out superseded points, which stderr counts")
    parser.add_argument(
        "--x-axis",
        choices=X_AXES,
        metavar="NAME",
        help="of scalars: add a column with the x values of an axis, which takes the place of the step with --wide: "
        "%(choices)s (relative and active: seconds since the start of the run)",
    )
    parser.add_argument(
        "--x-tag",
        metavar="TAG",
        help="of scalars: add the column x, the value of another tag at the same step, such as epoch (NaN: none), "
        "which takes the place of the step with --wide",
    )
    parser.add_argument(
        "--wide",
        action="store_true",
        help="scalars with one row per step and one column per run/tag instead of one row per point; implies "
        f"--current (not with another --x-axis), and has no wall times; {_format_wide_help()}",
    )
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui export`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = command_parser()
    arguments: argparse.Namespace = parser.parse_intermixed_args(words)
    formats = _list_formats(arguments.plugin)
    if arguments.format not in (None, *formats):
        *names, last = formats
        known = f"{', '.join(names)} or {last}"
        parser.error(f"{arguments.plugin}: written as {known}, not as {arguments.format}")
    if arguments.format is None and not is_folder(arguments.plugin):
        check_suffix(parser, arguments.output, formats)
    wide = _find_wide_tables()
    if arguments.wide and arguments.plugin in wide:
        arguments.plugin, arguments.wide = wide[arguments.plugin], False
    if arguments.wide and arguments.plugin != "scalars":
        *names, last = "scalars", *wide
        parser.error(f"--wide is for {', '.join(names)} and {last}, not for {arguments.plugin}")
    is_comparison = list_exports()[arguments.plugin] in PLUGIN.exports if arguments.plugin != ALL else False
    if arguments.fold_runs is None:
        arguments.fold_runs = "yes" if is_comparison else "no"
    for option, value in (("--figure", arguments.figure), ("--baseline", arguments.baseline)):
        if value is not None and not is_comparison:
            parser.error(f"{option} is for comparison, not for {arguments.plugin}")
    for option, value in (("--x-axis", arguments.x_axis), ("--x-tag", arguments.x_tag)):
        if value is not None and arguments.plugin != "scalars":
            parser.error(f"{option} is for scalars, not for {arguments.plugin}")
    if arguments.x_tag is not None:
        if arguments.x_axis is not None:
            parser.error("choose --x-axis or --x-tag")
        arguments.x_axis = "tag"
    return arguments
