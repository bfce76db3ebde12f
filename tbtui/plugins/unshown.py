"""Data of a log that no dashboard shows, in words."""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING

from tbtui.charts.numbers import counted
from tbtui.plugins.registry import PLUGINS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tbtui.loading.assets import RunAssets


def asset_lines(assets: Iterable[RunAssets]) -> list[str]:
    """Return one line per run with embeddings or profiles: `train: 1 profile of gpu1, not shown yet`."""
    return [f"{'' if entry.run == os.curdir else f'{entry.run}: '}{'; '.join(entry.descriptions)}" for entry in assets]


def unshown_lines(assets: Sequence[RunAssets], tags_by_run: Iterable[Mapping[str, Collection[str]]]) -> tuple[str, ...]:
    """Return one line for each kind of data that no dashboard shows.

    Args:
        assets: Embeddings and profiles beside the event files.
        tags_by_run: Tags by plugin name, of each run.
    """
    known = frozenset(chain.from_iterable(plugin.reads for plugin in PLUGINS))
    tags: dict[str, set[str]] = {}
    for by_plugin in tags_by_run:
        for plugin in by_plugin.keys() - known:
            tags.setdefault(plugin, set()).update(by_plugin[plugin])
    return (
        *asset_lines(assets),
        *(
            f"{plugin or '(no plugin)'}: {counted(len(names), 'tag')}, not shown yet"
            for plugin, names in sorted(tags.items())
        ),
    )
