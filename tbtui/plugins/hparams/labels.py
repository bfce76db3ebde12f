"""Texts about sessions and importance, for the pane and for `tbtui print`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts.numbers import format_count, format_duration
from tbtui.charts.text import safe
from tbtui.plugins.hparams.table import format_hparam, format_hparams
from tbtui.view.terms import format_term_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.hparams.importance import (
        BestRange,
        DivergedRegion,
        HParamImportance,
        Importance,
        PairImportance,
        ProfileLevel,
    )
    from tbtui.plugins.hparams.session_table import Session
    from tbtui.settings.settings import Best

EIGHTHS = "▁▂▃▄▅▆▇█"
DIVERGED_SIGN, MISSING_SIGN, EDGE_SIGN = "✗", "–", "⇥"
SOME = "…"

BEST_LABELS: dict[Best, str] = {"min": "least is best", "max": "greatest is best"}
BEST_SIGNS: dict[Best, str] = {"min": "▾", "max": "▴"}


def share_text(entry: HParamImportance) -> str:
    """Return `.49`, with `?` if it may be chance."""
    return f"{entry.share:.2f}".lstrip("0") + ("?" if entry.is_doubtful else "")


BRIEF_DIGITS = 3
"""Significant digits of the ends of ranges."""


def format_brief_number(value: float) -> str:
    """Return a number in few characters: `0.0052`, `1.3e-4`, `256`."""
    if not math.isfinite(value):
        return format_hparam(value)
    if value.is_integer() and abs(value) < 1e6:
        return f"{value:.0f}"
    if value and abs(value) < 1e-3:
        mantissa, _, exponent = f"{value:.{BRIEF_DIGITS - 2}e}".partition("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    return format_term_number(float(f"{value:.{BRIEF_DIGITS}g}"))


def narrow_number(value: float, width: int) -> str:
    """Return a number in at most `width` characters if fewer digits suffice for that: `.0017` for 0.00171."""
    text = format_brief_number(value)
    for digits in range(BRIEF_DIGITS, 0, -1):
        if len(text) <= width or not math.isfinite(value):
            break
        text = format_brief_number(float(f"{value:.{digits}g}"))
        if len(text) > width and text.startswith(("0.", "-0.")):
            text = text.replace("0.", ".", 1)
    return text


def format_value(value: float | str | bool | None) -> str:
    """Return a value in few characters, safe for a terminal."""
    if value is None:
        return MISSING_SIGN
    return format_brief_number(value) if isinstance(value, float) else format_hparam(value)


def filter_word(value: float | str | bool) -> str:
    """Return the spelling of a value in a filter."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else format_term_number(value)


def format_best(span: BestRange, *, words: int = 1) -> str:
    """Return the values of the best sessions: `8e-4 … 4e-3`, or `adam  11 of 14`."""
    if span.low is not None and span.high is not None:
        low, high = format_value(span.low), format_value(span.high)
        return low if low == high else f"{low} … {high}"
    return ", ".join(f"{format_value(word)} {count} of {span.count}" for word, count in span.words[:words])


def format_profile_glyphs(levels: Sequence[ProfileLevel]) -> str:
    """Return one eighth for each level, high where the metric is worse; `✗` where more than half diverged."""
    return "".join(map(_format_level_glyph, levels))


def _format_level_glyph(level: ProfileLevel) -> str:
    if level.diverged * 2 > level.count:
        return DIVERGED_SIGN
    return EIGHTHS[min(int(level.median_rank * len(EIGHTHS)), len(EIGHTHS) - 1)]


def format_profile_ends(levels: Sequence[ProfileLevel]) -> tuple[str, str]:
    """Return the values at both ends of a profile."""
    if not levels:
        return "", ""
    last = levels[-1].label_high
    return format_value(levels[0].label_low), format_value(levels[-1].label_low if last is None else last)


def is_ordered(levels: Sequence[ProfileLevel]) -> bool:
    """Return True if the levels are numbers."""
    return any(isinstance(level.label_low, float) for level in levels)


def format_word_profile(levels: Sequence[ProfileLevel], max_levels: int = 4) -> str:
    """Return `adam ▂  sgd ▅` for levels that are words."""
    parts = [
        f"{SOME if level.label_high is None and level.label_low is not None else format_value(level.label_low)} "
        f"{_format_level_glyph(level)}"
        for level in levels[:max_levels]
    ]
    return "  ".join([*parts, *([SOME] if len(levels) > max_levels else [])])


def format_region(region: DivergedRegion) -> str:
    """Return `lr > 0.3: 12 of 14`."""
    name = safe(region.name)
    condition = (
        f"{name} ≥ {format_value(region.low)}"
        if region.low is not None
        else f"{name} ≤ {format_value(region.high)}"
        if region.high is not None
        else f"{name} = {format_value(region.word)}"
    )
    return f"{condition}: {region.diverged} of {region.count}"


def pair_text(pair: PairImportance) -> str:
    """Return `lr x solver .06`."""
    return f"{safe(pair.first)} × {safe(pair.second)} {f'{pair.excess:.2f}'.lstrip('0')}"


def format_noise(importance: Importance, *, brief: bool = False) -> str:
    """Return the noise of seeds: `noise of seeds ±.004: 5 settings are as good as the best`."""
    noise = importance.noise
    if noise is None:
        return ""
    text = f"{'' if brief else 'noise of '}seeds ±{format_brief_number(float(f'{noise.deviation:.2g}'))}"
    if noise.as_good > 1:
        text += f": {noise.as_good} {'as good' if brief else 'settings are as good as the best'}"
    return text


def format_no_difference(importance: Importance) -> str:
    """Return `alpha, seed: no difference that 140 sessions can show`; empty without any."""
    names = [safe(each.name) for each in importance.unmarked]
    if not names:
        return ""
    return f"{', '.join(names)}: no difference that {format_evidence(importance)} can show"


def format_evidence(importance: Importance) -> str:
    """Return `140 sessions`, or `47 settings` if some of them were repeated."""
    if importance.settings == importance.sessions:
        return format_count(importance.sessions, "session")
    return format_count(importance.settings, "setting")


def format_together(entry: HParamImportance) -> str:
    """Return `lr and warmup changed together: not told apart`; empty if the entry is alone."""
    if not entry.together:
        return ""
    return f"{', '.join(map(safe, (entry.name, *entry.together)))} changed together: not told apart"


def format_hint(entry: HParamImportance) -> str:
    """Return the suggestions as one text; empty if there are none."""
    return ", ".join(safe(hint.text) for hint in entry.hints)


def end_text(session: Session, status: str) -> str:
    """Return state and duration: `done 41s`, `failed`, `NaN step 7`."""
    if status == "nan":
        return f"NaN step {session.last_step}" if session.last_step is not None else "NaN"
    if status == "running":
        return f"step {session.last_step}" if session.last_step is not None else status
    time = session.duration
    return status if time is None or status == "failed" else f"{status} {format_duration(time)}"


def format_values(values: Sequence[float | str | bool | None]) -> list[str]:
    """Return the texts of a column of hyperparameters."""
    return format_hparams(values, MISSING_SIGN)
