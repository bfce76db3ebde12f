"""The pane of the Text tab: what its keys and the mouse do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.loading.texts import TextRefused
from tbtui.plugins.text import words
from tbtui.plugins.text.listed import Place, text_title
from tbtui.plugins.text.looking import TextLooking
from tbtui.viewstate.changes import superseded_switched
from tbtui.widgets.pane import Choose, CopyAsked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.text.list import TextRows
    from tbtui.plugins.text.page import TextPage
    from tbtui.plugins.text.view import DocumentView
    from tbtui.widgets.file_writing import Written
    from tbtui.widgets.row_list import RowList


class TextPane(TextLooking):
    """Texts by tag, run and step."""

    UNUSED = frozenset({"next_x_axis", "next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "Text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "read", id="text.open", tooltip="give the keys to the text"),
        Binding("m", "switch_raw", "raw", id="text.raw", tooltip="Markdown or raw"),
        Binding("f,ctrl+f", "find", "find", id="text.find", tooltip="find in this text"),
        Binding("n", "next_match(1)", "next", id="text.next", tooltip="next match"),
        Binding("N", "next_match(-1)", show=False, id="text.previous", tooltip="match before"),
        Binding("space", "mark", "mark", id="text.mark", tooltip="mark, to compare with others"),
        Binding("d", "compare", "diff", id="text.compare", tooltip="compare with marked, or last"),
        Binding("left_square_bracket", "step(1)", show=False, id="text.older", tooltip="older text"),
        Binding("right_square_bracket", "step(-1)", show=False, id="text.newer", tooltip="newer text"),
        Binding("W", "switch_wrap", show=False, id="text.wrap", tooltip="wrap lines as written"),
        Binding("u", "switch_superseded", show=False, id="text.superseded", tooltip="superseded texts"),
        Binding("i", "about", "about", show=False, id="text.about", tooltip="about this text"),
        Binding("w", "write", "write", show=False, id="text.write", tooltip="write texts to a file"),
        Binding("y", "copy", "copy", show=False, id="text.copy", tooltip="copy the text"),
        Binding("C", "copy_path", show=False, id="text.copy_path", tooltip="copy the run's path"),
        Binding("escape", "back", "back", id="text.back", tooltip="one layer back"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._clicked: str | None = None
        """Key of the row that the cursor has come to by the last click."""

    # What happens

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Another row is under the cursor."""
        event.stop()
        self._clicked = self.rows.cursor_key
        self.look()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A click on a row that was chosen already opens it: its steps, or the text."""
        event.stop()
        came, self._clicked = self._clicked == self.rows.cursor_key, None
        place = self.place_chosen
        if came or self.listed is None or place is None:
            return
        series = place.run, place.tag
        if place.point is None and len(self.listed.points[series]) > 1:
            self.fold(series, fold=self._is_unfolded(place))
        else:
            self.open()

    def on_text_rows_folded(self, event: TextRows.Folded) -> None:
        """A key folds or unfolds the series under the cursor."""
        event.stop()
        place = self.place_chosen
        if self.listed is None or place is None:
            return
        series = place.run, place.tag
        if len(self.listed.points[series]) > 1 and self._is_unfolded(place) == event.fold:
            self.fold(series, fold=event.fold)

    def _is_unfolded(self, place: Place) -> bool:
        return self.listed is not None and any(
            other[:2] == place[:2] and other.point is not None for other in self.listed.places.values()
        )

    def on_document_view_scrolled(self, event: DocumentView.Scrolled) -> None:
        """At its beginning the newest text is followed again."""
        event.stop()
        self.look()

    def on_document_view_resized(self, event: DocumentView.Resized) -> None:
        """Lines are broken elsewhere."""
        event.stop()
        self.look()

    def on_text_page_left(self, event: TextPage.Left) -> None:
        """The pattern is typed: the keys go to the text that is searched."""
        event.stop()
        self.open()

    def on_descendant_focus(self) -> None:
        """The title tells where the keys go."""
        self.say_titles()

    def on_descendant_blur(self) -> None:
        """Likewise."""
        self.say_titles()

    def on_resize(self) -> None:
        """List and text stand elsewhere."""
        self.place()

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered."""
        if action == "back":
            return self.leads_back
        if action == "open":
            return not self.page.view.has_focus
        return action != "next_match" or self.page.is_searched

    def action_open(self) -> None:
        """Give the keys to the text."""
        self.open()

    def action_back(self) -> None:
        """Take the topmost layer away: what was searched for, the comparison, the text."""
        if self.page.is_searched:
            self.page.forget()
        elif self.compares:
            self._compare(on=False)
        else:
            self.close()
        self.say_titles()
        self.refresh_bindings()

    def action_switch_raw(self) -> None:
        """Show texts as they were written, or as the Markdown they are."""
        if self.view is not None:
            self.post_message(Choose(text_raw=not self.view.choices.text_raw))

    def action_switch_wrap(self) -> None:
        """Break lines that stand as they were written, or scroll sideways to their ends."""
        if self.view is not None:
            self.post_message(Choose(text_wrap=not self.view.choices.text_wrap))

    def action_switch_superseded(self) -> None:
        """List superseded texts, or no longer."""
        self.post_message(Choose(superseded_switched))

    def action_find(self) -> None:
        """Have a pattern typed that is set off in the text."""
        if not self.page.display:
            self.open()
        self.page.find()

    def action_next_match(self, count: int) -> None:
        """Look at another match."""
        self.page.next_match(count)

    def action_mark(self) -> None:
        """Mark the text on the screen, or no longer."""
        if self.wanted is not None:
            text = self.wanted.text
            place = Place(text.run.name, text.series.tag, text.point)
            self.marked = None if self.marked == place else place
            self.list_again()

    def action_compare(self) -> None:
        """Show how the text differs from the marked one, or from the one before it; or no longer."""
        self._compare(on=not self.compares)

    def _compare(self, *, on: bool) -> None:
        self.compares = on
        self.look()
        self.refresh_bindings()

    def action_step(self, older: int) -> None:
        """Go to an older or a newer text of the same tag of the same run."""
        if self.listed is not None and self.wanted is not None:
            place = self.listed.beside(self.wanted.text, older)
            if place is not None:
                self.go_to(place)

    # What is known of a text, and its bytes

    def action_about(self) -> None:
        """Tell what is known of the text."""
        from tbtui.plugins.text.about import about
        from tbtui.widgets.info import open_info

        wanted, view = self.wanted, self.view
        if wanted is not None and view is not None:
            title = f"about {text_title(wanted.text.series.tag)} at step {wanted.text.step}"
            open_info(self.app, self.background, title, lambda: about(self.texts, view, wanted.text))

    def action_write(self) -> None:
        """Write the text, or more of them, to a file."""
        from tbtui.plugins.text.writing import FIELDS, Writing
        from tbtui.widgets.form import FormScreen

        if self.wanted is None or self.listed is None:
            return
        text = self.wanted.text
        writing = Writing(self.payloads, self.listed, text)
        title = safe(f"write {text_title(text.series.tag)} at step {text.step}")
        self.app.push_screen(FormScreen(title, FIELDS, writing, slow=True, cancel=writing.stop), self._say_written)

    def _say_written(self, written: Written | None) -> None:
        if written is not None:
            self.notify(safe(f"{counted(written.rows, 'text')} in {written.path}"), title="written", markup=False)

    def action_copy(self) -> None:
        """Put the text on the clipboard."""
        if self.wanted is not None:
            self.background.ask("copy", partial(self._copied, self.wanted), self._copy, self._say_failed)

    def _copied(self, wanted: Any) -> Iterator[str]:
        yield words.copied(self.texts, wanted)

    def _copy(self, text: str) -> None:
        if len(text.encode()) > words.LONGEST_COPY:
            self.notify(words.TOO_LONG_TO_COPY, severity="warning", markup=False)
            return
        self.app.copy_to_clipboard(text)
        lines = counted(text.count("\n") + 1, "line")
        self.notify(f"copied {lines}", markup=False)

    def _say_failed(self, error: Exception) -> None:
        told = str(error) if isinstance(error, TextRefused) else f"{type(error).__name__}: {error}"
        self.notify(safe(told), severity="warning", markup=False)

    def action_copy_path(self) -> None:
        """Ask for the path of the run on the clipboard."""
        if self.wanted is not None:
            self.post_message(CopyAsked(self.wanted.text.run.name))
