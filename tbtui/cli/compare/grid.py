"""Convert a comparison to columns of texts, shared by plain text and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.marks import BEST_SIGN
from tbtui.charts.numbers import counted, signed, told_apart
from tbtui.charts.text import nameable, safe
from tbtui.cli.hparams import hparam_words
from tbtui.frozen import frozen
from tbtui.plugins.comparison.cells import MISSING_SIGN, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tbtui.cli.compare.data import ComparedTag, Comparison, Entry
    from tbtui.plugins.comparison.points import Point

DELTA = "Δ"
AT = "step"


@frozen
class GridColumn:
    """One column: its title and its cells from top to bottom."""

    title: str
    """Safe for a terminal, uncut."""

    cells: tuple[str, ...]
    """Safe for a terminal, uncut; `–` marks a missing value."""

    best: tuple[bool, ...] = ()
    """True for cells with the best value; empty in a column without a best value."""

    follows: bool = False
    """Keep the column beside the one before it, which it belongs to."""

    numeric: bool = True


def columns_of(comparison: Comparison) -> list[GridColumn]:
    """Return the columns after the run names: differing hyperparameters, last steps, then every tag.

    A single tag has all its values; each of several tags has the compared value only.
    """
    found = [_hparam_column(comparison, name) for name in comparison.differing]
    ends = _ends(comparison)
    if len(set(ends.values())) > 1:
        found.append(GridColumn(AT, _cells(comparison, {run: f"{step}" for run, step in ends.items()})))
    for tag in comparison.tags:
        found += _all_figures(comparison, tag) if len(comparison.tags) == 1 else _one_figure(comparison, tag)
    return found


def _hparam_column(comparison: Comparison, name: str) -> GridColumn:
    values = [comparison.sessions[run].values.get(name) for run in comparison.runs]
    cells = tuple(MISSING_SIGN if value is None else hparam_words(value) for value in values)
    numeric = all(value is None or isinstance(value, float) for value in values)
    return GridColumn(safe(nameable(name)), cells, numeric=numeric)


def _ends(comparison: Comparison) -> Mapping[str, int]:
    """Return the last step of each run when several tags show last values, which have no step columns.

    The last values of a run that stopped early, or has just begun, are misleading without it.
    """
    if comparison.figure != "last" or len(comparison.tags) == 1:
        return {}
    steps: dict[str, int] = {}
    for tag in comparison.tags:
        for run, entry in tag.entries.items():
            steps[run] = max(entry.told.step, steps.get(run, entry.told.step))
    return steps


def _one_figure(comparison: Comparison, tag: ComparedTag) -> list[GridColumn]:
    title = safe(nameable(tag.tag))
    found = [_values(comparison, tag, title, lambda entry: entry.told)]
    if comparison.figure != "last":
        found.append(_steps(comparison, tag, AT, lambda entry: entry.told))
    return found + _deltas(comparison, tag)


def _all_figures(comparison: Comparison, tag: ComparedTag) -> list[GridColumn]:
    figure = (tag.best or "last") if comparison.figure == "best" else comparison.figure
    points: Mapping[str, Callable[[Entry], Point | None]] = {
        "last": lambda entry: entry.points.last if entry.points else entry.told,
        "min": lambda entry: entry.points.least if entry.points else None,
        "max": lambda entry: entry.points.greatest if entry.points else None,
    }
    found: list[GridColumn] = []
    for name, point in points.items():
        column = _values(comparison, tag, name, point, marked=name == figure)
        found += [column, _steps(comparison, tag, AT, point)]
        if name == figure:
            found += _deltas(comparison, tag)
    return found


def _values(
    comparison: Comparison,
    tag: ComparedTag,
    title: str,
    point: Callable[[Entry], Point | None],
    *,
    marked: bool = True,
) -> GridColumn:
    values = {run: found.value for run, entry in tag.entries.items() if (found := point(entry)) is not None}
    texts = {run: text for run, (text, _) in texts_of(values, tag.best, None, None).items()}
    best = tuple(run in tag.entries and tag.entries[run].is_best for run in comparison.runs) if marked else ()
    return GridColumn(title, _cells(comparison, texts), best if any(best) else ())


def _steps(comparison: Comparison, tag: ComparedTag, title: str, point: Callable[[Entry], Point | None]) -> GridColumn:
    texts = {run: f"{found.step}" for run, entry in tag.entries.items() if (found := point(entry)) is not None}
    return GridColumn(title, _cells(comparison, texts), follows=True)


def _deltas(comparison: Comparison, tag: ComparedTag) -> list[GridColumn]:
    """Return the column of differences to the baseline, formatted as in the Compare tab; none without one."""
    if comparison.baseline is None:
        return []
    deltas = {run: entry.delta for run, entry in tag.entries.items() if entry.delta is not None}
    texts = dict(zip(deltas, told_apart([*deltas.values()], _signed), strict=True))
    return [GridColumn(DELTA, _cells(comparison, texts), follows=True)]


def _signed(value: float, *, digits: int) -> str:
    return signed(value, digits=digits)


def _cells(comparison: Comparison, texts: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(texts.get(run, MISSING_SIGN) for run in comparison.runs)


def heading(comparison: Comparison) -> str:
    """Return the summary: `7 runs, 9 tags: best values, ★ the best of a column, Δ to adam/seed0, sorted by loss`."""
    runs, tags = len(comparison.runs), len(comparison.tags)
    what = safe(nameable(comparison.tags[0].tag)) if tags == 1 else f"{tags:,} tags"
    parts = [counted(runs, "run"), what]
    ends = {*_ends(comparison).values()}
    said = [f"{_FIGURES[comparison.figure]} values" + (f" at step {ends.pop()}" if len(ends) == 1 else "")]
    if any(entry.is_best for tag in comparison.tags for entry in tag.entries.values()):
        said.append(f"{BEST_SIGN} the best of a column")
    if comparison.baseline is not None:
        said.append(f"{DELTA} to {safe(nameable(comparison.baseline))}")
    if comparison.order is not None:
        way = "greatest" if comparison.order.descending else "least"
        said.append(f"sorted by {safe(nameable(comparison.order.name))}, {way} first")
    return f"{', '.join(parts)}: {', '.join(said)}"


_FIGURES = {"last": "last", "best": "best", "min": "least", "max": "greatest"}


def constant_line(comparison: Comparison) -> str:
    """Return the line of hyperparameters that are the same in all runs; empty without any."""
    values = ", ".join(f"{safe(nameable(name))}={hparam_words(value)}" for name, value in comparison.constant.items())
    return f"the same in all: {values}" if values else ""


def notes(comparison: Comparison) -> Sequence[str]:
    """Return notes on what the table leaves out."""
    return [f"{counted(comparison.others, 'more run')}: --limit shows more of them"] if comparison.others else []
