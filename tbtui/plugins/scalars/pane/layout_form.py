"""The form that writes a layout to a file, for Scalars and Custom. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.charts.numbers import format_count
from tbtui.widgets.file_saver import FileSaver, create_path_field
from tbtui.widgets.form_fields import Choice, FileForm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.custom_scalars.layout import Layout


class LayoutSaver(FileSaver):
    """Writes a layout as JSON."""

    no_data_error = LookupError
    no_data_field = "path"

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:  # noqa: ARG002 - there is one format
        yield self._layout.to_json()


def create_layout_form(layout: Layout) -> FileForm:
    """Return the form that asks for a file and writes a layout to it."""
    saver = LayoutSaver(layout)
    force = Choice("force", "replace", ((False, "no"), (True, "yes")), False, "replace an existing file")
    return FileForm(
        f"write a layout of {format_count(len(layout.charts), 'chart')}",
        (create_path_field("layout.json", "tbtui --layout FILE and PyTorch's add_custom_scalars take it"), force),
        saver,
        saver.stop,
        lambda written: f"{written.path}: use it with --layout",
    )
