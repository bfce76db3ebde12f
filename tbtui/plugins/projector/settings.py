"""Settings of the projector."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tbtui.settings.declaration import Option, Setting
from tbtui.settings.kinds import MappingOf, String

if TYPE_CHECKING:
    from collections.abc import Mapping

EMBEDDING: Setting[str] = Setting("projector.embedding", default="", kind=String())
"""Run and name of the embedding that was shown last, in two lines."""

NO_VIEWS: Mapping[str, str] = MappingProxyType({})
VIEWS: Setting[Mapping[str, str]] = Setting("projector.views", default=NO_VIEWS, kind=MappingOf(String()))
"""Saved views as bookmarks in JSON, by the name of the embedding, a line end, and their own name."""

POINT: Setting[str] = Setting(
    "point",
    default="",
    kind=String(),
    option=Option("point whose nearest are shown, by label or number", "NAME", commands=("print", "export")),
    is_kept=False,
)
"""Point under the cursor at the start; `tbtui print` lists its nearest points."""

PIXELS: Setting[bool] = Setting(
    "projector.pixels",
    label="map in pixels",
    values=(False, True),
    value_labels=("dots", "pixels"),
    action="pixels",
)
"""Draw the map in pixels of the terminal after a moment without a key, if the terminal can."""

SETTINGS = (EMBEDDING, VIEWS, POINT, PIXELS)
