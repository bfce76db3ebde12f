"""The buckets of one histogram as a table, exact as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.columns import aligned
from tbtui.charts.text import fit, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.histograms.readings import Reading
    from tbtui.plugins.histograms.recorded import Floats

TITLES = ("from", "to", "count", "share", "up to here")
GAP = 2

DIGITS = (5, 7, 9, 12, 17)
"""Significant digits of edges: the fewest that tell all of them apart. The last are all that a float has."""

MOST_ROWS = 20_000
"""Buckets beyond are counted, not listed; no writer makes nearly as many."""

BAR = " ▏▎▍▌▋▊▉█"
"""A cell filled from the left, in eighths."""

EIGHTHS, MOST_BAR = 8, 60


def bucket_table(reading: Reading, width: int) -> tuple[Cells, Cells]:
    """The table's header (one row) and its body, a row a bucket, the least values first.

    Args:
        reading: The histogram.
        width: Columns of the terminal; where there are too few the bars go first, then the columns at the right.
    """
    buckets = reading.recorded.some(np.array([reading.index]))
    counts = buckets.counts[:MOST_ROWS]
    whole = float(buckets.totals[0]) or 1.0
    columns = [
        *_edges(buckets.lefts[:MOST_ROWS], buckets.rights[:MOST_ROWS]),
        [_count(count) for count in counts.tolist()],
        [_percent(share) for share in (counts / whole).tolist()],
        [_percent(share) for share in (np.cumsum(counts) / whole).tolist()],
    ]
    texts = [_column(title, column) for title, column in zip(TITLES, columns, strict=True)]
    while texts and sum(len(column[0]) + GAP for column in texts) > width:
        texts.pop()
    used = sum(len(column[0]) + GAP for column in texts)
    header, body = Cells.blank(1, max(width, 0)), Cells.blank(len(counts), max(width, 0))
    write(header, 0, 0, "".join(" " * GAP + column[0] for column in texts), Ink.DIM)
    rows = ["".join(" " * GAP + column[row] for column in texts) for row in range(1, len(counts) + 1)]
    _put(body, 0, rows, Ink.TEXT)
    body.inks[counts == 0, :used] = Ink.DIM
    room = min(width - used - GAP, MOST_BAR)
    if room > 0:
        _put(body, used + GAP, _bars(counts, room), reading.recorded.ink)
    more = len(buckets.counts) - len(counts)
    return header, _with_last(body, f"⋯ and {more:,} more buckets") if more else body


def _edges(lefts: Floats, rights: Floats) -> tuple[list[str], list[str]]:
    """Both columns of edges in digits that tell them apart."""
    distinct = len(np.unique(np.concatenate([lefts, rights])))
    for digits in DIGITS:
        columns = tuple([_number(edge, digits) for edge in edges.tolist()] for edges in (lefts, rights))
        if len({*columns[0], *columns[1]}) >= distinct:
            break
    return columns[0], columns[1]


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e+").replace("e+", "e") if "e" in text else text


def _count(count: float) -> str:
    return f"{count:.0f}" if count == int(count) and count < 1e12 else numbers.short(count)


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share >= 5e-5 else "<.01 %" if share else "0 %"


def _column(title: str, texts: Sequence[str]) -> list[str]:
    """The title and the texts below it, all of one width."""
    lined = texts if texts and texts[0].endswith("%") else aligned(texts)
    width = max(map(len, (title, *lined)))
    return [title.rjust(width), *(text.rjust(width) for text in lined)]


def _bars(counts: Floats, room: int) -> list[str]:
    """A bar a row; whatever is in a bucket is seen."""
    lengths = np.rint(counts / (counts.max(initial=0) or 1.0) * (EIGHTHS * room)).astype(int)
    lengths[counts > 0] = np.maximum(lengths[counts > 0], 1)
    return [
        (BAR[-1] * (eighths // EIGHTHS) + BAR[eighths % EIGHTHS])[:room].ljust(room) for eighths in lengths.tolist()
    ]


def _put(cells: Cells, left: int, rows: Sequence[str], ink: int) -> None:
    """Put rows of texts of one width, all of it printable and narrow, at once."""
    if rows and rows[0]:
        glyphs = np.frombuffer("".join(rows).encode("utf-32-le"), "<u4").reshape(len(rows), -1)
        area = (slice(None), slice(left, left + glyphs.shape[1]))
        cells.glyphs[area], cells.inks[area] = glyphs, ink


def _with_last(body: Cells, text: str) -> Cells:
    last = Cells.blank(1, body.width)
    write(last, 0, GAP, fit(text, body.width - GAP), Ink.DIM)
    return Cells(np.vstack((body.glyphs, last.glyphs)), np.vstack((body.inks, last.inks)))
