"""Short run names, the colours of runs, and the legend of a card.

Parts that all names share are dropped, and shortened names stay distinct.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count, repeat
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tbtui.charts.cells import FAINT_FROM
from tbtui.charts.series_colours import PALETTE_SIZE, get_ink, get_series_marker, number_of_ink
from tbtui.charts.text import ELLIPSIS, cell_width, fit, format_run_name, safe, shorten
from tbtui.view.run_tree import measure_common_label
from tbtui.view.setting_names import SETTING, shorten_to_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence


FOCUS_SIGN = "▸"
"""Sign beside the bullet of the selected run, in tables and legends."""

_PART = re.compile(r"[/_, ]?[^/_, ]*")
"""A part of a name, with the separator before it."""

_WORD = re.compile(r"[/_, -]?[^/_, -]*")
"""A part of a name split at hyphens too."""

_NUMBER = re.compile(r"\.?\d[\d.]*(?:[eE][+-]?\d+)?")

_BRACKETS = {"[": "]", "(": ")", "{": "}"}

MAX_RELATED_NAMES = 300
"""Maximum number of names that are searched for common parts of related names, which takes about a frame."""


def measure_common_prefix(names: Sequence[str]) -> int:
    """Return the number of leading characters that all names share, without the word of `seed0`, `run_1`."""
    start = max(measure_common_label(names), 0)  # a name may be empty
    if start and names[0][start - 1] in "_- " and any(_is_number_alone(name[start:]) for name in names):
        start -= 1  # a number needs its word
    while start and names[0][start - 1].isalnum():
        start -= 1
    if start:
        start = _cut_at_open_bracket(names[0][:start])
    return _avoid_cut_setting(tuple(names), start) if start else 0


def _cut_at_open_bracket(prefix: str) -> int:
    """Return the length of a prefix up to its first unclosed bracket, as in `ddp [rank0]`."""
    opened: list[int] = []
    for index, char in enumerate(prefix):
        if char in _BRACKETS:
            opened.append(index)
        elif opened and char == _BRACKETS[prefix[opened[-1]]]:
            opened.pop()
    return opened[0] if opened else len(prefix)


def _is_number_alone(text: str) -> bool:
    return not any(map(str.isalpha, _NUMBER.sub("", text)))


@lru_cache(maxsize=64)
def _avoid_cut_setting(names: tuple[str, ...], start: int) -> int:
    """Return the largest length up to `start` at which no name is cut inside a `key=value`."""
    spans = {span for name in names if "=" in name for span in _find_spans(SETTING, name)}
    while cut_starts := [span_start for span_start, end in spans if span_start < start < end]:
        start = min(cut_starts)
    return start


def _find_spans(pattern: re.Pattern[str], name: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(name)]


def _split(pattern: re.Pattern[str], name: str) -> list[str]:
    """Return the parts of a name that a pattern matches, without splitting a number or a `key=value`."""
    ends = [match.end() for match in pattern.finditer(name)][:-1]
    if "=" in name or not name.isalpha():
        spans = _find_spans(_NUMBER, name) + _find_spans(SETTING, name)
        ends = [position for position in ends if not any(start < position < end for start, end in spans)]
    return [name[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def shorten_to_distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without their common leading words: `a/b/seed0`, `a/b/seed1` become `seed0`, `seed1`."""
    start = measure_common_prefix(names)
    return tuple(format_run_name(name[start:]) for name in names)


