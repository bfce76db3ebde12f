from __future__ import annotations

import pytest

from tbtui.charts.card import choose_note, draw_card
from tbtui.charts.cells import Cells

NOTES = ("step 440 · AUC .985", "AUC .985", "✗")


@pytest.mark.parametrize(
    ("title", "width", "note"),
    [
        ("loss", 40, "step 440 · AUC .985"),
        ("loss", 30, "step 440 · AUC .985"),
        ("loss", 29, "AUC .985"),
        ("loss", 18, "✗"),
        ("a title that is far too long", 30, "✗"),
        ("a title that is far too long", 15, ""),
    ],
)
def test_as_much_is_told_as_leaves_the_title_whole(title: str, width: int, note: str) -> None:
    assert choose_note(NOTES, title, width) == note
    top = draw_card(title, Cells.blank(0, 0), width, 3, note=note).get_row_text(0)
    assert note in top
    assert len(title) > 20 or f" {title} " in top
