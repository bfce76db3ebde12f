"""Which dashboards there are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tbtui.plugins.registry import PLUGINS, plugins_for
from tbtui.widgets.pane import Pane


@pytest.mark.parametrize(
    ("present", "names"),
    [((), []), (("scalars",), ["scalars"]), (("images", "scalars"), ["scalars"]), (("unheard_of",), [])],
)
def test_a_dashboard_is_there_when_its_data_is(present: tuple[str, ...], names: list[str]) -> None:
    assert [plugin.name for plugin in plugins_for(present)] == names


def test_names_are_distinct_and_every_pane_loads() -> None:
    assert len({plugin.name for plugin in PLUGINS}) == len(PLUGINS)
    assert all(issubclass(plugin.load_pane(), Pane) for plugin in PLUGINS)


def test_the_registry_and_the_data_of_dashboards_import_no_textual() -> None:
    code = (
        "import sys, tbtui.plugins.registry, tbtui.plugins.scalars.data, tbtui.plugins.scalars.painter\n"
        "sys.exit('textual' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