@lru_cache(maxsize=256)
def fit_names(
    names: tuple[str, ...], width: int, name_widths: tuple[int, ...] = (), *, by_ends: bool = False
) -> tuple[str, ...]:
    """Return names, safe for a terminal, in at most `width` columns; different names stay different.

    Names that are too long are shortened in these steps, until they fit:

    1. The common prefix is dropped.
    2. Names with several `key=value` show only the settings that differ (`lr=3e-4 vit seed=1`, see `setting_names`).
    3. A common key is dropped: `lr=1e-4`, `lr=1e-3` become `1e-4`, `1e-3`.
    4. Common parts are dropped: `adam_b64/seed0`, `sgd_b64/seed1` become `adam/seed0`, `sgd/seed1`.
    5. The section that distinguishes least is replaced by `…`, and no number is cut if another cut keeps as many names
       distinct. If one cut is not enough, common parts of related names are replaced before: `vit_b64_lr1_seed0`,
       `vit_b32_lr1_seed0` and `debug` become `vit…b64…`, `vit…b32…` and `debug`.
    6. Names that are still equal end in a number: `a_lon~7`.

    Args:
        names: Names of runs, or other texts of one column.
        width: Columns for which steps 1 to 4 are taken.
        name_widths: Columns of each name if these differ; empty: `width` for all.
        by_ends: Keep the ends of the names if that distinguishes them as well; otherwise the middle is cut.
    """
    widths = name_widths or (width,) * len(names)
    shown = tuple(safe(format_run_name(name)) for name in names)
    shorteners: list[Callable[[Sequence[str]], tuple[str, ...]]] = [tuple, shorten_to_distinct]
    shorteners += map(_return_always, shorten_to_settings(shown))
    for shorten_all in (*shorteners, _drop_common_key, _drop_common_parts):
        shorter = tuple(safe(name) for name in shorten_all(shown))
        if _count(shorter) < len(set(names)):
            break
        shown = shorter
        if max(map(cell_width, shown), default=0) <= width:
            break
    if len(names) <= MAX_RELATED_NAMES and _count(_cut(shown, (width,) * len(shown))) < len(set(names)):
        cuts = (shown, _show_differences(shown, width), _show_differences(shown, width, initials=True))
        shown = max(cuts, key=lambda candidate: _count(_cut(candidate, (width,) * len(candidate))))
    return _number_duplicates(names, _cut(shown, widths, by_ends=by_ends), widths)


def fit_run_name(name: str, runs: Sequence[str], width: int) -> str:
    """Return the name of a run in at most `width` columns: in full, or the part that distinguishes it from the others.

    Args:
        name: Name of the run.
        runs: Names of all runs shown with it, from which it must differ.
        width: Columns.
    """
    full_name = safe(format_run_name(name))
    if cell_width(full_name) <= width:
        return full_name
    if name not in runs or len(runs) > MAX_RELATED_NAMES:
        return shorten(full_name, width)
    return dict(zip(runs, fit_names(tuple(runs), max(width, 1)), strict=True))[name]


