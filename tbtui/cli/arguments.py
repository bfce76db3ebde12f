"""Values of options: filters of runs and tags, and conversions for argparse.

Each type function raises `argparse.ArgumentTypeError` for a word that it does not accept.
"""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING, Any

from tbtui.cli.errors import print_error
from tbtui.settings.filters import NameFilter, has_term_signs, quote
from tbtui.settings.kinds import MAX_STEP, CheckedString, FileText, Integer, Number, OrNone, TextFile
from tbtui.settings.text_files import read_text_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tbtui.loading.sources import Source
    from tbtui.settings.kinds import Kind
    from tbtui.view.attributes import RunAttributes


FILTER_SECONDS = 5.0
"""Maximum search time of a pattern over all names."""


class PatternError(ValueError):
    """Raised for a pattern that cannot be applied; the message is one plain line."""


class NameFilters:
    """Filters of the options `--runs` and `--tags` of one command; without an option everything matches.

    Args:
        arguments: With `runs` and `tags`, each a regular expression, plain text or None; `runs` also terms.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._runs = NameFilter(arguments.runs or "", FILTER_SECONDS)
        self._tags = NameFilter(arguments.tags or "", FILTER_SECONDS)
        self._selected: frozenset[str] | None = None
        """Runs that the terms of `--runs` select; None: it is no terms."""

    def runs(
        self, names: Iterable[str], attributes: Callable[[], RunAttributes | None] | None = None
    ) -> Callable[[str], bool]:
        """Return a function that is True for matching runs, after a search of all `names`.

        Args:
            names: Names of all runs.
            attributes: Reads the attributes of the runs, which `--runs` may select by terms: `lr>=1e-4 opt=adam`. None:
                what was selected before remains.

        Raises:
            PatternError: The pattern cannot be applied to these names.
        """
        if attributes is not None and has_term_signs(self._runs.pattern):
            self._selected = _select_by_terms(self._runs.pattern, list(names), attributes)
        if self._selected is not None:
            return self._selected.__contains__
        return _search("--runs", self._runs, names)

    def tags(self, names: Iterable[str]) -> Callable[[str], bool]:
        """Return a function that is True for matching tags, after a search of all `names`.

        Raises:
            PatternError: The pattern cannot be applied to these names.
        """
        return _search("--tags", self._tags, names)

    @property
    def has_tags(self) -> bool:
        """True if `--tags` is given."""
        return bool(self._tags.pattern)

    def matches_tag(self, name: str) -> bool:
        """Return True for a matching tag, if the tags are not known in advance; `check_tags` is called after the last.

        Raises:
            PatternError: The pattern takes too long over all tags together.
        """
        passes = not self._tags.pattern or self._tags.words(name) is not None
        if self._tags.is_too_slow:
            self.check_tags()
        return passes

    def check_tags(self) -> None:
        """Check that `--tags` could be applied to the tags that were searched.

        Raises:
            PatternError: It could not.
        """
        _check("--tags", self._tags)

    def report_plain_text(self) -> None:
        """Print to stderr which of the patterns were read as plain text, and why."""
        for option, name_filter in (("--runs", self._runs), ("--tags", self._tags)):
            if note := name_filter.explain_plain_text(option):
                print_error(note)


def _select_by_terms(
    text: str, names: Sequence[str], attributes: Callable[[], RunAttributes | None]
) -> frozenset[str] | None:
    """Return the runs that terms select; None if the text is one regular expression."""
    from tbtui.view.terms import TermError, select_by_terms

    try:
        return select_by_terms(text, names, attributes)
    except TermError as error:
        raise PatternError(f"--runs {quote(text)}: {error}") from None


def _search(option: str, name_filter: NameFilter, names: Iterable[str]) -> Callable[[str], bool]:
    name_filter.check(names)
    _check(option, name_filter)
    return name_filter.matches


def _check(option: str, name_filter: NameFilter) -> None:
    pattern = f"{option} {quote(name_filter.pattern)}"
    if name_filter.is_too_slow:
        raise PatternError(f"{pattern} cannot be searched for: {name_filter.error}")
    if name_filter.error:
        raise PatternError(
            f"{pattern} is not a regular expression ({name_filter.error}), and no name contains it as plain text"
        )


def complete_name(noun: str, word: str, names: Mapping[str, str]) -> str:
    """Return the name that a word abbreviates, ignoring case and separators: by its first word or by a unique prefix.

    Args:
        noun: Noun of the named things, for messages: `theme`.
        word: The word as typed.
        names: The names by every spelling that is accepted.

    Raises:
        ValueError: The word means no name, or several; the message lists the names.
    """
    spellings = {_strip_case(spelling): name for spelling, name in names.items()}
    typed = _strip_case(word)
    if typed in spellings:
        return spellings[typed]
    prefix_matches = {name for spelling, name in spellings.items() if typed and spelling.startswith(typed)}
    first_words = {name for spelling, name in names.items() if typed == _SEPARATORS.split(spelling)[0].casefold()}
    for matches in (first_words, prefix_matches):
        if len(matches) == 1:
            return matches.pop()
    known = list(dict.fromkeys(names.values()))
    if prefix_matches:
        raise ValueError(
            f"{word!r} is the beginning of several {noun}s: {', '.join(filter(prefix_matches.__contains__, known))}"
        )
    raise ValueError(f"unknown {noun} {word!r}; choose from {', '.join(known)}")


_SEPARATORS = re.compile(r"[\s_-]+")


def _strip_case(name: str) -> str:
    return _SEPARATORS.sub("", name).casefold()


def make_name_parser(noun: str, names: Sequence[str], titles: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that completes a name as `complete_name` does.

    Args:
        noun: Noun of the named things.
        names: The names.
        titles: Other spellings, with the name each stands for; those of other names are left out.
    """
    spellings = {name: name for name in names} | {title: name for title, name in titles.items() if name in names}

    def name_of(word: str) -> str:
        try:
            return complete_name(noun, word, spellings)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return name_of


