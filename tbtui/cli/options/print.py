"""Parse the options of `tbtui print`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli import arguments as values
from tbtui.cli.options.parser import PRINT_SUFFIXES, add_common, add_output, check_suffix, new_parser
from tbtui.plugins.registry import text_plugins

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tbtui.cli.options.parser import OneLineParser

FORMATS = ("text", "ansi", "markdown", "svg", "png")
"""The last two are drawings: `cli.print.drawn`."""

DRAWINGS = FORMATS[-2:]

EXAMPLES = """\
examples:
  tbtui print logs/                       a chart of all runs for each tag
  tbtui print logs/ --tags loss --smoothing 0.6 --y-scale log
  tbtui print logs/ --plugin comparison --figure best
  tbtui print logs/ --tags ^loss --format markdown >> "$GITHUB_STEP_SUMMARY"
  tbtui print logs/ --tags loss --watch 5
  tbtui print logs/ --tags '^loss/' -o loss.svg

Runs that share a chart are drawn in letters, or in colours where these are
allowed: on a terminal, or with --color always; NO_COLOR and TERM=dumb are
obeyed. Below each chart stands which run each letter is, with its last and its
best value. All is as wide as COLUMNS says, else as the terminal, else 80
columns; where the encoding is not UTF-8 it is written in ASCII.

comparison is the table of the Compare tab alone: tbtui compare has steps,
differences, hyperparameters and JSON. Of hparams --tags chooses the metrics.

With --watch a terminal shows the charts that fit, each drawn in its place until
Ctrl-C; elsewhere a form feed stands in a line of its own before every picture
but the first, and a picture is only written when something in it has changed.

exit codes: 0 fine, 1 nothing matched or data damaged beyond use, 2 wrong
arguments or path
"""


def command_parser() -> OneLineParser:
    """The parser of `tbtui print [PATH …]`."""
    parser = new_parser("tbtui print", "Charts and tables as plain text.", EXAMPLES)
    add_common(parser)
    parser.add_argument(
        "--plugin",
        choices=tuple(text_plugins()),
        metavar="NAME",
        help="what kind of data: %(choices)s; when not said, the first of them that there is",
    )
    parser.add_argument(
        "--max-tags",
        metavar="N",
        type=values.most,
        help="so many tags at most: 8 charts when not said, 60 rows of a table; 0: all",
    )
    parser.add_argument(
        "--max-runs",
        metavar="N",
        type=values.most,
        help="so many runs of each tag at most: of scalars those 12 that matter most when not said; 0: all",
    )
    drawn = parser.add_argument_group("how it is drawn")
    drawn.add_argument(
        "--smoothing", metavar="WEIGHT", type=values.weight, default=0.0, help="as on the dashboard, 0 to 0.999; 0: not"
    )
    drawn.add_argument("--x-axis", choices=("step", "relative", "wall"), default="step", help="what runs along x")
    scales = ("linear", "log", "symlog")
    drawn.add_argument("--x-scale", choices=scales, default="linear", help="of steps and relative times")
    drawn.add_argument("--y-scale", choices=scales, default="linear", help="of values")
    drawn.add_argument(
        "--outliers",
        choices=("auto", "ignore", "keep"),
        default="auto",
        help="whether extreme values may lie outside the y axis: where they would flatten the rest, always, never",
    )
    drawn.add_argument(
        "--step",
        metavar="N",
        type=values.step,
        help="the step to show of histograms, images and so on, or the nearest to it; else the last",
    )
    drawn.add_argument(
        "--figure", choices=("last", "best", "min", "max"), help="what a comparison tells of each tag; else the last"
    )
    out = parser.add_argument_group("how it is written")
    out.add_argument(
        "--format", choices=FORMATS, metavar="NAME", help="%(choices)s; when not said, by FILE's ending and --color"
    )
    out.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="when there are colours")
    out.add_argument("--width", metavar="COLUMNS", type=values.columns, help="columns of every line, at most")
    out.add_argument(
        "--height",
        metavar="ROWS",
        type=values.rows,
        help="rows of each chart with its x axis; of the outline of a graph at most so many, else 60",
    )
    out.add_argument(
        "--background", choices=("light", "dark", "none"), default="light", help="what svg and png are drawn on"
    )
    out.add_argument("--watch", metavar="SECONDS", type=values.seconds, help="look again this often, and redraw")
    add_output(out)
    return parser


def unsupported_reason(arguments: argparse.Namespace, plugin: str) -> str | None:
    """Return why a dashboard does not support what is asked for; None if it does."""
    text = text_plugins()[plugin].text
    if arguments.step is not None and text is not None and not text.takes_step:
        *names, last = [
            name for name, other in text_plugins().items() if other.text is not None and other.text.takes_step
        ]
        return f"--step is for {', '.join(names)} and {last} (--plugin), not for {plugin}"
    if arguments.figure is not None and text is not None and not text.takes_figure:
        names = [name for name, other in text_plugins().items() if other.text is not None and other.text.takes_figure]
        return f"--figure is for --plugin {' or '.join(names)}, not for {plugin}"
    return None


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the words after `tbtui print`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = command_parser()
    arguments: argparse.Namespace = parser.parse_intermixed_args(words)
    if arguments.plugin is not None and (reason := unsupported_reason(arguments, arguments.plugin)):
        parser.error(reason)
    if arguments.format is None:
        check_suffix(parser, arguments.output, PRINT_SUFFIXES)
    if arguments.watch is not None and arguments.output not in (None, "-"):
        parser.error("--watch draws on stdout: leave out either --watch or -o")
    if arguments.watch == 0:
        parser.error("--watch needs a number of seconds above 0")
    if arguments.watch is not None and arguments.format in DRAWINGS:
        parser.error(f"--watch draws text: {arguments.format} is written once")
    return arguments