def _return_always(texts: tuple[str, ...]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Return a function that replaces any names by these texts."""
    return lambda _: texts


def _count(shown: Sequence[str]) -> int:
    return len(set(shown))


def _drop_common_key(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without their common leading key."""
    key = names[0].partition("=")[0] + "=" if names and "=" in names[0] else ""
    common = key and all(name.startswith(key) and len(name) > len(key) for name in names)
    return tuple(name[len(key) :] for name in names) if common else tuple(names)


def _drop_common_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without their common parts; unchanged if the numbers of parts differ."""
    columns = [_split(_PART, name) for name in names]
    if len(set(map(len, columns))) != 1:
        return tuple(names)
    differing = [parts for parts in zip(*columns, strict=True) if _count(parts) > 1]
    return tuple("".join(parts).lstrip("/_, ") for parts in zip(*differing, strict=True)) or tuple(names)


def _show_differences(names: Sequence[str], width: int, *, initials: bool = False) -> tuple[str, ...]:
    """Return names in which related ones show only their differences: `vit…b64…`, `vit…b32…`.

    Related names have the same first part and the same number of parts.

    Args:
        names: All names.
        width: Columns; the last part is kept if it fits.
        initials: Cut the first part to its first character.
    """
    parts = [_split(_WORD, name) for name in names]
    groups: dict[tuple[str, int], list[list[str]]] = {}
    for each in parts:
        groups.setdefault((each[0] if each else "", len(each)), []).append(each)
    is_common_part = {
        group_key: [len(set(column)) == 1 for column in zip(*members, strict=True)]
        for group_key, members in groups.items()
    }
    shortened = []
    for name, each in zip(names, parts, strict=True):
        common = is_common_part[each[0] if each else "", len(each)]
        if all(common):
            shortened.append(name)  # no other name is related
            continue
        shown = [ELLIPSIS if is_common else part for part, is_common in zip(each, common, strict=True)]
        first = each[0][:1] if initials else each[0]
        with_end = _elide(first, [*shown[:-1], each[-1]])
        shortened.append(with_end if cell_width(with_end) <= width else _elide(first, shown))
    return tuple(shortened)


def _elide(first: str, shown: Sequence[str]) -> str:
    return re.sub(f"{ELLIPSIS}[{ELLIPSIS}/_, -]*", ELLIPSIS, first + "".join(shown))


def _cut(names: Sequence[str], widths: Sequence[int], *, by_ends: bool = False) -> tuple[str, ...]:
    """Return names cut at one section, the one nearest to the middle that keeps most of them distinct.

    With `by_ends` it is the one nearest to their start. The section must also keep most names distinct if all had the
    smallest width, so that the narrowest name keeps the part that distinguishes it. Settings and numbers are not cut
    unless that keeps more names distinct.
    """
    tightest, longest = min(widths, default=0), max(widths, default=0)
    if all(map(_fits, names, repeat(tightest))):
        return tuple(names)
    preferred_end = longest if by_ends else (tightest - 1) // 2
    ends = sorted(range(longest or 1), key=lambda end: abs(end - preferred_end))
    best: tuple[str, ...] = ()
    best_counts = 0, 0
    for tokens in _propose_tokens(names):
        for end in ends:
            cut_names = tuple(map(_cut_middle, names, tokens, widths, repeat(end)))
            tightest_names = tuple(map(_cut_middle, names, tokens, repeat(tightest), repeat(end)))
            distinct = _count(cut_names), _count(tightest_names)
            if distinct > best_counts:
                best, best_counts = cut_names, distinct
            if min(best_counts) == _count(names):
                return best
    return best


_Tokens: TypeAlias = "list[tuple[int, int]] | None"
"""Spans of a name that are not cut, ascending; None if some characters of the name are not one column wide."""


def _propose_tokens(names: Sequence[str]) -> Iterator[list[_Tokens]]:
    """Yield the tokens of each name that are not cut: settings and numbers, then numbers, then none."""
    is_single_width = [cell_width(name) == len(name) for name in names]
    numbers: list[_Tokens] = [
        _find_spans(_NUMBER, name) if alone else None for name, alone in zip(names, is_single_width, strict=True)
    ]
    if any("=" in name for name in names):
        yield [
            None if spans is None else sorted(_find_spans(SETTING, name) + spans)
            for name, spans in zip(names, numbers, strict=True)
        ]
    if any(numbers):
        yield numbers
    yield [[] if alone else None for alone in is_single_width]


def _fits(name: str, width: int) -> bool:
    return cell_width(name) <= width


def _cut_middle(name: str, tokens: _Tokens, width: int, end_columns: int) -> str:
    """Return a safe name with its start and at most `end_columns` of its end; tokens are not cut if possible."""
    end_columns = min(end_columns, width - 1)
    if tokens is None or width <= 0:
        return shorten(name, width, end_columns)
    if len(name) <= width:
        return name
    tail = len(name) - end_columns
    for start, stop in tokens:
        if start < tail < stop and len(name) - start < width:
            tail = start
            break
    head = width - 1 - (len(name) - tail)
    for start, stop in tokens:
        if start < head < stop <= start + width - 1 and (start or tail < len(name)):
            head = start
            break
    return name[:head] + ELLIPSIS + name[tail:]


def _number_duplicates(names: Sequence[str], shown: Sequence[str], widths: Sequence[int]) -> tuple[str, ...]:
    """Return the names, with a number at the end of each that equals an earlier one."""
    numbered_names: dict[str, str] = {}
    used_names, number = set(shown), 1
    first = dict(zip(reversed(shown), reversed(names), strict=True))
    for name, text, width in zip(names, shown, widths, strict=True):
        if name in numbered_names:
            continue
        numbered_names[name] = text
        while first.setdefault(numbered_names[name], name) != name:
            number += 1
            end = f"~{number}"[:width]
            numbered = fit(text, width - len(end)).rstrip(ELLIPSIS) + end
            if len(end) == width:
                numbered_names[name] = numbered
                break
            if numbered not in used_names:
                numbered_names[name] = numbered
    return tuple(numbered_names[name] for name in names)


class RunColours:
    """Series inks of runs: a run keeps its ink in every tab and session, even while it is absent.

    A new run gets the first ink that no present run has, so that runs that were deleted weeks ago do not occupy the
    first colours of the palette.

    A theme may have fewer colours than the palette. Runs keep their numbers there, and their inks use its colours only.
    """

    def __init__(self, known: Mapping[str, int] | None = None, colours: int = PALETTE_SIZE) -> None:
        """Start from the numbers of an earlier session.

        Args:
            known: Run name to its number.
            colours: Number of colours of the theme.
        """
        self.numbers: Mapping[str, int] = dict(known or {})
        """Run name to a number from 0, for every run ever seen. A new mapping replaces it when runs appear. With all
        colours of the palette it is the series ink of the run."""

        self.colours = colours
        self._provisional: frozenset[str] = frozenset()
        self._inks: tuple[int, Mapping[str, int], Mapping[str, int]] | None = None
        self._attribute_inks: tuple[Mapping[str, int], Mapping[str, int], Mapping[str, int]] | None = None

    @property
    def final_numbers(self) -> Mapping[str, int]:
        """Run name to its number, for the next session: without runs whose ink may still change."""
        return {run: number for run, number in self.numbers.items() if run not in self._provisional}

    @property
    def inks(self) -> Mapping[str, int]:
        """Run name to series ink; the same mapping as long as nothing changed."""
        if self.colours == PALETTE_SIZE:
            return self.numbers
        cached = self._inks
        if cached is None or cached[0] != self.colours or cached[1] is not self.numbers:
            cached = self._inks = self.colours, self.numbers, self._with_inks(self.numbers)
        return cached[2]

    def _with_inks(self, numbers: Mapping[str, int]) -> dict[str, int]:
        # Inks from FAINT_FROM have another meaning; at that number runs share colours anyway.
        return {run: get_ink(number, self.colours) % FAINT_FROM for run, number in numbers.items()}

    def assign_inks(self, numbers: Mapping[str, int], other: int) -> Mapping[str, int]:
        """Return other inks for all runs ever seen; the same mapping as long as nothing changed.

        Args:
            numbers: Number of the colour by run, from 0.
            other: That of all other runs.
        """
        cached = self._attribute_inks
        if cached is None or cached[0] is not numbers or cached[1] is not self.inks:
            inks = self._with_inks({run: numbers.get(run, other) for run in self.inks})
            cached = self._attribute_inks = numbers, self.inks, inks
        return cached[2]

    def assign(self, runs: Iterable[str], *, is_searching: bool = False) -> None:
        """Assign an ink to each of the runs that has none.

        While runs are still being searched, inks are provisional: the next call assigns them again. So every start on
        the same logs gives a run the same ink, however many of its neighbours the first state contains.

        Runs inside another run come last: most of them are single points (hyperparameter trials, which PyTorch logs as
        separate runs), and lines need distinct colours more. Their data is not considered: it is unknown until the run
        is read, and the order of reading differs at each start.

        Args:
            runs: Names of all present runs, in the order in which they get inks.
            is_searching: True if directories are still being walked for the first time.
        """
        present = dict.fromkeys(runs)
        known = self.final_numbers if self._provisional else self.numbers
        new_runs = [name for name in present if name not in known]
        self._provisional = frozenset(new_runs) if is_searching else frozenset()
        if not new_runs and known is self.numbers:
            return
        used_numbers = {known[name] for name in present if name in known}
        free_numbers = (number for number in count() if number not in used_numbers)
        new_runs.sort(key=lambda name: _is_inside(name, present))
        new_numbers = zip(new_runs, free_numbers, strict=False)
        numbers = {**known, **{name: number % FAINT_FROM for name, number in new_numbers}}
        if numbers != self.numbers:
            self.numbers = numbers

    def set_inks(self, inks: Mapping[str, int]) -> None:
        """Set the inks of runs chosen by the user; other runs may keep equal inks."""
        chosen = {run: number_of_ink(ink, self.colours) % FAINT_FROM for run, ink in inks.items()}
        self.numbers = {**self.numbers, **chosen}
        self._provisional -= chosen.keys()


def _is_inside(name: str, runs: Container[str]) -> bool:
    while "/" in name:
        name = name.rpartition("/")[0]
        if name in runs:
            return True
    return False


MIN_LEGEND_NAME, MAX_LEGEND_NAME = 8, 32
"""Minimum and maximum columns of a run name in a legend."""

BULLET, CORNERS = 3, 4
"""Columns before each name, and at the ends of the legend."""


class HasRunInk(Protocol):
    """An item of a chart that belongs to one run."""

    @property
    def run(self) -> str:
        """Return the name of the run; not yet safe for a terminal."""

    @property
    def ink(self) -> int:
        """Return its series ink."""


def build_run_legend(
    shown: Sequence[HasRunInk], runs: Sequence[str], width: int, focus: str | None = None
) -> list[tuple[str, int]]:
    """Return the runs of a chart with their inks, the focused one first; empty if only one run is drawn.

    Args:
        shown: Items of the chart.
        runs: All drawn runs in the order of the run tree; names stay distinct among all of them.
        width: Columns of the card.
        focus: The focused run.
    """
    if len(runs) < 2 or not shown:
        return []
    name_width = min(max((width - CORNERS) // len(shown) - BULLET, MIN_LEGEND_NAME), MAX_LEGEND_NAME)
    names = dict(zip(runs, fit_names(shorten_to_distinct(runs), name_width), strict=True))
    ordered = sorted(shown, key=lambda each: each.run != focus)
    return [
        (
            get_series_marker(each.ink) + (FOCUS_SIGN if each.run == focus else " ") + names.get(each.run, each.run),
            each.ink,
        )
        for each in ordered
    ]
