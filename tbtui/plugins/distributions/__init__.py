"""The Distributions dashboard: how the quantiles of a tag's values move over the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin

if TYPE_CHECKING:
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.distributions.pane import DistributionsPane  # Textual is imported when the tab is opened

    return DistributionsPane


PLUGIN = Plugin("distributions", "Distributions", "histograms", frozenset({"histograms"}), _load_pane)
