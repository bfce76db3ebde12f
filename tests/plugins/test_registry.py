"""Which dashboards there are."""

from __future__ import annotations

import subprocess
import sys

from tbtui.cli.options.parser import get_option_name
from tbtui.plugins.registry import GENERAL_EXPORTS, PLUGINS, list_exports, list_plugin_settings, list_tabs
from tbtui.settings.settings import SETTINGS
from tbtui.widgets.pane import Pane
from tests import toy_dashboard

OLD_NAMES = frozenset(
    (
        *("figure", "deltas", "sort_tag", "sort_descending", "run_names", "layout"),
        *("image_brightness", "image_contrast", "image_comparison", "image_steps", "image_sights"),
        *("audio_look", "step_rows", "player", "histogram_look", "heat_scale", "bucket_rows"),
        *("graph", "graph_view", "graph_colour", "graph_aside", "graph_across", "graph_devices", "graph_looks"),
        *("graph_sort", "graph_descending", "text_raw", "text_wrap", "threshold", "point"),
    )
)
"""Names of settings before names of dashboards; settings files have them. No new name is added here."""


def test_registry_names_are_distinct_and_panes_load() -> None:
    assert len({plugin.name for plugin in PLUGINS}) == len(PLUGINS)
    assert all(issubclass(plugin.load_pane(), Pane) for plugin in list_tabs() if plugin.load_pane is not None)


def test_registry_order_is_the_order_of_tabs() -> None:
    assert list(list_tabs()) == [plugin for plugin in PLUGINS if plugin.load_pane is not None]
    assert list_tabs()[0].name == "scalars"
    assert len({plugin.title for plugin in list_tabs()}) == len(list_tabs())


def test_registry_settings_have_distinct_names_and_options() -> None:
    declared = (*SETTINGS.values(), *list_plugin_settings())
    assert len({each.name for each in declared}) == len(declared)
    assert len({get_option_name(each) for each in declared}) == len(declared)
    assert all(each.initial in each.values for each in list_plugin_settings() if each.values)


def test_registry_new_setting_has_the_name_of_its_dashboard_in_front() -> None:
    named = [(plugin.name, each.name) for plugin in (*PLUGINS, toy_dashboard.PLUGIN) for each in plugin.settings]
    assert [name for plugin, name in named if not name.startswith(f"{plugin}.") and name not in OLD_NAMES] == []
    assert {name for _, name in named} >= OLD_NAMES


def test_registry_accessors_facts_and_exports_are_declared_once() -> None:
    for names in ([name for plugin in PLUGINS for name in plugin.accessors], [n for p in PLUGINS for n in p.facts]):
        assert len(set(names)) == len(names)
    assert len(list_exports()) == sum(len(plugin.exports) for plugin in PLUGINS) + len(GENERAL_EXPORTS)


def test_registry_import_loads_neither_numpy_nor_protobuf() -> None:
    code = (
        "import sys, tbtui.plugins.registry\nsys.exit(bool({'numpy', 'google', 'rich', 'textual'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_plugins_outside_panes_import_no_textual() -> None:
    code = (
        "import importlib, pkgutil, sys, tbtui.plugins\n"
        "for module in pkgutil.walk_packages(tbtui.plugins.__path__, 'tbtui.plugins.', onerror=lambda name: None):\n"
        "    if '.pane' not in module.name:\n"
        "        importlib.import_module(module.name)\n"
        "        assert 'textual' not in sys.modules, module.name\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
