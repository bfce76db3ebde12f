"""Which dashboards there are."""

from __future__ import annotations

import subprocess
import sys

from tbtui.plugins.registry import PLUGINS, tabs
from tbtui.widgets.pane import Pane


def test_registry_names_are_distinct_and_panes_load() -> None:
    assert len({plugin.name for plugin in PLUGINS}) == len(PLUGINS)
    assert all(issubclass(plugin.load_pane(), Pane) for plugin in tabs() if plugin.load_pane is not None)


def test_registry_order_is_the_order_of_tabs() -> None:
    assert list(tabs()) == [plugin for plugin in PLUGINS if plugin.load_pane is not None]
    assert tabs()[0].name == "scalars"
    assert len({plugin.title for plugin in tabs()}) == len(tabs())


def test_plugins_outside_panes_import_no_textual() -> None:
    code = (
        "import importlib, pkgutil, sys, tbtui.plugins\n"
        "for module in pkgutil.walk_packages(tbtui.plugins.__path__, 'tbtui.plugins.', onerror=lambda name: None):\n"
        "    if '.pane' not in module.name:\n"
        "        importlib.import_module(module.name)\n"
        "        assert 'textual' not in sys.modules, module.name\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
