"""The argument parser of all commands, and the options that they share."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NoReturn

from tbtui.cli import arguments as values
from tbtui.cli.errors import print_error
from tbtui.cli.options import COMMANDS
from tbtui.settings.declaration import Option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tbtui.settings.declaration import Setting

EXAMPLES_BEGIN = "examples:"

END_OF_OPTIONS = "--"
"""No options follow this word."""


class OneLineParser(argparse.ArgumentParser):
    """Reports wrong arguments in one line, and describes itself for help, completion and docs/reference.md.

    The metavar gives the kind of a value: PATH is a directory or a file, perhaps with a name before it; FILE
    is a file or a folder.
    """

    def __init__(self, prog: str, summary: str = "", text: str = "") -> None:
        """Create a parser of the words after `prog`, which cannot be abbreviated.

        Args:
            prog: The words that call the command: `tbtui export`.
            summary: What the command does, in one sentence.
            text: Paragraphs, printed as they are written: those from `examples:` to the next empty line before the
                options, the others behind.
        """
        paragraphs = text.strip().split("\n\n")
        examples = "\n\n".join(part for part in paragraphs if part.startswith(EXAMPLES_BEGIN))
        super().__init__(
            prog,
            description=f"{summary}\n\n{examples}",
            epilog="\n\n".join(part for part in paragraphs if not part.startswith(EXAMPLES_BEGIN)),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self._positionals.title = "arguments"
        self.summary = summary
        self.offers: dict[str, Callable[[], Iterable[str]]] = {}
        """Values that are worth offering where there are no `choices`, by the name of the argument; cheap to ask."""

        self.more: Callable[[], str] | None = None
        """Return a paragraph that follows the examples; it is built only for the help text."""

    @property
    def options(self) -> list[argparse.Action]:
        """Return the options, in the order of the help."""
        grouped = (action for group in self._action_groups for action in group._group_actions)  # noqa: SLF001 - nothing public tells it
        return [action for action in grouped if action.option_strings]

    @property
    def positionals(self) -> list[argparse.Action]:
        """Return the positional arguments."""
        return [action for action in self._actions if not action.option_strings]

    def find_excluding_options(self, action: argparse.Action) -> list[argparse.Action]:
        """Return the options that exclude `action`."""
        groups = [group._group_actions for group in self._mutually_exclusive_groups]  # noqa: SLF001 - nothing public tells it
        return [other for group in groups if action in group for other in group if other is not action]

    def get_help_line(self, action: argparse.Action) -> str:
        """Return the help of an argument, in one line."""
        return (action.help or "") % {"choices": ", ".join(map(str, action.choices or ())), "prog": self.prog}

    @property
    def call(self) -> str:
        """Return the usage without options: `tbtui export [PATH ...]`."""
        return " ".join([self.prog, *map(_format_usage, self.positionals)])

    def format_help(self) -> str:
        """Return the full help: usage, summary, examples, options in groups, and notes."""
        self._fix_usage()
        if self.more is not None:
            self.description, self.more = f"{self.description}\n\n{self.more()}", None
        return super().format_help()

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help or the version to stdout; exit with 2 if that is not possible."""
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        from tbtui.cli.output import print_text
        from tbtui.export.output import OutputError

        try:
            print_text(message)
        except OutputError as error:
            self.exit(print_error(str(error)))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words. An error about an unknown option suggests a similar one."""
        namespace_found, unknown = self.parse_known_args(args, namespace)
        return self._all_known(namespace_found, unknown)

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words, options and paths in any order; an error about an unknown word suggests similar ones.

        Behind `--` all are paths, which argparse forgets when it parses them separately from the options.
        """
        self._fix_usage()
        words = list(sys.argv[1:] if args is None else args)
        end = words.index(END_OF_OPTIONS) if END_OF_OPTIONS in words else len(words)
        options = self._all_known(*self.parse_known_intermixed_args(words[:end], namespace))
        options.paths += words[end + 1 :]
        return options

    def _fix_usage(self) -> None:
        """Set the usage to one line before argparse parses, which hides the paths then."""
        self.usage = self.usage or f"{self.call} [option ...]"

    def _all_known(self, namespace: argparse.Namespace, unknown: Sequence[str]) -> argparse.Namespace:
        if unknown:
            from tbtui.cli.options.suggestions import explain_unknown_option

            self.error(explain_unknown_option(self, unknown))
        return namespace

    def error(self, message: str) -> NoReturn:
        """Print one line on stderr, and exit with 2."""
        self.exit(print_error(f"{message} (see {self.prog} --help)"))


def _format_usage(action: argparse.Action) -> str:
    """Return the usage of an argument: `SHELL`, `[COMMAND]`, `[PATH ...]`."""
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    forms = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}
    return forms.get(str(action.nargs), name)


def create_parser(prog: str, summary: str, text: str) -> OneLineParser:
    """Return the parser of a command; see `OneLineParser`."""
    return OneLineParser(prog, summary, text)


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add PATH and the options of every command that reads logs."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="log directories or event files")
    chosen = parser.add_argument_group("which runs and tags")
    chosen.add_argument(
        "--runs",
        metavar="REGEX",
        help="only runs whose name matches; or terms, such as 'lr>=1e-4 opt=adam loss<.2'",
    )
    chosen.add_argument("--tags", metavar="REGEX", help="only tags that match")
    read = parser.add_argument_group("how they are read")
    read.add_argument(
        "--jobs",
        metavar="N",
        type=values.parse_jobs,
        help="reader processes for large logs, all but one of them niced (default: a quarter of the cores, 2 to 8; "
        "0 and 1: one process)",
    )
    read.add_argument("--no-cache", action="store_true", help="ignore the cache, and do not write it")


