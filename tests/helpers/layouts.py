"""Make views of runs that a layout arranges, without files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tbtui.plugins.custom_scalars.arrangement import ArrangementCache
from tbtui.plugins.custom_scalars.settings import LAYOUT
from tbtui.settings.kinds import TextFile
from tests.helpers.views import view

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View


def layout_view(document: Any, *runs: RunSnapshot, **settings: Any) -> tuple[View, ArrangementCache]:
    """Return a view of runs that a layout in PyTorch's JSON form arranges, and what lists its cards."""
    file = TextFile("layout.json", json.dumps(document))
    return view(*runs, plugin_settings={LAYOUT: file}, **settings), ArrangementCache()
