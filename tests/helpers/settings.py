"""Make settings by name, those of dashboards too."""

from __future__ import annotations

from typing import Any

from tbtui.plugins.registry import list_plugin_settings
from tbtui.settings.declaration import apply_entries
from tbtui.settings.settings import Settings


def settings_of(base: Settings | None = None, /, **values: Any) -> Settings:
    """Return settings with values by name: fields of `Settings`, or settings of dashboards such as `histogram_look`."""
    return apply_entries(base or Settings(), values, list_plugin_settings())
