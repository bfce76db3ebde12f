"""All dashboards, in the order of their tabs. A new one is a folder beside this file and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins import scalars

if TYPE_CHECKING:
    from collections.abc import Collection

    from tbtui.plugins.base import Plugin

PLUGINS: tuple[Plugin, ...] = (scalars.PLUGIN,)


def plugins_for(plugin_names: Collection[str]) -> tuple[Plugin, ...]:
    """The dashboards that show series of the given plugins, in the order of their tabs."""
    return tuple(plugin for plugin in PLUGINS if not plugin.reads.isdisjoint(plugin_names))
