"""All dashboards, in the order of their tabs. A new one is a folder beside this file and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins import audio, comparison, distributions, graphs, histograms, images, pr_curves, scalars, text

if TYPE_CHECKING:
    from tbtui.plugins.base import Plugin

PLUGINS: tuple[Plugin, ...] = (
    scalars.PLUGIN,
    comparison.PLUGIN,
    images.PLUGIN,
    audio.PLUGIN,
    histograms.PLUGIN,
    distributions.PLUGIN,
    graphs.PLUGIN,
    text.PLUGIN,
    pr_curves.PLUGIN,
)
