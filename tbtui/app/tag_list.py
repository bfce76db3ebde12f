"""The tags of the sidebar, or the outline of the open pane, below their groups."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.app.sidebar_rows import (
    build_outline_rows,
    build_tag_rows,
)
from tbtui.charts.text import safe
from tbtui.view.changes import toggle_groups
from tbtui.view.tag_tree import find_foldable_groups, make_group_key
from tbtui.widgets.pane import Choose
from tbtui.widgets.row_list import EDGE_WIDTH, RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.app.state import AppState
    from tbtui.view.tag_tree import TagRow
    from tbtui.widgets.pane import Outline, OutlineRow


class TagList(RowList):
    """Lists tags below their groups. A tag leads to its card, a group can be folded."""

    BINDING_GROUP_TITLE = "Tags"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "reveal", "go to chart", id="tag_list.reveal"),
        Binding("space", "fold", "fold", tooltip="fold", id="tag_list.toggle"),
        Binding("y", "copy", show=False, tooltip="copy the name", id="tag_list.copy_name"),
        Binding("left,h", "fold(True)", show=False, tooltip="fold", id="tag_list.fold"),
        Binding("right,l", "fold(False)", show=False, tooltip="unfold", id="tag_list.unfold"),
        Binding("asterisk", "fold_all", show=False, tooltip="fold all", id="tag_list.fold_all"),
    ]

    class Revealed(Message):
        """The user wants to see the card of a tag, or an item of the outline by its key."""

        def __init__(self, tag: str) -> None:
            super().__init__()
            self.tag = tag

    class GroupFolded(Message):
        """The user wants to fold or unfold a group of the outline."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tree: Sequence[TagRow] = ()
        self._state: AppState | None = None
        self._outline: Outline | None = None

    def show_state(self, state: AppState, outline: Outline | None = None) -> None:
        """List the tags of an app state, or the outline of the open pane."""
        self._state, self._outline = state, outline
        if not self.size.width:  # `on_resize` fits the rows to the first width
            return
        if outline is not None:
            self._tree = ()
            width = max(self.size.width - EDGE_WIDTH, 0)
            self.show_rows(build_outline_rows(outline.rows, width), "no match" if outline.names else "empty")
            return
        width = max(self.size.width - EDGE_WIDTH, 0)
        rows, self._tree = build_tag_rows(state.tags, state.settings.hidden_groups, width)
        self.show_rows(rows, "no tag matches" if state.all_tags else "no tags")

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        if self._state is not None:
            self.show_state(self._state, self._outline)

    @property
    def _tag_row(self) -> TagRow | None:
        """The line of the tag tree under the cursor."""
        return self._tree[self._cursor] if self._tree else None

    @property
    def _outline_row(self) -> OutlineRow | None:
        """The row of the outline under the cursor."""
        rows = () if self._outline is None else self._outline.rows
        return next((row for row in rows if row.key == self.cursor_key), None)

    def action_reveal(self) -> None:
        """Request the card of the tag; on a group, fold or unfold it."""
        if (item := self._outline_row) is not None and not item.is_group:
            self.post_message(self.Revealed(item.key))
            return
        row = self._tag_row
        if row is not None and row.tag is not None:
            self.post_message(self.Revealed(row.tag))
        else:
            self.action_fold()

    def action_copy(self) -> None:
        """Copy the whole name of the tag, or of the item."""
        item, row = self._outline_row, self._tag_row
        name = item.label if item is not None else None if row is None else row.tag
        if name is not None:
            self.app.copy_to_clipboard(safe(name))
            self.app.notify(f"copied: {name}")

    def action_fold(self, fold: bool | None = None) -> None:
        """Fold or unfold the group of the tag under the cursor, and move the cursor to the group.

        Under a filter all groups are unfolded and cannot be folded.

        Args:
            fold: The wanted state; None: the other one.
        """
        if self._outline is not None:
            self._fold_group(fold)
            return
        row, state = self._tag_row, self._state
        if row is None or state is None or state.settings.tag_filter or (row.tag is not None and row.depth == 0):
            return
        hidden = state.settings.hidden_groups
        is_folded = row.group in hidden
        if is_folded == fold:
            return
        self.move_to_key(make_group_key(row.group))
        self.post_message(Choose(hidden_groups=hidden - {row.group} if is_folded else hidden | {row.group}))

    def action_fold_all(self) -> None:
        """Fold all groups; unfold them if all are folded. Under a filter all groups are unfolded."""
        state = self._state
        if self._outline is not None:
            groups = [row for row in self._outline.rows if row.is_group]
            fold = not all(row.folded for row in groups)
            for row in groups:
                if row.folded != fold:
                    self.post_message(self.GroupFolded(row.key))
        elif state is not None and not state.settings.tag_filter:
            self.post_message(Choose(partial(toggle_groups, groups=find_foldable_groups(state.tags))))

    def _fold_group(self, fold: bool | None) -> None:
        """Request the other state of the group of the outline under the cursor, and move the cursor to it."""
        rows = () if self._outline is None else self._outline.rows
        cursor = next((index for index, row in enumerate(rows) if row.key == self.cursor_key), -1)
        group = next((row for row in reversed(rows[: cursor + 1]) if row.is_group), None)
        if group is not None and group.folded != fold:
            self.move_to_key(group.key)
            self.post_message(self.GroupFolded(group.key))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open the card of the clicked tag, or fold the clicked group."""
        event.stop()
        self.action_reveal()
