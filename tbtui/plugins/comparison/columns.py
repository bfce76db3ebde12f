"""The columns of a comparison in the order of their importance: the tab, `print` and `tbtui compare` share the rule.

1. The number of runs that hold a tag is compared with that of the most common tag. Below a quarter the tag is sparse,
   and hidden by default. Below two thirds it comes after all others.
2. Among these, metrics of validation come first, then other metrics, then other tags that differ between runs, then
   tags with equal values. A metric is a tag with a known better end of its values; the bounds of another tag, such as
   `val_lower` of `val`, are not metrics.
3. Hyperparameters that differ between the runs come after the first two metrics.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.run_health.anomalies import SPEED, find_metric_direction, has_word, is_validation
from tbtui.store.run_series import get_last_values

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from tbtui.settings.settings import Best, Settings
    from tbtui.store.snapshot import RunSnapshot

LEADING_METRICS = 2
"""Metrics before the hyperparameters: a narrow table shows these."""

COMMON_DIVISOR, SPARSE_DIVISOR = 1.5, 4
"""A tag is common if at least 1/1.5 as many runs have it as the most common tag, and sparse below 1/4 as many."""

_BOUND = re.compile(r"[_-](?:lower|upper|low|high|lo|hi|std|stddev|stderr|sem|var)$", re.IGNORECASE)
"""End of the name of a tag that belongs to the tag without it."""

MAX_COMPARED_RUNS = 8
"""Number of runs whose last values are compared, spread evenly over all runs."""


@frozen
class ColumnOrder:
    """Keys of columns in their order."""

    usual: tuple[str, ...]
    sparse: tuple[str, ...]
    """Columns that few runs have a value of."""


def count_runs(tag_sets: Iterable[frozenset[str]]) -> Counter[str]:
    """Return the number of sets that hold each tag; equal objects are counted at once."""
    sets: dict[int, tuple[frozenset[str], int]] = {}
    for tags in tag_sets:
        sets[id(tags)] = tags, sets.get(id(tags), (tags, 0))[1] + 1
    counts: Counter[str] = Counter()
    for tags, number in sets.values():
        if counts or number == 1:
            for tag in tags:
                counts[tag] += number
        else:
            counts.update(dict.fromkeys(tags, number))
    return counts


def find_differing(runs: Sequence[RunSnapshot]) -> Container[str]:
    """Return the tags whose newest values differ between some of the runs; all tags of a single run."""
    step = max(-(-len(runs) // MAX_COMPARED_RUNS), 1)
    compared = [run.series for run in runs[::step]]
    first = get_last_values(compared[0]) if compared else {}
    if len(compared) < 2:
        return first
    differing: set[str] = set()
    for series_by_tag in compared[1:]:
        if not differing.issuperset(series_by_tag):
            # A tag that one of two runs lacks does not count as different.
            values = get_last_values(series_by_tag)
            differing.update(tag for tag, value in values.items() if first.setdefault(tag, value) != value)
    return differing


class TagRank(IntEnum):
    """Importance of a tag; the lowest comes first."""

    VALIDATION_METRIC = 0
    METRIC = 1
    DIFFERING = 2
    EQUAL = 3
    """All runs have the same value."""


def rank_tag(tag: str, settings: Settings, differing: Container[str]) -> TagRank:
    """Return the importance of a tag."""
    if tag not in differing:
        return TagRank.EQUAL
    if find_metric_direction(tag, settings) is None or has_word(tag, SPEED) or _is_bound(tag, differing):
        return TagRank.DIFFERING
    return TagRank.VALIDATION_METRIC if is_validation(tag) else TagRank.METRIC


def _is_bound(tag: str, differing: Container[str]) -> bool:
    base_tag = _BOUND.sub("", tag)
    return base_tag != tag and base_tag in differing


def order_tags(
    tags: Sequence[str], counts: Mapping[str, int], settings: Settings, differing: Container[str]
) -> ColumnOrder:
    """Return tags by coverage, then importance; equal ones keep their order.

    Args:
        tags: Tags in natural order.
        counts: Number of runs that hold each tag.
        settings: May name the better end of a tag.
        differing: Tags whose values differ between runs.
    """
    max_count = max((counts.get(tag, 0) for tag in tags), default=0)
    ranked: list[tuple[bool, TagRank, int]] = []
    sparse = []
    for index, tag in enumerate(tags):
        count = counts.get(tag, 0)
        if count * SPARSE_DIVISOR < max_count:
            sparse.append(tag)
        else:
            ranked.append((count * COMMON_DIVISOR < max_count, rank_tag(tag, settings, differing), index))
    ranked.sort()
    return ColumnOrder(tuple(tags[index] for _, _, index in ranked), tuple(sparse))


def count_leading_metrics(directions: Sequence[Best | None]) -> int:
    """Return the number of metrics that come before the hyperparameters.

    Args:
        directions: Better end of each tag in order; None for a tag that is no metric.
    """
    return next(
        (index for index, best in enumerate(directions[:LEADING_METRICS]) if best is None),
        min(len(directions), LEADING_METRICS),
    )


def insert_hparams(order: Sequence[str], hparams: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Return the columns with hyperparameters after the leading metrics; without metrics they come first."""
    leading = count_leading_metrics([find_metric_direction(tag, settings) for tag in order[:LEADING_METRICS]])
    return (*order[:leading], *hparams, *order[leading:])