def add_setting(
    parser: argparse._ActionsContainer,
    declared: Setting[Any],
    *,
    help: str = "",  # noqa: A002
    default: Any = None,
) -> None:
    """Add the option that sets a declared setting. It has the name of the setting, with dashes.

    Args:
        parser: The parser, or a group of its options.
        declared: The setting.
        help: Replaces the declared help.
        default: Value without the option.
    """
    option = declared.option or Option("")
    flag, text = f"--{get_option_name(declared).replace('_', '-')}", help or option.help
    if declared.values:
        parser.add_argument(flag, choices=declared.values, default=default, help=text)
    else:
        parser.add_argument(
            flag, metavar=option.metavar, type=values.get_parser(declared.kind), default=default, help=text
        )


def get_option_name(declared: Setting[Any]) -> str:
    """Return the attribute of the parsed arguments that holds the value of a setting's option."""
    name: str = declared.name
    return name.replace(".", "_")


def add_output(parser: argparse._ActionsContainer) -> None:
    """Add the options of the output, for commands that write one text."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")
    parser.add_argument("--force", action="store_true", help="replace an existing FILE")


# The format of an output file by its suffix, unless --format names one.


TABLE_SUFFIXES: Mapping[str, Sequence[str]] = {
    "csv": ("csv",),
    "json": ("json",),
    "jsonl": ("jsonl",),
    "parquet": ("parquet",),
    "arrow": ("arrow", "feather"),
}
PRINT_SUFFIXES: Mapping[str, Sequence[str]] = {
    "text": ("txt",),
    "ansi": ("ansi",),
    "markdown": ("md", "markdown"),
    "svg": ("svg",),
    "png": ("png",),
}
COMPARE_SUFFIXES: Mapping[str, Sequence[str]] = {"text": ("txt",), "markdown": ("md", "markdown"), "json": ("json",)}
INSPECT_SUFFIXES: Mapping[str, Sequence[str]] = {"text": ("txt",), "json": ("json",)}
"""File name suffixes by format."""

FOREIGN_SUFFIXES = frozenset(
    (
        *("avif", "bmp", "eps", "gif", "htm", "html", "jpeg", "jpg", "pdf", "pgf", "ps", "tex", "tif", "tiff", "webp"),
        *("doc", "docx", "odt", "ods", "rst", "tsv", "xls", "xlsx", "xml", "yaml", "yml"),
        *("db", "h5", "hdf5", "npy", "npz", "orc", "pickle", "pkl", "pt", "sqlite"),
        *("bz2", "gz", "tar", "tgz", "xz", "zip", "zst"),
    )
)
"""Suffixes of formats that tbtui does not write."""


def format_of_name(name: str | None, formats: Mapping[str, Sequence[str]]) -> str | None:
    """Return the format of a file name; None if the suffix names none.

    Args:
        name: The file; None, and `-`: stdout.
        formats: Endings by format, as above.
    """
    ending = _get_suffix(name)
    return next((form for form, endings in formats.items() if ending in endings), None)


def check_suffix(
    parser: OneLineParser, name: str | None, formats: Mapping[str, Sequence[str]], says: str = "--format says which"
) -> None:
    """Reject a file name whose suffix names another format, such as `loss.pdf` for plain text.

    Suffixes that name no format are accepted, as in `report.log`, `all.txt` or `run.2`.

    Args:
        parser: Parser of the command, which ends it with 2.
        name: The file; None, and `-`: stdout.
        formats: Endings by format, as above.
        says: Options that set it.
    """
    from tbtui.plugins.base import DocumentExport
    from tbtui.plugins.registry import list_exports

    ending = _get_suffix(name)
    known = {known for endings in formats.values() for known in endings}
    documents = [export.formats for export in list_exports().values() if isinstance(export, DocumentExport)]
    foreign = FOREIGN_SUFFIXES.union(
        *(endings for those in (TABLE_SUFFIXES, PRINT_SUFFIXES, *documents) for endings in those.values())
    )
    if ending in foreign - known - {"txt"}:
        *all_but_last, last = formats
        parser.error(f"{name}: written as {', '.join(all_but_last)} or {last}, not as {ending} ({says})")


def _get_suffix(name: str | None) -> str:
    return PurePath(name).suffix[1:].lower() if name else ""


# The list of commands in the help of the dashboard.


WIDTH = 80
SUMMARY_COLUMN = 28
"""Column at which the summaries of commands begin."""


def format_commands() -> str:
    """Return a paragraph with one line per command, from the calls and summaries of the parsers."""
    calls = [("tbtui [PATH ...]", "the dashboard")]
    from tbtui.cli.options.suggestions import get_parser

    calls += [(parser.call, _lower_sentence(parser.summary)) for parser in map(get_parser, COMMANDS)]
    lines = [line for call, says in calls for line in _wrap_lines(call, says)]
    return "\n".join(["commands:", *lines, "  (a directory of such a name is opened as ./export)"])


def _wrap_lines(call: str, says: str) -> list[str]:
    help_lines = textwrap.wrap(says, WIDTH - SUMMARY_COLUMN)
    left = f"  {call}"
    first = [left] if len(left) + 2 > SUMMARY_COLUMN else [left.ljust(SUMMARY_COLUMN) + help_lines.pop(0)]
    return first + [" " * SUMMARY_COLUMN + line for line in help_lines]


def _lower_sentence(sentence: str) -> str:
    """Return a sentence for a list, without capital letter and full stop."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")
