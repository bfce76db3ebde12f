"""Search in a document, independent of how lines and cells are broken. No pattern can hang."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.settings.filters import TOO_SLOW, compile_pattern, has_special_characters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.text.lines import DocumentLine

SECONDS = 0.5
"""Seconds of processor time for one search."""

MAX_MATCHES = 10_000


class Span(NamedTuple):
    """Range of a line: its first character, and the one after the last."""

    start: int
    end: int
    match: int
    """Number of the match."""


@frozen(slots=False)
class SearchResult:
    """The matches of a pattern in a document."""

    pattern: str = ""
    spans: tuple[tuple[int, Span], ...] = ()
    """Lines and ranges in them; a match that is broken over lines has several."""

    is_plain: bool = False
    """True if the pattern was searched for as plain text: it is not a regular expression, or matches nothing as one."""

    error: str | None = None
    """Reason for which matches are missing."""

    def __len__(self) -> int:
        return self.spans[-1][1].match + 1 if self.spans else 0

    @cached_property
    def by_line(self) -> Mapping[int, tuple[Span, ...]]:
        """The ranges in each line."""
        spans_by_line: dict[int, list[Span]] = {}
        for line, span in self.spans:
            spans_by_line.setdefault(line, []).append(span)
        return {line: tuple(spans) for line, spans in spans_by_line.items()}

    @cached_property
    def firsts(self) -> Sequence[int]:
        """The line in which each match begins."""
        lines: dict[int, int] = {}
        for line, span in self.spans:
            lines.setdefault(span.match, line)
        return tuple(lines.values())


NOTHING = SearchResult()


@frozen(eq=False)
class Searchable:
    """The texts of a document in sequence, and the position of each part."""

    text: str
    starts: npt.NDArray[np.int64]
    """Start of each part in `text`."""

    positions: Sequence[tuple[int, int, int]]
    """Line, first and last character of each part."""

    @classmethod
    def of(cls, lines: Sequence[DocumentLine]) -> Searchable:
        """Return the texts of lines: the ranges of each paragraph joined, with a line break between two paragraphs."""
        ranges = sorted(
            (part.paragraph, number, part.start, part.end, part.separator)
            for number, line in enumerate(lines)
            for part in line.ranges
        )
        pieces: list[str] = []
        starts = np.zeros(len(ranges), np.int64)
        length, before = 0, -1
        for index, (paragraph, number, start, end, separator) in enumerate(ranges):
            between = separator if paragraph == before else "\n"
            starts[index] = length + len(between)
            pieces += (between, lines[number].text[start:end])
            length += len(between) + end - start
            before = paragraph
        return cls("".join(pieces), starts, [(number, start, end) for _, number, start, end, _ in ranges])

    def find(self, pattern: str, seconds: float = SECONDS) -> SearchResult:
        """Return all matches of a pattern, case-insensitive; `^` and `$` are the ends of lines as they were written.

        A pattern that is not a regular expression, or matches nothing as one, is searched for as plain text.
        """
        if not pattern:
            return NOTHING
        compiled, syntax_error = compile_pattern(pattern, lines=True)
        result = NOTHING if compiled is None else self._find(pattern, compiled, seconds)
        if compiled is not None and (result or result.error or not has_special_characters(pattern)):
            return result
        plain, error = compile_pattern(pattern, plain=True)
        if plain is None:
            return SearchResult(pattern, error=error)
        plain_result = self._find(pattern, plain, seconds)
        return replace(plain_result, is_plain=True) if plain_result or syntax_error else result

    def _find(self, pattern: str, compiled: Any, seconds: float) -> SearchResult:
        spans: list[tuple[int, Span]] = []
        error: str | None = None
        until, number = time.thread_time() + seconds, 0
        try:
            for match in compiled.finditer(self.text, timeout=seconds, concurrent=True):
                matches = list(self._iter_spans(match.start(), match.end(), number))
                spans += matches
                number += bool(matches)
                if number == MAX_MATCHES:
                    error = f"only the first {MAX_MATCHES:,}"
                    break
                if time.thread_time() > until:
                    raise TimeoutError
        except (TimeoutError, RecursionError, MemoryError):
            error = TOO_SLOW
        return SearchResult(pattern, tuple(spans), error=error)

    def _iter_spans(self, start: int, end: int, number: int) -> Iterator[tuple[int, Span]]:
        """Yield the ranges of the lines that show a range of the text."""
        index = max(int(np.searchsorted(self.starts, start, "right")) - 1, 0)
        while index < len(self.starts) and (begin := int(self.starts[index])) < end:
            line, first, last = self.positions[index]
            from_part, to_part = max(start - begin, 0), min(end - begin, last - first)
            if from_part < to_part:
                yield line, Span(first + from_part, first + to_part, number)
            index += 1
