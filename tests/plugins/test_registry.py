"""Which dashboards there are."""

from __future__ import annotations

import subprocess
import sys

from tbtui.plugins.registry import PLUGINS, tabs
from tbtui.widgets.pane import Pane


def test_registry_names_are_distinct_and_panes_load() -> None:
    assert len({plugin.name for plugin in PLUGINS}) == len(PLUGINS)
    assert all(issubclass(plugin.load_pane(), Pane) for plugin in tabs() if plugin.load_pane is not None)


def test_tabs_keep_the_order_of_the_registry() -> None:
    assert [(plugin.name, plugin.title) for plugin in tabs()] == [
        ("scalars", "Scalars"),
        ("comparison", "Compare"),
        ("images", "Images"),
        ("audio", "Audio"),
        ("histograms", "Histograms"),
        ("distributions", "Distributions"),
        ("graphs", "Graphs"),
        ("text", "Text"),
        ("pr_curves", "PR curves"),
    ]


def test_registry_and_data_of_dashboards_import_no_textual() -> None:
    code = (
        "import sys, tbtui.plugins.registry, tbtui.plugins.scalars.data, tbtui.plugins.scalars.painter\n"
        "import tbtui.plugins.comparison.data, tbtui.plugins.comparison.changes, tbtui.plugins.comparison.words\n"
        "import tbtui.plugins.distributions.painter, tbtui.plugins.histograms.painter\n"
        "import tbtui.plugins.images.painter, tbtui.plugins.images.pane_forms, tbtui.plugins.images.transitions\n"
        "import tbtui.plugins.pr_curves.painter, tbtui.plugins.pr_curves.forms, tbtui.plugins.pr_curves.writing\n"
        "import tbtui.plugins.audio.painter, tbtui.plugins.audio.pane_forms, tbtui.plugins.audio.pane_player\n"
        "import tbtui.plugins.graphs.data, tbtui.plugins.graphs.diagram_layout, tbtui.plugins.graphs.search\n"
        "import tbtui.plugins.graphs.search, tbtui.plugins.graphs.timeline, tbtui.plugins.graphs.pane.writing\n"
        "import tbtui.plugins.text.document, tbtui.plugins.text.pane.details, tbtui.plugins.text.pane.session\n"
        "sys.exit('textual' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
