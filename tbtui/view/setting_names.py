"""Short names of runs whose names hold settings, as those of sweeps: the settings that differ, `lr=3e-4 vit seed=1`."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.charts.text import ELLIPSIS
from tbtui.frozen import frozen
from tbtui.view.run_tree import measure_common_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SETTING = re.compile(r"(?<![^/_, ])(?:[^\W\d_]+_){0,3}[^/_, =]+=[^/_, ]*")
"""A `key=value`; up to three words before an underscore belong to the key, as in `weight_decay=0.1`."""

_VALUE = re.compile(r"(?<![^/, =])(?P<key>[^/, =]+)=(?P<value>[^/, ]*)")
"""A setting whose value may hold underscores, as in `model=vit_base`; it ends at a slash, a comma or a blank.

The look behind keeps long names without settings fast: the search starts once a word, not at each of its characters.
"""

MIN_SETTINGS = 2
"""Settings that a name must hold: a name of one setting is short enough to be cut like any other."""

MIN_WORD = 3
"""Characters of a value that are kept, such as `vit` of `vit_base_patch16_224`."""

MAX_NAMES = 3000
"""More names are not compared: their settings would take longer than a frame."""

_JOINTS = re.compile(r"(?<=[A-Za-z0-9])(?=[_.-])")


@frozen
class _Table:
    """The settings that differ between names, one column per key."""

    keys: tuple[str, ...]
    """Last parts of the keys, as far as they are unique: `lr` of `optimizer.lr`."""

    rows: tuple[tuple[str, ...], ...]
    """Values of each name."""

    others: tuple[str, ...]
    """Other differences between the names, such as `adam` of `adam/lr=1,seed=2`; empty texts if nothing does."""

    writers: tuple[str, ...]
    """Processes that wrote the runs: `rank1` of `lr=1,seed=2 [rank1]`; empty texts if all are the same, or none is."""


def shorten_to_settings(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield names shortened to their differing settings, the longest texts first; none without settings.

    All names must hold the same keys. Settings that all share are left out, and so are numbers of jobs, if the settings
    alone keep the names distinct.
    """
    if len(names) > MAX_NAMES or (table := _build_table(tuple(names))) is None:
        return
    columns = tuple(zip(*table.rows, strict=True))
    brief = tuple(zip(*map(_shorten_values, columns), strict=True))
    words = tuple(map(_is_word, columns))
    without_word_keys = tuple("" if word else key for key, word in zip(table.keys, words, strict=True))
    yield _format_settings(table, table.rows, table.keys)
    table = replace(table, writers=_strip_common_prefix(table.writers))
    yield _format_settings(table, brief, without_word_keys)
    briefest = tuple(zip(*(_shorten_values(column, at_joints=False) for column in columns), strict=True))
    table = replace(table, writers=_shorten_writers(table.writers))
    yield _format_settings(table, briefest, _abbreviate_keys(without_word_keys), sign="")
    yield _format_settings(table, briefest, ("",) * len(table.keys))


@lru_cache(maxsize=64)
def _build_table(names: tuple[str, ...]) -> _Table | None:
    """Return the differing settings; None if the names have too few, or different keys."""
    trimmed = [_WRITER.sub("", name) for name in names]
    matches = [{match["key"]: match["value"] for match in _VALUE.finditer(name)} for name in trimmed]
    if len(set(names)) < 2 or len(matches[0]) < MIN_SETTINGS or len({tuple(settings) for settings in matches}) > 1:
        return None
    differing = [key for key in matches[0] if len({settings[key] for settings in matches}) > 1]
    rows = tuple(tuple(settings[key] for key in differing) for settings in matches)
    others, writers = _find_other_parts(trimmed), _find_writers(names)
    if len(set(zip(others, rows, writers, strict=True))) < len(set(names)):
        return None  # a number of a job, or what is not a setting, is all that differs
    return _Table(_shorten_keys(differing), rows, others, writers) if differing else None


_WRITER = re.compile(r" \[(?P<writer>[^\[\]]*)\]$")
"""The process that wrote a run, at the end of its name."""


def _find_writers(names: Sequence[str]) -> tuple[str, ...]:
    """Return the writers that names end with; empty texts where all are the same."""
    matches = map(_WRITER.search, names)
    writers = tuple("" if match is None else match["writer"] for match in matches)
    return writers if len(set(writers)) > 1 else ("",) * len(names)


