"""Texts about data of a log that no dashboard shows."""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING

from tbtui.charts.numbers import format_count
from tbtui.plugins.registry import PLUGINS
from tbtui.store.snapshot import ASSET_PLUGINS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tbtui.loading.assets import RunAssets


def format_asset_lines(assets: Iterable[RunAssets]) -> list[str]:
    """Return one line per run with embeddings or profiles: `train: 1 profile of gpu1`.

    Data that no dashboard shows are marked: `train: 1 profile of gpu1, not shown yet`.
    """
    unshown = ASSET_PLUGINS.difference(_list_supported_plugins())
    return [
        _run_line(entry.run, [*entry.describe(ASSET_PLUGINS - unshown), *_mark_unsupported(entry, unshown)])
        for entry in assets
    ]


def describe_unshown_assets(assets: Iterable[RunAssets]) -> list[str]:
    """Return one line per run with embeddings or profiles that no dashboard shows."""
    unshown = ASSET_PLUGINS.difference(_list_supported_plugins())
    return [_run_line(entry.run, texts) for entry in assets if (texts := _mark_unsupported(entry, unshown))]


def _list_supported_plugins() -> frozenset[str]:
    return frozenset(chain.from_iterable(plugin.reads for plugin in PLUGINS))


def list_shown_plugins() -> frozenset[str]:
    """Return the plugins whose tags a dashboard shows, or `describe_unshown_assets` names."""
    return _list_supported_plugins() | ASSET_PLUGINS


def _mark_unsupported(entry: RunAssets, kinds: frozenset[str]) -> list[str]:
    return [f"{text}, not shown yet" for text in entry.describe(kinds)]


def _run_line(run: str, texts: Iterable[str]) -> str:
    return f"{'' if run == os.curdir else f'{run}: '}{'; '.join(texts)}"


def format_unshown_lines(
    assets: Sequence[RunAssets], tags_by_run: Iterable[Mapping[str, Collection[str]]]
) -> tuple[str, ...]:
    """Return one line for each kind of data that no dashboard shows.

    Args:
        assets: Embeddings and profiles next to the event files.
        tags_by_run: Tags by plugin name, of each run.
    """
    shown = list_shown_plugins()
    tags: dict[str, set[str]] = {}
    for by_plugin in tags_by_run:
        for plugin in by_plugin.keys() - shown:
            tags.setdefault(plugin, set()).update(by_plugin[plugin])
    return (
        *describe_unshown_assets(assets),
        *(_format_tags_line(plugin, len(names)) for plugin, names in sorted(tags.items())),
    )


def _format_tags_line(plugin: str, count: int) -> str:
    """Return `my_plugin: 3 tags, not shown yet`; data of old writers may have no plugin."""
    tags = format_count(count, "tag")
    return f"{plugin}: {tags}, not shown yet" if plugin else f"{tags} without a plugin, not shown yet"
