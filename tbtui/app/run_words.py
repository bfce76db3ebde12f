"""What is said of one run: the word that matters beside its name, and everything in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import step
from tbtui.charts.text import nameable, shorten
from tbtui.frozen import frozen
from tbtui.viewstate.ages import DAY, HOUR, MINUTE, age_word, freshness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.facts import RunFacts
    from tbtui.viewstate.health import Condition
    from tbtui.viewstate.trouble import Ailment, Trouble
    from tbtui.widgets.line import Piece

LONGEST_NAME = 28
SEPARATOR: Piece = (" · ", Ink.FAINT)

NO_NUMBERS: Mapping[Ailment, str] = {"nan": "NaN", "inf": "Inf"}


@frozen
class Word:
    """The one word for a run."""

    text: str
    ink: int
    brief: str = ""
    """The same for where there is hardly room; nothing for a word that may be missed there."""

    sign: str = ""
    """The same in one column, where the run's bullet does not say it already."""


def word_of(facts: RunFacts, condition: Condition) -> Word | None:
    """The word that matters most: what is wrong, then whether it is done, then how fast it goes; None without any."""
    trouble = facts.trouble
    if trouble is not None and trouble.step is not None:
        sign = "" if trouble.kind == "nan" else "∞"
        return Word(f"{NO_NUMBERS[trouble.kind]} {step(trouble.step)}", Ink.BAD, NO_NUMBERS[trouble.kind], sign)
    if condition.stalled and condition.age is not None:
        return Word(f"stalled {age_word(condition.age)}", Ink.WARN, "stalled", "‖")
    if trouble is not None and trouble.kind == "diverges":
        return Word("diverges", Ink.BAD, "diverges", "↗")
    calm = _calm_word(facts, condition)
    return Word(calm, Ink.DIM) if calm else None


def _calm_word(facts: RunFacts, condition: Condition) -> str:
    if condition.done:
        return "done"
    if condition.silent and condition.age is not None:
        return f"quiet {age_word(condition.age)}"
    if facts.trouble is not None:
        return facts.trouble.kind
    if condition.left is not None:
        return f"eta {rough_time(condition.left)}"
    return pace_word(facts.pace.rate) if facts.pace is not None and condition.active else ""


def run_line(run: RunSnapshot, facts: RunFacts, condition: Condition) -> tuple[Piece, ...]:
    """Everything that is known of a run: `adam/seed0 · step 440 · live · 12/s · eta 3h`."""
    pieces: list[Piece] = [(shorten(nameable(run.name), LONGEST_NAME), Ink.TEXT)]
    for piece in _said(run, facts, condition):
        pieces += [SEPARATOR, piece]
    return tuple(pieces)


def _said(run: RunSnapshot, facts: RunFacts, condition: Condition) -> Iterator[Piece]:
    if run.problem is not None:
        yield run.problem, Ink.BAD
    if facts.last_step is not None:
        yield f"step {facts.last_step:,}", Ink.DIM
    if facts.trouble is not None:
        yield trouble_words(facts.trouble), Ink.DIM if facts.trouble.kind == "flat" else Ink.BAD
    if run.vanished:
        yield "gone", Ink.DIM
    elif condition.stalled and condition.age is not None:
        yield f"stalled {age_word(condition.age)}", Ink.WARN
    elif fresh := freshness(condition.age):
        yield fresh, Ink.DIM
    if condition.done:
        yield "done", Ink.DIM
    if facts.pace is not None and condition.active:
        yield pace_word(facts.pace.rate), Ink.DIM
    if condition.left is not None:
        yield f"eta {rough_time(condition.left)}", Ink.DIM


def trouble_words(trouble: Trouble) -> str:
    """`NaN from step 251 in loss/train`, `loss/train diverges`."""
    tag = shorten(nameable(trouble.tag), LONGEST_NAME)
    if trouble.step is not None:
        return f"{NO_NUMBERS[trouble.kind]} from step {trouble.step:,} in {tag}"
    return f"{tag} is flat" if trouble.kind == "flat" else f"{tag} diverges"


def pace_word(rate: float) -> str:
    """Steps per second, or per minute, hour or day where they take longer: `12/s`, `3.4/min`, in two digits."""
    for seconds, unit in ((1.0, "s"), (MINUTE, "min"), (HOUR, "h")):
        if rate * seconds >= 0.95:
            return f"{_rough(rate * seconds)}/{unit}"
    return f"{_rough(rate * DAY)}/d"


def _rough(value: float) -> str:
    rounded = float(f"{value:.2g}")
    return f"{rounded:g}" if rounded < 1000 else step(int(min(rounded, 1e18)))


def rough_time(seconds: float) -> str:
    """A length of time in its greatest unit: `<1m`, `42m`, `3h`, `12d`."""
    if seconds < MINUTE:
        return "<1m"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f}m"
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:.0f}h"
    return f"{seconds / DAY:.0f}d" if seconds < 1000 * DAY else ">999d"
