"""Names of runs in tight places: what all of them share is left out, what is cut leaves them different."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count, repeat
from typing import TYPE_CHECKING, Protocol

from tbtui.charts.cells import FAINT_FROM
from tbtui.charts.colours import marker
from tbtui.charts.text import ELLIPSIS, cell_width, fit, safe, shorten, visible_name
from tbtui.view.run_tree import common_label_length

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence


_PART = re.compile(r"[/_, ]?[^/_, ]*")
"""A part of a name, with the separator before it."""

_WORD = re.compile(r"(?:[/_, ]|(?<!\de)-)?(?:[^/_, -]|(?<=\de)-)*")
"""Likewise where hyphens part as well, but not the one of `1e-4`."""

MAX_RELATED_NAMES = 300
"""Names of which it is looked at what those that begin alike have in common: it takes a frame or two."""


def common_prefix_length(names: Sequence[str]) -> int:
    """How many leading characters all names share that say nothing of any: of `seed0`, `run_1` the word stays."""
    start = max(common_label_length(names), 0)  # no name is a name, too
    if start and names[0][start - 1] in "_- " and any(not any(map(str.isalpha, name[start:])) for name in names):
        start -= 1  # a number alone says nothing
    while start and names[0][start - 1].isalnum():
        start -= 1
    return start


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names without the words that all of them begin with: `a/b/seed0`, `a/b/seed1` become `seed0`, `seed1`."""
    start = common_prefix_length(names)
    return tuple(visible_name(name[start:]) for name in names)


@lru_cache(maxsize=256)
def fit_names(
    names: tuple[str, ...], width: int, rooms: tuple[int, ...] = (), *, by_ends: bool = False
) -> tuple[str, ...]:
    """Names, safe for a terminal, in at most `width` columns; names that differ never read alike.

    Where they are too long, what all begin with goes first, then whole parts that all have in common
    (`adam_b64/seed0`, `sgd_b64/seed1` become `adam/seed0`, `sgd/seed1`), then of each what tells least of them apart,
    marked by `…`. Where one such cut cannot tell them apart, what those that begin alike have in common goes first
    (`vit_b64_lr1_seed0`, `vit_b32_lr1_seed0` beside `debug` become `vit…b64…`, `vit…b32…`). What reads alike even then
    ends in a number: `a_lon~7`, as far as that has room.

    Args:
        names: Of runs, or whatever stands below one another.
        width: Columns for which it is decided what all of them do without.
        rooms: Columns that each of them has, where these differ; what is cut is cut for its own.
        by_ends: Whether they are known by their ends, which stay as far as that tells them apart as well; otherwise
            the middle is what goes.
    """
    widths = rooms or (width,) * len(names)
    shown = tuple(safe(visible_name(name)) for name in names)
    for leave_out in (tuple, distinct_names, _without_common_parts):
        shorter = tuple(safe(name) for name in leave_out(shown))
        if _count(shorter) < len(set(names)):
            break
        shown = shorter
        if max(map(cell_width, shown), default=0) <= width:
            break
    if len(names) <= MAX_RELATED_NAMES and _count(_cut(shown, (width,) * len(shown))) < len(set(names)):
        ways = (shown, _without_kinship(shown, width), _without_kinship(shown, width, initials=True))
        shown = max(ways, key=lambda tried: _count(_cut(tried, (width,) * len(tried))))
    return _numbered(names, _cut(shown, widths, by_ends=by_ends), widths)


def _count(shown: Sequence[str]) -> int:
    return len(set(shown))