def _strip_common_prefix(writers: Sequence[str]) -> tuple[str, ...]:
    """Return writers without their common prefix: `1` of `rank1`."""
    common = measure_common_label(sorted({writer for writer in writers if writer}))
    return tuple(writer[common:] for writer in writers)


MIN_WRITER = 2
"""Characters of a writer that are kept at its end."""


def _shorten_writers(writers: Sequence[str]) -> tuple[str, ...]:
    """Return the shortest ends of writers that stay distinct, marked as cut: `…28` of `17000000028`."""
    longest = max(map(len, writers), default=0)
    for length in range(MIN_WRITER, longest):
        ends = tuple(f"{ELLIPSIS}{writer[-length:]}" if len(writer) > length + 1 else writer for writer in writers)
        if len(set(ends)) == len(set(writers)):
            return ends
    return tuple(writers)


def _find_other_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of the names that differ and are neither settings nor numbers."""
    columns = [[part for part in re.split(r"[/, ]+", _VALUE.sub("", name)) if part] for name in names]
    if len(set(map(len, columns))) > 1:
        return ("",) * len(names)
    differing = [
        parts
        for parts in zip(*columns, strict=True)
        if len(set(parts)) > 1 and any(any(map(str.isalpha, part)) for part in parts)
    ]
    return tuple(" ".join(parts) for parts in zip(*differing, strict=True)) if differing else ("",) * len(names)


def _shorten_keys(keys: Sequence[str]) -> tuple[str, ...]:
    short = [key.rpartition(".")[2] or key for key in keys]
    return tuple(key if short.count(last) > 1 else last for key, last in zip(keys, short, strict=True))


def _abbreviate_keys(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the first characters of keys, as in `lr1e-4 s0`; full keys where these would be ambiguous."""
    short = [key if len(key) <= 2 else key[0] for key in keys]
    return tuple(key if short.count(first) > 1 else first for key, first in zip(keys, short, strict=True))


def _is_word(values: Sequence[str]) -> bool:
    """Return True if values are words that are clear without their key."""
    return all(value[:1].isalpha() and len(value) >= MIN_WORD for value in values) and not set(values) <= _TRUTHS


_TRUTHS = frozenset({"true", "false", "True", "False", "none", "None", "null", "yes", "no", "off"})


def _shorten_values(values: Sequence[str], *, at_joints: bool = True) -> tuple[str, ...]:
    """Return values that stay distinct in fewer characters: numbers with exponents, words cut at their ends.

    Args:
        values: Values of one setting.
        at_joints: Cut words only before an underscore, a hyphen or a full stop.
    """
    distinct = set(values)
    shorter = {value: _shorten_number(value) for value in distinct}
    if _is_word(values):
        ends = {
            value: _find_word_ends(value) if at_joints else [*range(MIN_WORD, len(value) + 1)] for value in distinct
        }
        for index in range(max(map(len, ends.values()))):
            shortened = {value: value[: lengths[min(index, len(lengths) - 1)]] for value, lengths in ends.items()}
            if len(set(shortened.values())) == len(distinct):
                shorter = shortened
                break
    return tuple(shorter[value] for value in values)


def _find_word_ends(word: str) -> list[int]:
    """Return the lengths at which a word may end, ascending."""
    return [*(match.start() for match in _JOINTS.finditer(word) if match.start() >= MIN_WORD), len(word)]


def _shorten_number(text: str) -> str:
    """Return `3e-4` for `0.0003`: the same number in fewer characters."""
    try:
        value = float(text)
    except ValueError:
        return text
    mantissa, _, exponent = f"{value:.6e}".partition("e")
    brief = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}" if exponent else text
    return brief if len(brief) < len(text) and float(brief) == value else text


def _format_settings(
    table: _Table, rows: Sequence[Sequence[str]], keys: Sequence[str], *, sign: str = "="
) -> tuple[str, ...]:
    """Return one text for each name; each value follows its key and `sign`, or stands alone if the key is empty."""
    shown = []
    for other, row, writer in zip(table.others, rows, table.writers, strict=True):
        settings = (f"{key}{sign}{value}" if key else value for key, value in zip(keys, row, strict=True))
        shown.append(" ".join(filter(None, (other, *settings, f"[{writer}]" if writer else ""))))
    return tuple(shown)
