"""Run names in tight places, the colours of runs, and the legend of a card.

Parts that all names share are dropped, and cut names stay distinct.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count, repeat
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tbtui.charts.cells import FAINT_FROM
from tbtui.charts.colours import marker
from tbtui.charts.text import ELLIPSIS, cell_width, fit, safe, shorten, visible_name
from tbtui.view.run_tree import common_label_length
from tbtui.view.setting_names import SETTING, differing_settings

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
"""Maximum number of names whose common parts are searched among related ones: it takes a frame or two."""


def common_prefix_length(names: Sequence[str]) -> int:
    """Return the number of leading characters that all names share; the word of `seed0`, `run_1` stays."""
    start = max(common_label_length(names), 0)  # no name is a name, too
    if start and names[0][start - 1] in "_- " and any(_is_number_alone(name[start:]) for name in names):
        start -= 1  # a number alone says nothing
    while start and names[0][start - 1].isalnum():
        start -= 1
    if start:
        start = _outside_brackets(names[0][:start])
    return _without_cut_setting(tuple(names), start) if start else 0


def _outside_brackets(prefix: str) -> int:
    """Return the length of a prefix up to its first bracket that is not closed in it, as of `ddp [rank0]`."""
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
def _without_cut_setting(names: tuple[str, ...], start: int) -> int:
    """Return the nearest length at or below `start` at which no name is cut inside a `key=value`."""
    spans = {span for name in names if "=" in name for span in _spans(SETTING, name)}
    while cut := [begin for begin, end in spans if begin < start < end]:
        start = min(cut)
    return start


def _spans(pattern: re.Pattern[str], name: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(name)]


def _split(pattern: re.Pattern[str], name: str) -> list[str]:
    """Return the parts of a name that a pattern matches, joined where they would cut a number or a `key=value`."""
    ends = [match.end() for match in pattern.finditer(name)][:-1]
    if "=" in name or not name.isalpha():
        spans = _spans(_NUMBER, name) + _spans(SETTING, name)
        ends = [cut for cut in ends if not any(begin < cut < end for begin, end in spans)]
    return [name[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without the words that all begin with: `a/b/seed0`, `a/b/seed1` become `seed0`, `seed1`."""
    start = common_prefix_length(names)
    return tuple(visible_name(name[start:]) for name in names)


@lru_cache(maxsize=256)
def fit_names(
    names: tuple[str, ...], width: int, rooms: tuple[int, ...] = (), *, by_ends: bool = False
) -> tuple[str, ...]:
    """Return names, safe for a terminal, in at most `width` columns; different names stay different.

    If they are too long, the common prefix is dropped first. Names with several `key=value` then show only the settings
    that differ (`lr=3e-4 vit seed=1`, see `setting_names`). Then a common key goes (`lr=1e-4`, `lr=1e-3` become `1e-4`,
    `1e-3`), then whole parts that all have in common (`adam_b64/seed0`, `sgd_b64/seed1` become `adam/seed0`,
    `sgd/seed1`), then the section that distinguishes least, marked by `…`. No number is cut while another cut keeps as
    many names distinct. If one such cut cannot keep them distinct, the common parts of related names go first
    (`vit_b64_lr1_seed0`, `vit_b32_lr1_seed0` beside `debug` become `vit…b64…`, `vit…b32…`). Names that are still equal
    end in a number: `a_lon~7`, as far as it fits.

    Args:
        names: Names of runs, or other texts below one another.
        width: Columns for which the common parts to drop are chosen.
        rooms: Columns of each name if these differ; each name is cut for its own.
        by_ends: Keep the ends of the names if that distinguishes them as well; otherwise the middle is cut.
    """
    widths = rooms or (width,) * len(names)
    shown = tuple(safe(visible_name(name)) for name in names)
    ways: list[Callable[[Sequence[str]], tuple[str, ...]]] = [tuple, distinct_names]
    ways += map(_constant, differing_settings(shown))
    for leave_out in (*ways, _without_common_key, _without_common_parts):
        shorter = tuple(safe(name) for name in leave_out(shown))
        if _count(shorter) < len(set(names)):
            break
        shown = shorter
        if max(map(cell_width, shown), default=0) <= width:
            break
    if len(names) <= MAX_RELATED_NAMES and _count(_cut(shown, (width,) * len(shown))) < len(set(names)):
        cuts = (shown, _without_kinship(shown, width), _without_kinship(shown, width, initials=True))
        shown = max(cuts, key=lambda tried: _count(_cut(tried, (width,) * len(tried))))
    return _numbered(names, _cut(shown, widths, by_ends=by_ends), widths)


