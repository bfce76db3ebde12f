"""Settings of the Custom dashboard."""

from __future__ import annotations

from tbtui.settings.declaration import Option, Setting
from tbtui.settings.kinds import FileText, Names, TextFile

MAX_LAYOUT_BYTES = 4 << 20
"""Size of a layout that is read: some 50,000 charts."""


def _check(content: str) -> None:
    from tbtui.plugins.custom_scalars.layout import read_layout_text

    read_layout_text(content)


LAYOUT: Setting[TextFile | None] = Setting(
    "layout",
    kind=FileText(_check, MAX_LAYOUT_BYTES),
    option=Option(
        "arrangement of the charts in Custom, as JSON: {category: {title: [kind, tags]}}",
        "FILE",
        commands=("print", "export"),
    ),
    is_kept=False,
)
"""File that arranges charts instead of the layouts that runs log."""

TOGGLED: Setting[frozenset[str]] = Setting("custom_scalars.toggled", default=frozenset(), kind=Names())
"""Keys of the categories that the user folded, or unfolded if the layout closes them."""
