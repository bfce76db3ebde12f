"""The tag tree of the sidebar: leads to a tag's card, and folds groups away."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.app.sidebar_rows import list_tags
from tbtui.widgets.pane import Choose
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.tag_tree import TagRow


class TagList(RowList):
    """Tags under their groups."""

    BINDING_GROUP_TITLE = "Tags"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "reveal", "go to chart"),
        Binding("space", "fold", "fold", tooltip="fold"),
        Binding("left,h", "fold(True)", show=False, tooltip="fold"),
        Binding("right,l", "fold(False)", show=False, tooltip="unfold"),
    ]

    class Revealed(Message):
        """A tag's card is asked for."""

        def __init__(self, tag: str) -> None:
            super().__init__()
            self.tag = tag

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tree: dict[str, TagRow] = {}
        self._outlook: Outlook | None = None
        self._listed: object = None
        self._hidden: frozenset[str] = frozenset()
        self._filtered = False

    def show_outlook(self, outlook: Outlook) -> None:
        """List the tags."""
        self._outlook = outlook
        self._hidden = outlook.choices.hidden_groups
        self._filtered = bool(outlook.choices.tag_filter)
        rows, tree = list_tags(outlook.tags, self._hidden, max(self.size.width - 2, 0))
        if tree is not self._listed:
            self._listed = tree
            self._tree = {row.key: row for row in tree}
        self.show_rows(rows, "no tag matches" if outlook.all_tags else "no tags")

    def on_resize(self) -> None:
        """There is room for more of the tags, or for less."""
        if self._outlook is not None:
            self.show_outlook(self._outlook)

    def action_reveal(self) -> None:
        """Bring the tag's card into sight; on a group, fold or unfold it."""
        row = self._tree.get(self.cursor_key or "")
        if row is not None and row.tag is not None:
            self.post_message(self.Revealed(row.tag))
        else:
            self.action_fold()

    def action_fold(self, fold: bool | None = None) -> None:
        """Fold the group under the cursor, from any of its tags; None turns what is. Under a filter nothing is folded.

        The cursor then stands on the group.
        """
        row = self._tree.get(self.cursor_key or "")
        if row is None or self._filtered or (row.tag is not None and row.depth == 0):
            return
        folded = row.group in self._hidden
        if folded == fold:
            return
        self.move_to_key(f"g{row.group}")
        self.post_message(Choose(hidden_groups=self._hidden - {row.group} if folded else self._hidden | {row.group}))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A click leads to the card, or folds the group."""
        event.stop()
        self.action_reveal()
