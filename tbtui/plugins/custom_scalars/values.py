"""Layouts of one run, for the Python API."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tbtui.api.values import Value, Values
from tbtui.plugins.custom_scalars.read import parse_layout_value

if TYPE_CHECKING:
    from tbtui.api.values import ValueLocation
    from tbtui.plugins.custom_scalars.layout import Layout


class LoggedLayout(Value):
    """Layout of custom scalars as it was logged at a step.

    Raises:
        PayloadError: The value cannot be read.
    """

    @cached_property
    def layout(self) -> Layout:
        """Its categories and their charts."""
        return self._location.decode(parse_layout_value)


class LoggedLayouts(Values[LoggedLayout]):
    """Layouts of a tag: `layouts[-1].layout.categories`."""

    plugin = "custom_scalars"

    def _value(self, location: ValueLocation) -> LoggedLayout:
        return LoggedLayout(location)