MAX_JOBS = 64
"""More processes would only wait for the thread that merges their results."""


def get_parser(kind: Kind | None) -> Callable[[str], Any]:
    """Return the function that converts the value of an option for a kind of setting."""
    if isinstance(kind, OrNone):
        return get_parser(kind.kind)
    if isinstance(kind, Number):
        return lambda text: _number_within(text, kind.min, kind.max)
    if isinstance(kind, Integer):
        bounds = f"from {kind.min} on" if kind.max == MAX_STEP else f"from {kind.min} to {kind.max}"
        return lambda text: _parse_within(text, kind.min, kind.max, bounds)
    if isinstance(kind, FileText):
        return lambda name: _parse_text_file(name, kind)
    if isinstance(kind, CheckedString):
        return lambda text: _check_parsed(text, kind)
    return str


def _check_parsed(text: str, kind: CheckedString) -> str:
    try:
        return kind.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None


def _parse_text_file(name: str, kind: FileText) -> TextFile:
    """Return the path of a readable file."""
    try:
        return read_text_file(name, kind)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{name}: {error}") from None


def _number_within(text: str, least: float, greatest: float) -> float:
    number = _parse_number(text)
    if not least <= number <= greatest:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least:g} to {greatest:g}")
    return number


def parse_jobs(text: str) -> int:
    """Return the number of reader processes."""
    return _parse_within(text, 0, MAX_JOBS, f"from 0 to {MAX_JOBS}")


def parse_step(text: str) -> int:
    """Return a step."""
    return _parse_within(text, -(2**63), 2**63 - 1)


def parse_maximum(text: str) -> int:
    """Return a maximum; 0 means all."""
    return _parse_within(text, 0, 2**31 - 1, "from 0 on")


def parse_columns(text: str) -> int:
    """Return the columns of printed text."""
    return _parse_within(text, 20, 1000, "from 20 to 1000")


def parse_rows(text: str) -> int:
    """Return the rows of a chart."""
    return _parse_within(text, 3, 500, "from 3 to 500")


def parse_seconds(text: str) -> float:
    """Return an interval in seconds."""
    number = _parse_number(text)
    if not 0 <= number <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to a day")
    return number


def parse_percent(text: str) -> float:
    """Return a share, 0.05 for `5` or `5%`."""
    number = _parse_number(text.removesuffix("%"))
    if not 0 <= number <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of percent")
    return number / 100


def _parse_within(text: str, least: int, greatest: int, bounds: str = "") -> int:
    """Return the whole number of `text`; `bounds` describes `least` and `greatest` in the error."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= greatest:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {bounds}".rstrip())
    return number


def _parse_number(text: str) -> float:
    """Return the number in `text`; NaN, which is outside any bounds, if there is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def name_sources(paths: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources of paths, and show the run in their directory by the name of the directory.

    Raises:
        SourceError: A path cannot be opened.
    """
    from tbtui.charts.text import set_root_label
    from tbtui.loading.sources import get_root_label, parse_sources

    sources = parse_sources(paths)
    set_root_label(get_root_label(sources))
    return sources