def _without_common_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Names without parts that are the same in all of them; as they are where they have not equally many."""
    columns = [_PART.findall(name)[:-1] for name in names]
    if len(set(map(len, columns))) != 1:
        return tuple(names)
    differing = [parts for parts in zip(*columns, strict=True) if _count(parts) > 1]
    return tuple("".join(parts).lstrip("/_, ") for parts in zip(*differing, strict=True)) or tuple(names)


def _without_kinship(names: Sequence[str], width: int, *, initials: bool = False) -> tuple[str, ...]:
    """Names of which those with the same first part, and as many, show where they differ: `vit…b64…`, `vit…b32…`.

    Args:
        names: All names.
        width: Columns; where there is room for it, the last part stays.
        initials: Whether their first part is cut to its first character.
    """
    parts = [_WORD.findall(name)[:-1] for name in names]
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
    """Names that lose the same stretch if they are too long, the one nearest to the middle that tells least apart.

    Or, `by_ends`, the one nearest to their beginning.

    It would tell least apart, too, if all had as little room as the one that has least: what that one loses must not be
    what others, which have room, differ from it by.
    """
    tightest, longest = min(widths, default=0), max(widths, default=0)
    wanted = longest if by_ends else (tightest - 1) // 2
    plain = [cell_width(name) == len(name) for name in names]
    best: tuple[str, ...] = ()
    most = 0, 0
    for end in sorted(range(longest or 1), key=lambda end: abs(end - wanted)):
        cut = tuple(map(_without_stretch, names, plain, widths, repeat(end)))
        told = _count(cut), _count(tuple(map(_without_stretch, names, plain, repeat(tightest), repeat(end))))
        if told > most:
            best, most = cut, told
        if min(most) == _count(names):
            break
    return best


def _without_stretch(name: str, plain: bool, width: int, end: int) -> str:
    """A safe name that keeps so many columns of its end, or as many as there are; `plain`: every character has one."""
    end = min(end, width - 1)
    if not plain or width <= 0:
        return shorten(name, width, end)
    return name if len(name) <= width else name[: width - 1 - end] + ELLIPSIS + name[len(name) - end :]


def _numbered(names: Sequence[str], shown: Sequence[str], widths: Sequence[int]) -> tuple[str, ...]:
    """The same, but each name that reads like one before it ends in a number."""
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


# Which series ink a run has: given at first sight and kept, so that a run looks the same in every tab and session.


class RunColours:
    """Sticky series inks: a run keeps its ink for ever, also while it is away.

    A new run gets the first ink that no run beside it wears, so that the palette's plain colours go to what is on the
    screen, not to runs that were deleted weeks ago.
    """

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        """Start from the inks of an earlier session.

        Args:
            known: Run name to series ink.
        """
        self.inks: Mapping[str, int] = dict(known or {})
        """Run name to series ink, for every run ever seen. A new mapping replaces it when runs appear."""

    def assign(self, runs: Iterable[str]) -> None:
        """Give an ink to each of the runs that has none yet.

        Runs inside another run come last: mostly they are single points (the hyperparameter trials that PyTorch logs as
        runs of their own), and lines need the colours more. What a run holds does not count: it is not known until the
        run is read, and which is read first differs from start to start.

        Args:
            runs: Names of all runs there are now; among equals their order decides.
        """
        present = dict.fromkeys(runs)
        fresh = [name for name in present if name not in self.inks]
        if not fresh:
            return
        worn = {self.inks[name] for name in present if name in self.inks}
        free = (ink for ink in count() if ink not in worn)
        fresh.sort(key=lambda name: _is_inside(name, present))
        # Inks from FAINT_FROM on mean something else; so many runs share the palette's colours anyway.
        self.inks = {**self.inks, **{name: ink % FAINT_FROM for name, ink in zip(fresh, free, strict=False)}}

    def set_ink(self, runs: Iterable[str], ink: int) -> None:
        """Give runs an ink of the user's choice; others that wear it keep it too."""
        self.inks = {**self.inks, **dict.fromkeys(runs, ink % FAINT_FROM)}


def _is_inside(name: str, runs: Container[str]) -> bool:
    while "/" in name:
        name = name.rpartition("/")[0]
        if name in runs:
            return True
    return False


# Which run is which, in the bottom line of a card's frame.


MIN_LEGEND_NAME, MAX_LEGEND_NAME = 8, 32
"""Columns of a run's name in a legend."""

BULLET, CORNERS = 3, 4
"""Columns that stand in front of each name, and at the ends of the legend."""


class HasRunInk(Protocol):
    """What a chart shows of one run."""

    @property
    def run(self) -> str:
        """Its name; not yet made safe for a terminal."""

    @property
    def ink(self) -> int:
        """Its series ink."""


def run_legend(
    shown: Sequence[HasRunInk], runs: Sequence[str], width: int, focus: str | None = None
) -> list[tuple[str, int]]:
    """The runs of a chart with their inks, the focused one first; nothing where only one run is drawn anywhere.

    Args:
        shown: What the chart shows.
        runs: All that are drawn, in the order of the run tree: the names tell each from all of them.
        width: Columns of the card.
        focus: The run that stands out.
    """
    if len(runs) < 2 or not shown:
        return []
    room = min(max((width - CORNERS) // len(shown) - BULLET, MIN_LEGEND_NAME), MAX_LEGEND_NAME)
    names = dict(zip(runs, fit_names(distinct_names(runs), room), strict=True))
    ordered = sorted(shown, key=lambda each: each.run != focus)
    return [(f"{marker(each.ink)} {names.get(each.run, each.run)}", each.ink) for each in ordered]
