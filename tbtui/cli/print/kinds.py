"""Find which of the printable dashboards have data in a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.registry import printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.base import Plugin
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.viewstate.view import View


def blocks_of(plugin: Plugin, view: View, options: PrintOptions) -> Iterator[Block]:
    """Return what is printed of a dashboard."""
    return iter(()) if plugin.text is None else plugin.text.blocks(view, options)


def printed_names(plugin: Plugin) -> frozenset[str]:
    """Return the plugin names of the series that are printed."""
    reads = None if plugin.text is None else plugin.text.reads
    return plugin.reads if reads is None else reads


def tags_of(view: View, plugin: Plugin) -> frozenset[str]:
    """Return the matching tags of a dashboard in the drawn runs."""
    held = (view.facts[run.name].tags.get(name, frozenset()) for run in view.runs for name in printed_names(plugin))
    return frozenset(tag for tag in frozenset[str]().union(*held) if view.tag_matches(tag))


def has_data(view: View, plugin: Plugin) -> bool:
    """Return True if the drawn runs hold anything of a dashboard that was asked for by name."""
    if plugin.text is None or plugin.text.filters_tags:
        return bool(tags_of(view, plugin))
    return any(name in view.facts[run.name].tags for run in view.runs for name in printed_names(plugin))


def first_with_data(view: View) -> Plugin:
    """Return the first dashboard with a matching tag; the first of all if there is none."""
    plugins = list(printed().values())
    return next((plugin for plugin in plugins if tags_of(view, plugin)), plugins[0])


def also_here(view: View, shown: Plugin) -> str:
    """Name the other data of the drawn runs: `also here: images (12 tags), text (1 tag)`; empty if there is none.

    Of dashboards that print the same series only the first is named.
    """
    from tbtui.charts.numbers import counted

    seen = {printed_names(shown)}
    found = []
    for name, plugin in printed().items():
        if printed_names(plugin) not in seen and (tags := tags_of(view, plugin)):
            seen.add(printed_names(plugin))
            found.append(f"{name} ({counted(len(tags), 'tag')})")
    return f"also here: {', '.join(found)} (--plugin NAME)" if found else ""
