"""Pure transitions of the Text tab, and the arrangement of its pane, as tables: no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.text.pane.list_model import TextKey
from tbtui.plugins.text.pane.session import Arrangement, TextSession, arrange, key_of_text
from tests.helpers.text_logs import TextLogs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HERE, THERE = TextKey("a", "notes", 2), TextKey("b", "notes", 0)


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (lambda session: session.toggle_mark(HERE), {}, {"marked": HERE}),
        (lambda session: session.toggle_mark(HERE), {"marked": HERE}, {}),
        (lambda session: session.toggle_mark(HERE), {"marked": THERE}, {"marked": HERE}),
        (lambda session: session.set_comparison(on=True), {"marked": HERE}, {"marked": HERE, "is_comparing": True}),
        (lambda session: session.set_comparison(on=False), {"is_comparing": True}, {}),
        (lambda session: session.set_opened(on=True), {}, {"is_opened": True}),
        (lambda session: session.set_opened(on=False), {"is_opened": True}, {}),
        (
            lambda session: session.set_fold(("a", "notes"), fold=True),
            {"folds": {("b", "notes"): False}},
            {"folds": {("b", "notes"): False, ("a", "notes"): True}},
        ),
        (
            lambda session: session.set_fold(("a", "notes"), fold=False),
            {"folds": {("a", "notes"): True}},
            {"folds": {("a", "notes"): False}},
        ),
        (lambda session: session.expect_row("p"), {}, {"pending_key": "p"}),
        (lambda session: session.expect_row(None), {"pending_key": "p"}, {}),
        (lambda session: session.click("p"), {"clicked_key": "q"}, {"clicked_key": "p"}),
    ],
)
def test_transition_changes_only_its_field(
    change: Callable[[TextSession], TextSession], before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert change(TextSession(**before)) == TextSession(**after)


@pytest.mark.parametrize(
    ("marked", "chosen", "expected"),
    [
        (None, HERE, TextKey("a", "notes", 1)),
        (None, TextKey("a", "notes", 0), TextKey("b", "notes", 0)),
        (THERE, HERE, THERE),
        (HERE, HERE, None),
        (TextKey("gone", "notes", 0), HERE, None),
        (TextKey("a", "notes", 9), HERE, None),
    ],
)
def test_session_compared_with_marked_older_or_other_run(
    tmp_path: Path, marked: TextKey | None, chosen: TextKey, expected: TextKey | None
) -> None:
    logs = TextLogs(tmp_path / "logs")
    logs.add("a", {"notes": {1: "one", 2: "two", 3: "three"}})
    logs.add("b", {"notes": {1: "other"}})
    listed = logs.listed()
    text = listed.at(chosen)
    assert text is not None
    found = TextSession(marked=marked).find_compared(listed, text)
    assert (None if found is None else key_of_text(found)) == expected


@pytest.mark.parametrize(
    ("width", "height", "opened", "expected"),
    [
        (120, 40, False, Arrangement(40, None)),
        (300, 40, False, Arrangement(42, None)),
        (72, 5, True, Arrangement(26, None)),
        (71, 15, True, Arrangement(None, 4)),
        (71, 9_000, False, Arrangement(None, 4)),
        (71, 14, False, Arrangement(None, None, is_text_shown=False)),
        (71, 14, True, Arrangement(None, None, is_list_shown=False)),
    ],
)
def test_arrange_fits_list_and_text_to_pane(width: int, height: int, opened: bool, expected: Arrangement) -> None:
    assert arrange(width, height, 4, opened=opened) == expected