def _constant(texts: tuple[str, ...]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Return a function that replaces any names by these texts."""
    return lambda _: texts


def _count(shown: Sequence[str]) -> int:
    return len(set(shown))


def _without_common_key(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without the key that all begin with."""
    key = names[0].partition("=")[0] + "=" if names and "=" in names[0] else ""
    common = key and all(name.startswith(key) and len(name) > len(key) for name in names)
    return tuple(name[len(key) :] for name in names) if common else tuple(names)


def _without_common_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without the parts that all share; unchanged if they differ in the number of parts."""
    columns = [_split(_PART, name) for name in names]
    if len(set(map(len, columns))) != 1:
        return tuple(names)
    differing = [parts for parts in zip(*columns, strict=True) if _count(parts) > 1]
    return tuple("".join(parts).lstrip("/_, ") for parts in zip(*differing, strict=True)) or tuple(names)


def _without_kinship(names: Sequence[str], width: int, *, initials: bool = False) -> tuple[str, ...]:
    """Return names of which those with the same first part and length show their differences: `vit…b64…`, `vit…b32…`.

    Args:
        names: All names.
        width: Columns; the last part stays if there is room.
        initials: Cut the first part to its first character.
    """
    parts = [_split(_WORD, name) for name in names]
    families: dict[tuple[str, int], list[list[str]]] = {}
    for each in parts:
        families.setdefault((each[0] if each else "", len(each)), []).append(each)
    alike = {kin: [len(set(column)) == 1 for column in zip(*members, strict=True)] for kin, members in families.items()}
    found = []
    for name, each in zip(names, parts, strict=True):
        common = alike[each[0] if each else "", len(each)]
        if all(common):
            found.append(name)  # it has no kin
            continue
        shown = [ELLIPSIS if same else part for part, same in zip(each, common, strict=True)]
        first = each[0][:1] if initials else each[0]
        with_end = _elided(first, [*shown[:-1], each[-1]])
        found.append(with_end if cell_width(with_end) <= width else _elided(first, shown))
    return tuple(found)


def _elided(first: str, shown: Sequence[str]) -> str:
    return re.sub(f"{ELLIPSIS}[{ELLIPSIS}/_, -]*", ELLIPSIS, first + "".join(shown))


def _cut(names: Sequence[str], widths: Sequence[int], *, by_ends: bool = False) -> tuple[str, ...]:
    """Return names cut at the same section, the one nearest to the middle that keeps most of them distinct.

    With `by_ends` it is the one nearest to their beginning. The section must also distinguish most if all had as little
    room as the tightest: what that one loses must not be what separates it from the others. Settings and numbers stay
    whole unless cuts inside them keep more names distinct.
    """
    tightest, longest = min(widths, default=0), max(widths, default=0)
    if all(map(_fits, names, repeat(tightest))):
        return tuple(names)
    preferred_end = longest if by_ends else (tightest - 1) // 2
    ends = sorted(range(longest or 1), key=lambda end: abs(end - preferred_end))
    best: tuple[str, ...] = ()
    most = 0, 0
    for tokens in _tokens_to_keep(names):
        for end in ends:
            cut = tuple(map(_without_middle, names, tokens, widths, repeat(end)))
            tight = tuple(map(_without_middle, names, tokens, repeat(tightest), repeat(end)))
            distinct = _count(cut), _count(tight)
            if distinct > most:
                best, most = cut, distinct
            if min(most) == _count(names):
                return best
    return best


_Tokens: TypeAlias = "list[tuple[int, int]] | None"
"""Spans of a name that stay whole, ascending; None if characters of the name have other widths than one column."""


def _tokens_to_keep(names: Sequence[str]) -> Iterator[list[_Tokens]]:
    """Yield the tokens of each name that a cut spares: settings and numbers, then numbers, then none."""
    plain = [cell_width(name) == len(name) for name in names]
    numbers: list[_Tokens] = [
        _spans(_NUMBER, name) if alone else None for name, alone in zip(names, plain, strict=True)
    ]
    if any("=" in name for name in names):
        yield [
            None if spans is None else sorted(_spans(SETTING, name) + spans)
            for name, spans in zip(names, numbers, strict=True)
        ]
    if any(numbers):
        yield numbers
    yield [[] if alone else None for alone in plain]


def _fits(name: str, width: int) -> bool:
    return cell_width(name) <= width


def _without_middle(name: str, tokens: _Tokens, width: int, end: int) -> str:
    """Return a safe name with `end` columns of its end, or all that fit; tokens are left out whole if possible."""
    end = min(end, width - 1)
    if tokens is None or width <= 0:
        return shorten(name, width, end)
    if len(name) <= width:
        return name
    tail = len(name) - end
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


def _numbered(names: Sequence[str], shown: Sequence[str], widths: Sequence[int]) -> tuple[str, ...]:
    """Return the names, each that equals an earlier one with a number at its end."""
    found: dict[str, str] = {}
    taken, number = set(shown), 1
    first = dict(zip(reversed(shown), reversed(names), strict=True))
    for name, text, width in zip(names, shown, widths, strict=True):
        if name in found:
            continue
        found[name] = text
        while first.setdefault(found[name], name) != name:
            number += 1
            end = f"~{number}"[:width]
            numbered = fit(text, width - len(end)).rstrip(ELLIPSIS) + end
            if len(end) == width:
                found[name] = numbered
                break
            if numbered not in taken:
                found[name] = numbered
    return tuple(found[name] for name in names)


class RunColours:
    """Series inks of runs: a run keeps its ink for ever, also while it is absent, in every tab and session.

    A new run gets the first ink that no present run has, so that the plain colours of the palette go to visible runs,
    not to runs that were deleted weeks ago.
    """

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        """Start from the inks of an earlier session.

        Args:
            known: Run name to series ink.
        """
        self.inks: Mapping[str, int] = dict(known or {})
        """Run name to series ink, for every run ever seen. A new mapping replaces it when runs appear."""

        self._by: tuple[Mapping[str, int], Mapping[str, int], Mapping[str, int]] | None = None

    def inks_by(self, inks: Mapping[str, int], other: int) -> Mapping[str, int]:
        """Return other inks for all runs ever seen; the same mapping as long as nothing changed.

        Args:
            inks: Series ink by run.
            other: Series ink of all other runs.
        """
        if self._by is None or self._by[0] is not inks or self._by[1] is not self.inks:
            self._by = inks, self.inks, {run: inks.get(run, other) for run in self.inks}
        return self._by[2]

    def assign(self, runs: Iterable[str]) -> None:
        """Assign an ink to each of the runs that has none.

        Runs inside another run come last: most are single points (hyperparameter trials, which PyTorch logs as runs of
        their own), and lines need the colours more. Their data does not count: it is unknown until the run is read, and
        the order of reading differs from start to start.

        Args:
            runs: Names of all present runs; among equals their order decides.
        """
        present = dict.fromkeys(runs)
        fresh = [name for name in present if name not in self.inks]
        if not fresh:
            return
        worn = {self.inks[name] for name in present if name in self.inks}
        free = (ink for ink in count() if ink not in worn)
        fresh.sort(key=lambda name: _is_inside(name, present))
        # Inks from FAINT_FROM have another meaning; at that number runs share colours anyway.
        self.inks = {**self.inks, **{name: ink % FAINT_FROM for name, ink in zip(fresh, free, strict=False)}}

    def set_inks(self, inks: Mapping[str, int]) -> None:
        """Set the inks of runs by the user; other runs with the same ones keep them too."""
        self.inks = {**self.inks, **{run: ink % FAINT_FROM for run, ink in inks.items()}}


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


def run_legend(
    shown: Sequence[HasRunInk], runs: Sequence[str], width: int, focus: str | None = None
) -> list[tuple[str, int]]:
    """Return the runs of a chart with their inks, the focused one first; empty if only one run is drawn at all.

    Args:
        shown: Items of the chart.
        runs: All drawn runs in the order of the run tree; names stay distinct among all of them.
        width: Columns of the card.
        focus: The focused run.
    """
    if len(runs) < 2 or not shown:
        return []
    room = min(max((width - CORNERS) // len(shown) - BULLET, MIN_LEGEND_NAME), MAX_LEGEND_NAME)
    names = dict(zip(runs, fit_names(distinct_names(runs), room), strict=True))
    ordered = sorted(shown, key=lambda each: each.run != focus)
    return [
        (f"{marker(each.ink)}{FOCUS_SIGN if each.run == focus else ' '}{names.get(each.run, each.run)}", each.ink)
        for each in ordered
    ]
