"""Draw the importance for a metric as cells: bar, share, profile, range of the best tenth, and suggestions."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.styled_text import cut_pieces, pieces_width
from tbtui.charts.text import cell_width, fit, safe, shorten, write
from tbtui.plugins.hparams import labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.hparams.importance import HParamImportance, Importance

WIDE, MEDIUM = 92, 60
"""Columns from which all parts of a row are shown, and from which the bar is."""

MAX_NAME, MIN_NAME = 24, 8
EIGHTH_BLOCKS = " ▏▎▍▌▋▊▉"
RANGE_WIDTH = 20
SHARE_WIDTH = 6
GAP = 2


def draw_bar(share: float, greatest: float, width: int) -> str:
    """Return a bar of eighths of a column; the greatest share fills the width."""
    eighths = round(8 * width * share / greatest) if greatest else 0
    full, spare_eighths = divmod(max(eighths, 1), 8)
    return "█" * full + EIGHTH_BLOCKS[spare_eighths].strip()


def title_pieces(importance: Importance, figure: str, width: int) -> list[Piece]:
    """Return the headline: metric, number of sessions and better end."""
    left: list[Piece] = [("What matters for ", Ink.DIM), (importance.metric, Ink.BOLD)]
    sign = f"{labels.BEST_SIGNS[importance.best]} {labels.BEST_LABELS[importance.best]}"
    count = format_count(importance.sessions, "session")
    if importance.settings < importance.sessions:
        count += f", {format_count(importance.settings, 'setting')}"
    if importance.without:
        count += f", {importance.without} without it"
    for right in (f"{count}, {figure} of each · {sign}", f"{count} · {sign}", sign, labels.BEST_SIGNS[importance.best]):
        if pieces_width(left) + cell_width(right) + GAP <= width:
            gap = width - pieces_width(left) - cell_width(right)
            return [*left, (" " * gap, Ink.NONE), (right, Ink.DIM)]
    return cut_pieces([(importance.metric, Ink.BOLD), (f" {sign}", Ink.DIM)], width)


def draw_overview(importance: Importance, figure: str, width: int, height: int) -> Cells:
    """Draw the importance in at most `height` rows; lines that do not fit are counted.

    Args:
        importance: Shares, regions and notes.
        figure: Words for the point of each curve: `last`.
        width: Columns.
        height: Maximum number of rows.
    """
    lines = _build_lines(importance, figure, width)
    if len(lines) > height:
        facts = lines[1 + len(importance.marked) + (1 if importance.marked else 0) :]
        max_lines = max(height - 1, 0)
        shown_lines = lines[1 : 1 + max(max_lines - min(len(facts), 2), 1)]
        lines = [lines[0], *shown_lines, *facts][:height]
    cells = Cells.blank(len(lines), width)
    for y, pieces in enumerate(lines):
        x = 0
        for text, ink in cut_pieces(pieces, width):
            x = write(cells, y, x, text, ink)
    return cells


def measure_overview(importance: Importance, width: int) -> int:
    """Return the number of rows of the complete overview."""
    return len(_build_lines(importance, "", width))


def _build_lines(importance: Importance, figure: str, width: int) -> list[list[Piece]]:
    lines = [title_pieces(importance, figure, width)]
    marked = importance.marked
    if marked:
        layout = _Layout(marked, width)
        lines += [layout.header(importance.metric), *(layout.row(entry) for entry in marked)]
    lines += _build_fact_lines(importance, width)
    return lines


class _Layout:
    """Columns of the rows."""

    def __init__(self, marked: Sequence[HParamImportance], width: int) -> None:
        longest = max(cell_width(safe(entry.name)) for entry in marked)
        self.is_wide, self.has_bar = width >= WIDE, width >= MEDIUM
        self.name = min(max(longest, MIN_NAME), MAX_NAME if self.has_bar else max(width // 4, MIN_NAME))
        self.greatest = max(entry.share for entry in marked)
        self.profile = max(len(labels.format_profile_glyphs(entry.profile)) for entry in marked)
        if self.is_wide:
            self.profile = max(cell_width(_format_wide_profile(entry)) for entry in marked)
            self.profile = min(self.profile, 34)
        self.has_hints = any(map(labels.format_hint, marked))
        longest_range = max(cell_width(labels.format_best(entry.best)) for entry in marked)
        self.has_profile = self.has_bar or self.name + 1 + self.profile + GAP + SHARE_WIDTH + longest_range <= width
        self.bar = 0
        if self.has_bar:
            free_columns = width - self.name - 5 - self.profile - RANGE_WIDTH - 4 * GAP - (14 if self.is_wide else 0)
            self.bar = min(max(free_columns, 4), 24)

    def header(self, metric: str) -> list[Piece]:
        if not self.has_bar:
            over = fit("by value", self.profile).ljust(self.profile + GAP) if self.has_profile else ""
            return [(" " * (self.name + 1), Ink.NONE), (f"{over}share the best tenth", Ink.DIM)]
        pieces: list[Piece] = [(" " * (self.name + GAP + self.bar + GAP), Ink.NONE), ("share" + " " * GAP, Ink.DIM)]
        over = fit(f"{safe(metric)} over its values" if self.is_wide else "over its values", self.profile)
        pieces.append((over.ljust(self.profile + GAP), Ink.DIM))
        pieces.append(("the best tenth".ljust(RANGE_WIDTH + GAP), Ink.DIM))
        return [*pieces, ("try", Ink.DIM)] if self.is_wide and self.has_hints else pieces

    def row(self, entry: HParamImportance) -> list[Piece]:
        """Return one hyperparameter."""
        ink = Ink.DIM if entry.is_doubtful else Ink.TEXT
        name = shorten(entry.name, self.name)
        share = labels.share_text(entry).rjust(4).ljust(5)
        pieces: list[Piece] = [(name + " " * (self.name - cell_width(name)), Ink.BOLD if entry.is_significant else ink)]
        if self.has_bar:
            filled = draw_bar(entry.share, self.greatest, self.bar)
            pieces += [(" " * GAP, Ink.NONE), (filled.ljust(self.bar), Ink.ACCENT if entry.is_significant else ink)]
            pieces += [(" " * GAP, Ink.NONE), (share, ink), (" " * GAP, Ink.NONE)]
            pieces += self._build_profile_pieces(entry, ink)
        else:
            profile = self._build_profile_pieces(entry, ink) if self.has_profile else []
            pieces += [(" ", Ink.NONE), *profile, (f"{share} ", ink)]
        best = labels.format_best(entry.best)
        hint = labels.format_hint(entry)
        if self.is_wide:
            sign = f" {labels.EDGE_SIGN}" if hint else ""
            pieces += [(fit(best + sign, RANGE_WIDTH).ljust(RANGE_WIDTH + GAP), ink), (hint, Ink.ACCENT)]
        else:
            pieces += [(best, ink), (f" {labels.EDGE_SIGN} try {hint}" if hint else "", Ink.ACCENT)]
        return pieces

    def _build_profile_pieces(self, entry: HParamImportance, ink: int) -> list[Piece]:
        text = _format_wide_profile(entry) if self.is_wide else labels.format_profile_glyphs(entry.profile)
        text = fit(text, self.profile)
        pieces = _colour_signs(text, ink)
        return [*pieces, (" " * (self.profile - cell_width(text) + GAP), Ink.NONE)]


def _format_wide_profile(entry: HParamImportance) -> str:
    if not labels.is_ordered(entry.profile):
        return labels.format_word_profile(entry.profile)
    low, high = labels.format_profile_ends(entry.profile)
    return f"{low.rjust(7)} {labels.format_profile_glyphs(entry.profile)} {high}"


def _colour_signs(text: str, ink: int) -> list[Piece]:
    """Return a profile with the signs of divergence in red."""
    pieces: list[Piece] = []
    for letter in text:
        letter_ink = Ink.BAD if letter == labels.DIVERGED_SIGN else ink
        if pieces and pieces[-1][1] == letter_ink:
            pieces[-1] = (pieces[-1][0] + letter, letter_ink)
        else:
            pieces.append((letter, letter_ink))
    return pieces


def _build_fact_lines(importance: Importance, width: int) -> list[list[Piece]]:
    """Return the lines below the shares."""
    lines: list[list[Piece]] = []
    if importance.reason:
        lines += [[(line, Ink.DIM)] for line in textwrap.wrap(safe(importance.reason), max(width, 1))]
    if importance.unmarked:
        text = labels.format_no_difference(importance)
        if cell_width(text) > width:
            text = f"{len(importance.unmarked)} more: no difference that {labels.format_evidence(importance)} can show"
        if cell_width(text) > width:
            text = f"{len(importance.unmarked)} more show no difference"
        lines.append([(text, Ink.DIM)])
    lines.extend([(text, Ink.DIM)] for text in map(labels.format_together, importance.hparams) if text)
    if importance.pairs:
        together = ", ".join(map(labels.pair_text, importance.pairs[:3]))
        lines.append([("together  ", Ink.DIM), (together, Ink.TEXT)])
    diverged: list[Piece] = []
    if importance.diverged:
        regions = ", ".join(map(labels.format_region, importance.regions[:2]))
        words = regions or f"{importance.diverged} of {importance.sessions}"
        diverged = [(f"{labels.DIVERGED_SIGN} diverged  ", Ink.BAD), (words, Ink.TEXT)]
    noise = labels.format_noise(importance)
    if cell_width(noise) > width:
        noise = labels.format_noise(importance, brief=True)
    if diverged and noise and pieces_width(diverged) + cell_width(noise) + 4 <= width:
        lines.append([*diverged, (" " * 4, Ink.NONE), (noise, Ink.DIM)])
    else:
        if diverged:
            lines.append(diverged)
        if noise:
            lines.append([(noise, Ink.DIM)])
    return lines
