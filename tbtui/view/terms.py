r"""Terms of a filter over attributes of runs: `lr>=1e-3 opt=adam|sgd val/loss<.2 status=done seed? run~^t0 -note`.

| term | selects |
| --- | --- |
| `lr>=1e-3`, `lr<.1` | numbers at least, below … |
| `opt=adam\|sgd`, `opt!=sgd` | one of some values, or none of them; `nan` and `none` are values too |
| `opt~^ada` | texts that a regular expression matches |
| `seed?`, `-seed?` | sessions that have a value, or have none |
| `run~^t0`, `t0` | run names that a regular expression matches |
| `-TERM` | everything that TERM does not select |

Words between blanks are joined by "and". A name or value with a blank or an operator is put between double quotes.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.settings.filters import NameFilter, escape, get_filter, has_term_signs
from tbtui.view.attributes import NO_WORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from tbtui.view.attributes import AttributeColumn, RunAttributes

RUN = "run"
"""Name of the run names in a term."""

EQUAL_WITHIN = 1e-6
"""Relative difference of equal numbers: most logs hold float32, but users type 0.1."""

_WORD = re.compile(r'(?:"[^"]*"|[^\s"])+')
_PARTS = re.compile(r'(-?)((?:"[^"]*"|[^\s"<>=!~?])+)(>=|<=|!=|=|<|>|~|\?)(.*)', re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[\s"<>=!~?|]|^-|^$')


class TermError(ValueError):
    """Raised when a term cannot be applied; the message is a few plain words."""


@frozen
class Term:
    """One word of a filter."""

    text: str
    """The word as it was typed."""

    name: str
    """Attribute, or `run`."""

    operator: str
    values: tuple[str, ...] = ()
    """Alternatives; one regular expression for `~`."""

    is_negated: bool = False
    is_plain: bool = False
    """True for a word without an operator."""


def quote_term(text: str) -> str:
    """Return a name or a value in the form of a term, quoted if necessary."""
    return f'"{text}"' if _NEEDS_QUOTES.search(text) else text


def _unquote(text: str) -> str:
    return text.replace('"', "")


@lru_cache(maxsize=64)
def parse_terms(text: str) -> tuple[Term, ...]:
    """Return the terms of a filter; a word without an operator is a pattern of run names."""
    return tuple(map(_parse, _WORD.findall(text)))


def _parse(word: str) -> Term:
    match = _PARTS.fullmatch(word)
    if match is None or (match[3] == "?" and match[4]):
        is_negated = word.startswith("-") and len(word) > 1
        return Term(word, RUN, "~", (_unquote(word[is_negated:]),), is_negated, True)
    sign, name, operator, rest = match.groups()
    values = () if operator == "?" else (_unquote(rest),) if operator == "~" else tuple(_split(rest))
    return Term(word, _unquote(name), operator, values, bool(sign))


def _split(text: str) -> Iterable[str]:
    """Yield the alternatives between `|`."""
    return (_unquote(part) for part in re.findall(r'(?:"[^"]*"|[^|"])+', text) or [""])


def are_terms(text: str, attributes: RunAttributes | None) -> bool:
    """Return True if a filter is made of terms: one of its words names an attribute.

    Otherwise it is one regular expression over run names.
    """
    if attributes is None or not attributes.columns or not has_term_signs(text):
        return False
    terms = (term for term in parse_terms(text) if not term.is_plain)
    return any(term.name == RUN or attributes.find(term.name) is not None for term in terms)


def may_be_terms(text: str) -> bool:
    """Return True if a word of a filter has an operator, so that it may be a term once attributes are known."""
    return has_term_signs(text) and any(not term.is_plain for term in parse_terms(text))


def check_terms(text: str, attributes: RunAttributes) -> str | None:
    """Return the reason why a filter cannot be applied, in a few plain words; None if it can."""
    try:
        match_rows(text, attributes)
    except TermError as error:
        return str(error)
    return None


def match_rows(text: str, attributes: RunAttributes) -> npt.NDArray[np.bool_]:
    """Return True for the rows that all terms select, bool[n].

    Raises:
        TermError: A term cannot be applied.
    """
    is_selected = np.ones(len(attributes.members), np.bool_)
    for term in parse_terms(text):
        is_selected &= _match_term(term, attributes) != term.is_negated
    return is_selected


def match_runs(text: str, names: Sequence[str], attributes: RunAttributes) -> tuple[str, ...]:
    """Return the runs that all terms select. A run without a session has no attribute but its name.

    Raises:
        TermError: A term cannot be applied.
    """
    rows = match_rows(text, attributes)
    row_of_run, terms = attributes.row_of_run, parse_terms(text)
    return tuple(
        name
        for name in names
        if (rows[row_of_run[name]] if name in row_of_run else all(_is_name_selected(term, name) for term in terms))
    )


SEARCH_SECONDS = 5.0
"""Maximum time of a search for a filter in all names; the filter is treated as terms after it."""


def select_by_terms(
    text: str, names: Sequence[str], attributes: Callable[[], RunAttributes | None]
) -> frozenset[str] | None:
    """Return the runs that a filter of a command selects; None if it is one regular expression.

    Args:
        text: The filter.
        names: Names of all runs.
        attributes: Reads their attributes; called if a word of the filter has an operator.

    Raises:
        TermError: A term cannot be applied, and no name matches the filter.
    """
    if not may_be_terms(text):
        return None
    run_attributes = attributes()
    if run_attributes is None or not run_attributes.columns:
        return None
    if not are_terms(text, run_attributes) and any(map(NameFilter(text, SEARCH_SECONDS).matches, names)):
        return None
    return frozenset(match_runs(text, names, run_attributes))


def _is_name_selected(term: Term, name: str) -> bool:
    """Return True if a term selects a run without a session."""
    if term.name != RUN:
        return term.is_negated
    return _match_name(term, name) != term.is_negated


def _match_name(term: Term, name: str) -> bool:
    if term.operator == "?":
        return True
    if term.operator == "~":
        pattern = get_filter(term.values[0])
        if pattern.check([name]):
            raise TermError(f"{term.text}: {pattern.error}")
        return pattern.matches(name)
    return (name in term.values) != (term.operator == "!=")


def _match_term(term: Term, attributes: RunAttributes) -> npt.NDArray[np.bool_]:
    if term.name == RUN and attributes.find(RUN) is None:
        if term.operator not in ("~", "=", "!=", "?"):
            raise TermError(f"{term.text}: run names have no order")
        matches = [
            any(_match_name(term, name) for name in (run, *members))
            for run, members in zip(attributes.runs, attributes.members, strict=True)
        ]
        return np.array(matches, np.bool_)
    column = attributes.find(term.name)
    if column is None:
        raise TermError(_create_unknown_attribute_error(term.name, attributes))
    if term.operator == "?":
        return column.present
    if term.operator == "~":
        return _match_words(term, column)
    if term.operator in ("=", "!="):
        equal = np.logical_or.reduce([_match_equal(column, value) for value in term.values])
        return np.asarray(equal != (term.operator == "!="), np.bool_)
    if len(term.values) != 1:
        raise TermError(f"{term.text}: one number")
    return _compare(column.numbers, term.operator, _number(term))


def _create_unknown_attribute_error(name: str, attributes: RunAttributes) -> str:
    from difflib import get_close_matches  # imported late, since most filters are right

    close = get_close_matches(name, list(attributes.columns or ()), 1)
    return f"no {name!r} here" + (f"; {close[0]}?" if close else "")


def _number(term: Term) -> float:
    try:
        return float(term.values[0])
    except ValueError:
        raise TermError(f"{term.text}: {term.values[0] or 'nothing'} is no number") from None


def _compare(numbers: npt.NDArray[np.float64], operator: str, bound: float) -> npt.NDArray[np.bool_]:
    # A bound is a number that the user has read on the screen, so it includes values with the same text.
    slack = abs(bound) * EQUAL_WITHIN if math.isfinite(bound) else 0.0
    with np.errstate(invalid="ignore"):
        if operator == ">=":
            return np.asarray(numbers >= bound - slack)
        if operator == "<=":
            return np.asarray(numbers <= bound + slack)
        return np.asarray(numbers > bound + slack if operator == ">" else numbers < bound - slack)


def _match_equal(column: AttributeColumn, text: str) -> npt.NDArray[np.bool_]:
    """Return True for the rows with a value, bool[n]."""
    folded = text.casefold()
    equal_codes = [code for code, word in enumerate(column.words) if str(word).casefold() == folded]
    is_equal = np.isin(column.codes, equal_codes)
    if folded == "none":
        is_equal |= column.codes == NO_WORD
    try:
        number = float(text)
    except ValueError:
        return is_equal
    if math.isnan(number):
        return np.asarray(is_equal | (column.is_number & np.isnan(column.numbers)))
    with np.errstate(invalid="ignore"):
        return np.asarray(is_equal | np.isclose(column.numbers, number, rtol=EQUAL_WITHIN, atol=0.0))


def _match_words(term: Term, column: AttributeColumn) -> npt.NDArray[np.bool_]:
    pattern = get_filter(term.values[0])
    if error := pattern.check(map(str, column.words)):
        raise TermError(f"{term.text}: {error}")
    matching_codes = [code for code, word in enumerate(column.words) if pattern.matches(str(word))]
    return np.isin(column.codes, matching_codes)


def format_range_terms(name: str, low: float | None, high: float | None) -> str:
    """Return the terms of a range, `lr>=1e-4 lr<=.01`; None is an open end."""
    ends = ((">=", low), ("<=", high))
    return " ".join(f"{quote_term(name)}{sign}{format_term_number(end)}" for sign, end in ends if end is not None)


def format_value_terms(name: str, values: Iterable[str]) -> str:
    """Return the term of some values: `opt=adam|sgd`."""
    return f"{quote_term(name)}={'|'.join(map(quote_term, values))}"


def format_run_term(name: str) -> str:
    """Return the term of one run."""
    return f"run~{quote_term('^' + escape(name) + '$')}"


def format_term_number(value: float) -> str:
    """Return a short number for a term."""
    text = f"{value:.5g}"
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text


def replace_terms(text: str, name: str, terms: str) -> str:
    """Return a filter with other terms of one attribute; an empty text removes them."""
    other_terms = [term.text for term in parse_terms(text) if term.name != name]
    return " ".join(filter(None, (*other_terms, terms)))


def select_terms(text: str, name: str) -> str:
    """Return the terms of one attribute in a filter."""
    return " ".join(term.text for term in parse_terms(text) if term.name == name)
