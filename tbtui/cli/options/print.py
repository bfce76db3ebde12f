"""Parse the options of `tbtui print`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli import arguments as values
from tbtui.cli.options.parser import PRINT_SUFFIXES, add_common, add_output, add_setting, check_suffix, create_parser
from tbtui.plugins.comparison.settings import STATISTIC
from tbtui.plugins.registry import list_command_settings, list_text_plugins, list_titles
from tbtui.settings.settings import SETTINGS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tbtui.cli.options.parser import OneLineParser

FORMATS = ("text", "ansi", "markdown", "svg", "png")
"""The last two are drawings."""

DRAWINGS = FORMATS[-2:]

EXAMPLES = """\
examples:
  tbtui print logs/                       a chart of all runs for each tag
  tbtui print logs/ --tags loss --smoothing 0.6 --y-scale log
  tbtui print logs/ --plugin comparison --figure best
  tbtui print logs/ --tags ^loss --format markdown >> "$GITHUB_STEP_SUMMARY"
  tbtui print logs/ --tags loss --watch 5
  tbtui print traces/ --plugin profile --baseline main/ --max-slower 5%
  tbtui print logs/ --tags '^loss/' -o loss.svg

Runs that share a chart are drawn in letters, or in colours where these are
allowed: on a terminal, or with --color always; NO_COLOR and TERM=dumb are
obeyed. Below each chart stands which run each letter is, with its last and its
best value. All is as wide as COLUMNS says, else as the terminal, else 80
columns; where the encoding is not UTF-8 it is written in ASCII.

comparison is the table of the Compare tab alone: tbtui compare has steps,
differences, hyperparameters and JSON. hparams shows what matters for a metric,
then the sessions, the best first; --tags chooses the metrics.

With --watch a terminal shows the charts that fit, each drawn in its place until
Ctrl-C; elsewhere a form feed stands in a line of its own before every picture
but the first, and a picture is only written when something in it has changed.

exit codes: 0 fine, 1 nothing matched, data damaged beyond use or a step slower
than --max-slower allows, 2 wrong arguments or path
"""


def command_parser() -> OneLineParser:
    """Return the parser of `tbtui print [PATH …]`."""
    parser = create_parser("tbtui print", "Charts and tables as plain text.", EXAMPLES)
    add_common(parser)
    parser.add_argument(
        "--plugin",
        type=values.make_name_parser("kind of data", tuple(list_text_plugins()), list_titles()),
        choices=tuple(list_text_plugins()),
        metavar="NAME",
        help="kind of data: %(choices)s (default: the first one in the logs)",
    )
    parser.add_argument(
        "--max-tags",
        metavar="N",
        type=values.parse_maximum,
        help="maximum number of tags (default: 8 charts, 60 table rows; 0: no limit)",
    )
    parser.add_argument(
        "--max-runs",
        metavar="N",
        type=values.parse_maximum,
        help="maximum number of runs of each tag (default: of scalars the 12 most relevant; 0: no limit)",
    )
    drawing_options = parser.add_argument_group("how it is drawn")
    add_setting(
        drawing_options,
        SETTINGS["smoothing"],
        help="weight of the moving average, 0 to 0.999 (default: 0, off)",
        default=0.0,
    )
    add_setting(drawing_options, SETTINGS["x_axis"], default="step")
    add_setting(drawing_options, SETTINGS["x_tag"])
    add_setting(drawing_options, SETTINGS["x_scale"], help="scale of steps and relative times", default="linear")
    add_setting(drawing_options, SETTINGS["y_scale"], help="scale of values", default="linear")
    add_setting(
        drawing_options,
        SETTINGS["outliers"],
        help="clip extreme values from the y axis if they flatten the rest, always, or never",
        default="auto",
    )
    add_setting(drawing_options, SETTINGS["split_runs"], default="no")
    add_setting(drawing_options, SETTINGS["fold_runs"], default="yes")
    add_setting(drawing_options, SETTINGS["chain_runs"], default="no")
    drawing_options.add_argument(
        "--superseded", action="store_true", help="also draw points that later ones superseded on the step axis"
    )
    drawing_options.add_argument(
        "--step",
        metavar="N",
        type=values.parse_step,
        help="step of histograms, images and so on, or the nearest one (default: the last)",
    )
    drawing_options.add_argument(
        "--figure",
        choices=(*STATISTIC.values, "end"),
        help="value of each tag in a comparison, and of each metric of hparams (end: mean of the last tenth; "
        "default: last)",
    )
    drawing_options.add_argument(
        "--sort", metavar="NAME", help="hparams: metric or hyperparameter that sorts the sessions (default: the best)"
    )
    drawing_options.add_argument("--reverse", action="store_true", help="hparams: sort the other way")
    drawing_options.add_argument(
        "--group-seeds", action="store_true", help="hparams: one row for sessions that differ in their seeds alone"
    )
    drawing_options.add_argument("--baseline", metavar="PATH", help="profile: log directory or trace to compare with")
    drawing_options.add_argument(
        "--max-slower",
        metavar="PERCENT",
        type=values.parse_percent,
        help="profile: exit with 1 if a median step is slower than that of the baseline by more than this",
    )
    for declared in list_command_settings("print"):
        add_setting(drawing_options, declared)
    out = parser.add_argument_group("how it is written")
    out.add_argument(
        "--format", choices=FORMATS, metavar="NAME", help="%(choices)s (default: by the suffix of FILE and --color)"
    )
    out.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="use of colours")
    add_setting(out, SETTINGS["glyphs"], default="auto")
    out.add_argument("--width", metavar="COLUMNS", type=values.parse_columns, help="maximum width of a line")
    out.add_argument(
        "--height",
        metavar="ROWS",
        type=values.parse_rows,
        help="rows of each chart with its x axis; maximum rows of a graph's outline (default: 60)",
    )
    out.add_argument(
        "--background", choices=("light", "dark", "none"), default="light", help="background of svg and png"
    )
    out.add_argument(
        "--watch", metavar="SECONDS", type=values.parse_seconds, help="read again and redraw every SECONDS"
    )
    add_output(out)
    return parser


def explain_unsupported(arguments: argparse.Namespace, plugin: str) -> str | None:
    """Return the reason why a dashboard does not support the given options; None if it does."""
    text = list_text_plugins()[plugin].text
    if arguments.step is not None and text is not None and not text.takes_step:
        *names, last = [
            name for name, other in list_text_plugins().items() if other.text is not None and other.text.takes_step
        ]
        return f"--step is for {', '.join(names)} and {last} (--plugin), not for {plugin}"
    if arguments.figure is not None and text is not None and not text.takes_figure:
        names = [
            name for name, other in list_text_plugins().items() if other.text is not None and other.text.takes_figure
        ]
        return f"--figure is for --plugin {' or '.join(names)}, not for {plugin}"
    if arguments.figure == "end" and plugin != "hparams":
        return f"--figure end is for --plugin hparams, not for {plugin}"
    for option in ("sort", "reverse", "group_seeds"):
        if getattr(arguments, option) and plugin != "hparams":
            return f"--{option.replace('_', '-')} is for --plugin hparams, not for {plugin}"
    if arguments.baseline is not None and plugin != "profile":
        return f"--baseline is for --plugin profile, not for {plugin}"
    if arguments.max_slower is not None and arguments.baseline is None:
        return "--max-slower needs a --baseline"
    return None


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui print`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = command_parser()
    arguments: argparse.Namespace = parser.parse_intermixed_args(words)
    if arguments.plugin is not None and (reason := explain_unsupported(arguments, arguments.plugin)):
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
