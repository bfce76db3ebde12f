"""What a dashboard is to the rest of the app. Imports no Textual: panes are loaded when first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.widgets.pane import Pane


@frozen
class Plugin:
    """A dashboard: one folder under `tbtui/plugins` and one line in the registry."""

    name: str
    """As on disk and in `--tab`: `scalars`, `histograms`, …"""

    title: str
    """On the tab."""

    shows: str
    """What it shows, in the plural: `no images in the runs that are shown`."""

    reads: frozenset[str]
    """Plugin names of the series it shows; the tab appears once a run holds one."""

    load_pane: Callable[[], type[Pane]]
    """Imports the pane's module and returns its class."""
