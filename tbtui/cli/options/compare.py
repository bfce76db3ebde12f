"""Parse the options of `tbtui compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli import arguments as values
from tbtui.cli.options.parser import (
    COMPARE_SUFFIXES,
    add_common,
    add_output,
    add_setting,
    check_suffix,
    create_parser,
    format_of_name,
)
from tbtui.plugins.comparison.settings import STATISTIC
from tbtui.plugins.registry import run_settings
from tbtui.settings.settings import SETTINGS, X_AXES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tbtui.cli.options.parser import OneLineParser

EXAMPLES = """\
examples:
  tbtui compare logs/ --figure best --sort acc/val
  tbtui compare logs/ --tags ^loss --baseline adam/seed0
  tbtui compare logs/ --tags '^loss/val$'       last, min and max, with steps
  tbtui compare logs/ --figure best -o report.md
  tbtui compare logs/ --json | jq -c '.runs[]|[.run, .tags["loss/val"].min]'

Numbers are those of the Compare tab: a row a run, a column a scalar tag,
without what a restart superseded (--superseded: with it). Which value is the
best is known from a tag's name (loss: the least, accuracy: the greatest); where
it tells nothing, `best` is the last one. Last values have a column of the steps
at which the runs ended, unless all ended at the same. tbtui print --plugin
comparison shows the table alone, in colours and with --watch.

Hyperparameters that differ stand beside the metrics, the others in a line. They
are those of the HParams tab: from session messages, JSON texts (args), an
hparams.yaml, and on request run names (--run-names). A run that only holds the
hyperparameters of the run above is part of it, as PyTorch writes them. Of
several sessions in a run the last one counts.

JSON: {"logdir", "figure", "baseline", "sort", "left_out", "hparams": {"same",
"differ"}, "tags": {TAG: {"best", "best_runs"}}, "runs": [{"run", "hparams",
"hparams_from", "tags": {TAG: {"value", "step", "last", "last_step", "min",
"min_step", "max", "max_step", "delta", "is_best", "superseded"}}}]}; with
--x-tag also "x", the value of that tag. Numbers read back to the same float64;
"NaN", "Infinity", "-Infinity"; null where there is none.

exit codes: 0 fine, 1 nothing matched, 2 wrong arguments or path
"""


def command_parser() -> OneLineParser:
    """Return the parser of `tbtui compare [PATH …]`."""
    parser = create_parser("tbtui compare", "Runs beside each other: metrics, differences, hyperparameters.", EXAMPLES)
    add_common(parser)
    comparison = parser.add_argument_group("what is compared")
    comparison.add_argument(
        "--figure",
        choices=STATISTIC.values,
        default="last",
        metavar="NAME",
        help="value of a run: %(choices)s (default: last)",
    )
    add_setting(comparison, SETTINGS["split_runs"], default="no")
    add_setting(comparison, SETTINGS["chain_runs"], default="no")
    add_setting(comparison, SETTINGS["fold_runs"], default="yes")
    for declared in run_settings():
        add_setting(comparison, declared)
    comparison.add_argument(
        "--superseded", action="store_true", help="also count values that others superseded on the step axis"
    )
    comparison.add_argument(
        "--x-axis",
        choices=X_AXES,
        default="step",
        metavar="NAME",
        help="%(choices)s: all axes but the step axis show superseded values too, and last is the last in time",
    )
    comparison.add_argument(
        "--x-tag", metavar="TAG", help="show the value of TAG at the step of each value, such as epoch, not the step"
    )
    comparison.add_argument("--baseline", metavar="RUN", help="full name of the run that others are compared with")
    comparison.add_argument("--sort", metavar="NAME", help="sort by a tag, best run first, or by a hyperparameter")
    comparison.add_argument("--reverse", action="store_true", help="reverse the order of --sort")
    comparison.add_argument(
        "--limit",
        metavar="N",
        type=values.parse_maximum,
        help="maximum number of runs, the first ones of the order (default: 0, no limit)",
    )
    out = parser.add_argument_group("how it is written")
    form = out.add_mutually_exclusive_group()
    form.add_argument(
        "--json", action="store_true", help="everything, in a form for scripts; also where FILE ends in .json"
    )
    form.add_argument(
        "--markdown", action="store_true", help="a table for reports and issues; also where FILE ends in .md"
    )
    add_output(out)
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui compare`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    parser = command_parser()
    arguments: argparse.Namespace = parser.parse_intermixed_args(words)
    if arguments.reverse and arguments.sort is None:
        parser.error("--reverse goes with --sort")
    if not (arguments.json or arguments.markdown):
        check_suffix(parser, arguments.output, COMPARE_SUFFIXES, "--json and --markdown say which")
        form = format_of_name(arguments.output, COMPARE_SUFFIXES)
        arguments.json, arguments.markdown = form == "json", form == "markdown"
    return arguments
