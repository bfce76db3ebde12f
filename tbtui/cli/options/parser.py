"""What the parsers of all commands share."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from tbtui.cli import values
from tbtui.cli.complaint import complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

EXAMPLES_BEGIN = "examples:"

PATHS_FOLLOW = "--"
"""Behind this word there are no options."""


class OneLineParser(argparse.ArgumentParser):
    """Answers wrong arguments with one line, and knows of itself what help, completion and the README say.

    What a value stands for is told by its metavar: PATH is a directory or a file, perhaps with a name before it; FILE
    is a file or a folder.
    """

    def __init__(self, prog: str, summary: str = "", text: str = "") -> None:
        """Make a parser of the words after `prog`, which are never abbreviated.

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
        """A paragraph that is only made when help is asked for; it stands behind the examples."""

    @property
    def options(self) -> list[argparse.Action]:
        """What begins with a dash, in the order in which help lists it."""
        grouped = (action for group in self._action_groups for action in group._group_actions)  # noqa: SLF001 - nothing public tells it
        return [action for action in grouped if action.option_strings]

    @property
    def positionals(self) -> list[argparse.Action]:
        """What has its meaning by its place."""
        return [action for action in self._actions if not action.option_strings]

    def excluded_by(self, action: argparse.Action) -> list[argparse.Action]:
        """The options that cannot stand beside `action`."""
        groups = [group._group_actions for group in self._mutually_exclusive_groups]  # noqa: SLF001 - nothing public tells it
        return [other for group in groups if action in group for other in group if other is not action]

    def help_of(self, action: argparse.Action) -> str:
        """What help says of an argument, in one line."""
        return (action.help or "") % {"choices": ", ".join(map(str, action.choices or ())), "prog": self.prog}

    @property
    def call(self) -> str:
        """How it is called, without options: `tbtui export [PATH ...]`."""
        return " ".join([self.prog, *map(_place, self.positionals)])

    def format_help(self) -> str:
        """The whole help: call, summary, examples, options in groups, and what else is to be known."""
        self._fix_usage()
        if self.more is not None:
            self.description, self.more = f"{self.description}\n\n{self.more()}", None
        return super().format_help()

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help or the version to stdout; ends with 2 where nobody can be given anything there."""
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        from tbtui.cli.stdout import print_text
        from tbtui.export.output import OutputError

        try:
            print_text(message)
        except OutputError as error:
            self.exit(complain(str(error)))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read words; what is not understood is told with what may have been meant."""
        found, unknown = self.parse_known_args(args, namespace)
        return self._all_known(found, unknown)

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read words, options and paths in any order; what is not understood is told with what may have been meant.

        Behind `--` all are paths, which argparse forgets when it reads them apart from the options.
        """
        self._fix_usage()
        words = list(sys.argv[1:] if args is None else args)
        end = words.index(PATHS_FOLLOW) if PATHS_FOLLOW in words else len(words)
        found = self._all_known(*self.parse_known_intermixed_args(words[:end], namespace))
        found.paths += words[end + 1 :]
        return found

    def _fix_usage(self) -> None:
        """Say in one line how it is called, before argparse parses, which hides the paths from itself."""
        self.usage = self.usage or f"{self.call} [option ...]"

    def _all_known(self, found: argparse.Namespace, unknown: Sequence[str]) -> argparse.Namespace:
        if unknown:
            from tbtui.cli.options.near import why_unknown

            self.error(why_unknown(self, unknown))
        return found

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line on stderr, and end with 2."""
        self.exit(complain(f"{message} (see {self.prog} --help)"))


def _place(action: argparse.Action) -> str:
    """How an argument stands in a call: `SHELL`, `[COMMAND]`, `[PATH ...]`."""
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    forms = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}
    return forms.get(str(action.nargs), name)


def new_parser(prog: str, summary: str, text: str) -> OneLineParser:
    """The parser of a command; see `OneLineParser`."""
    return OneLineParser(prog, summary, text)


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add PATH and the options of every command that reads logs."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="log directories or event files")
    chosen = parser.add_argument_group("which runs and tags")
    chosen.add_argument("--runs", metavar="REGEX", type=values.pattern, help="only runs whose name matches")
    chosen.add_argument("--tags", metavar="REGEX", type=values.pattern, help="only tags that match")
    read = parser.add_argument_group("how they are read")
    read.add_argument(
        "--jobs",
        metavar="N",
        type=values.jobs,
        help="processes that read at once when there is much to read, all but one of them niced (0 and 1: one; "
        "otherwise a quarter of the cores, 2 to 8)",
    )
    read.add_argument("--no-cache", action="store_true", help="read all anew, and keep nothing for the next time")


def add_output(parser: argparse._ActionsContainer) -> None:
    """Add where text goes, for commands that write one."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")
    parser.add_argument("--force", action="store_true", help="replace FILE if there already")
