"""The controller of the Text tab: keys and messages become transitions of its session; list and page show it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.card import BACK_HINT
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.styled_text import GAP
from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.text.document import ADDED_SIGN, REMOVED_SIGN, DocumentRequest, Texts
from tbtui.plugins.text.pane import titles
from tbtui.plugins.text.pane.list_model import TextKey, TextLister, build_series_key, format_text_title, point_key
from tbtui.plugins.text.pane.list_widget import TextRows
from tbtui.plugins.text.pane.page import TextPage
from tbtui.plugins.text.pane.session import TextSession, arrange, key_of_text
from tbtui.plugins.text.read import TextReadError
from tbtui.plugins.text.settings import RAW, WRAP
from tbtui.view.changes import toggle_superseded
from tbtui.widgets.pane import ALL_FOLDED, STATUS_SHARE, Choose, CopyRequested, Pane
from tbtui.widgets.row_list import EDGE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from tbtui.charts.styled_text import Piece
    from tbtui.export.output import SavedFile
    from tbtui.plugins.text.pane.document_view import DocumentView
    from tbtui.plugins.text.pane.list_model import SeriesKey, TextListing
    from tbtui.plugins.text.read import TextPoint
    from tbtui.view.view import View
    from tbtui.widgets.row_list import RowList

MIN_FORM_WIDTH = 72
"""Minimum columns in which the title names the form of the text next to the way back."""


class TextPane(Pane):
    """Show a list of texts, and the text under its cursor or how it differs from another.

    The newest text of a run is followed while its beginning is visible.

    Args:
        payloads: Reader of the event files; shared by all panes of an app.
    """

    DEFAULT_CSS = """
    TextPane { layout: horizontal; padding-left: 1; }
    TextPane.above { layout: vertical; }
    TextPane.above TextPage > Line { background: $panel; }
    TextPane.above:ansi TextPage > Line { background: ansi_default; }
    """

    BINDING_GROUP_TITLE = "Text"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "read", id="text.open", tooltip="focus the text"),
        Binding("m", "switch_raw", "raw", id="text.raw", tooltip="Markdown or raw"),
        Binding("slash", "find", "find", id="text.find", tooltip="find in this text"),
        Binding("n", "next_match(1)", "next", id="text.next", tooltip="next match"),
        Binding("N", "next_match(-1)", show=False, id="text.previous", tooltip="previous match"),
        Binding("space", "mark", "mark", id="text.mark", tooltip="select for comparing"),
        Binding("d", "compare", "diff", id="text.compare", tooltip="compare with the selected, or last"),
        Binding("left_square_bracket", "step(1)", show=False, id="text.older", tooltip="older text"),
        Binding("right_square_bracket", "step(-1)", show=False, id="text.newer", tooltip="newer text"),
        Binding("f", "switch_wrap", show=False, id="text.wrap", tooltip="wrap lines as written"),
        Binding("u", "switch_superseded", show=False, id="text.superseded", tooltip="texts overwritten by a restart"),
        Binding("i", "about", "about", show=False, id="text.about", tooltip="about this text"),
        Binding("w", "write", "write", show=False, id="text.write", tooltip="write texts to a file"),
        Binding("y", "copy", "copy", show=False, id="text.copy", tooltip="copy the text"),
        Binding("C", "copy_path", show=False, id="text.copy_path", tooltip="copy the run's path"),
        Binding("escape", "back", "back", id="text.back", tooltip="back"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.texts = Texts(payloads or Payloads())
        """Used by the worker thread alone."""

        self.rows, self.page = TextRows(), TextPage(self.worker, self.texts, self.show_titles)
        self.session = TextSession()
        self.listed: TextListing | None = None
        """The list on the screen."""

        self.request: DocumentRequest | None = None
        """The text that is shown, or about to be."""

        self._builder = TextLister()
        self._row_width = 0
        """Columns of a row of the list."""

    def compose(self) -> ComposeResult:
        yield self.rows
        yield self.page

    # What the app asks for

    def status(self) -> str:
        if self.listed is None:
            return ""
        max_width = int(self.app.size.width * STATUS_SHARE) - 1
        return titles.format_status(self.listed, wraps=self.request is None or self.request.wrap)[:max_width]

    def reveal(self, tag: str) -> None:
        listed = self.listed
        text_keys = {} if listed is None else listed.text_keys
        key = next((key for key, text_key in text_keys.items() if text_key.tag == tag), None)
        if key is not None:
            self.rows.move_to_key(key)
            self.close()

    def prepare(self, view: View) -> Iterator[TextListing]:
        yield self._builder.list(view, self.session.folds, self.session.marked, self._row_width)

    def present(self, prepared: TextListing) -> None:
        former_status, self.listed = self.status(), prepared
        if self.status() != former_status:
            self.refresh_bindings()  # the footer reads the status again
        if not prepared.rows:
            self.request = None
            self.show_message(*ALL_FOLDED)
            return
        headings = {row.key for row in prepared.rows if prepared.text_keys[row.key].is_heading}
        self.rows.show_list(prepared.rows, headings)
        pending = self.session.pending_key
        if pending is not None and pending in prepared.text_keys:
            self.rows.move_to_key(pending)
            self.session = self.session.expect_row(None)
        self.place_widgets()
        self.show_text()

    def show_message(self, headline: str, hint: str = "") -> None:
        super().show_message(headline, hint)
        self.place_widgets()

    def _list_again(self) -> None:
        """List the same texts again: their folds, the mark or the width have changed."""
        if self.view is not None:
            self.show(self.view)

    # The text under the cursor

    @property
    def chosen_key(self) -> TextKey | None:
        """TextKey under the cursor of the list; None without rows, and while the rows are not those of the list."""
        return None if self.listed is None else self.listed.text_keys.get(self.rows.cursor_key or "")

    def show_text(self) -> None:
        """Show the text under the cursor."""
        text, listed = self._get_chosen_text(), self.listed
        width = self.page.view.size.width - 1
        if self.view is None or listed is None or text is None or width < 1 or not self.page.display:
            return
        session, settings = self.session, self.view.settings
        before = session.find_compared(listed, text) if session.is_comparing else None
        self.request = request = DocumentRequest(text, before, RAW.value(settings), WRAP.value(settings), width)
        if session.is_comparing and before is None:
            self.page.show_message(
                titles.explain_no_comparison(session.marked, key_of_text(text)), titles.HOW_TO_COMPARE
            )
        else:
            self.page.read(request)
        self.show_titles()

    def _get_chosen_text(self) -> TextPoint | None:
        """Return the text under the cursor; for a run its newest one, or the one that is scrolled already."""
        listed, text_key = self.listed, self.chosen_key
        if listed is None or text_key is None:
            return None
        known = self.request and self.request.text
        if (
            known
            and self.page.view.top
            and text_key.point is None
            and (known.run.name, known.series.tag) == text_key[:2]
        ):
            return listed.find(known) or listed.at(text_key)
        return listed.at(text_key)

    @property
    def leads_back(self) -> bool:
        """True while escape has a layer to take away."""
        return self.page.is_searched or self.session.is_comparing or self.page.view.has_focus

    def show_titles(self) -> None:
        """Show which text is read, and in which form."""
        request, listed, width = self.request, self.listed, self.page.size.width - 1
        if request is None or listed is None or width < 1:
            return
        inks, text = listed.view.inks, request.text
        form = titles.READING_BRIEF if self.page.waits else titles.FORMS[self.page.form] if self.page.form else ""
        notes: list[Piece] = [(form, Ink.DIM)] if form and (not self.leads_back or width >= MIN_FORM_WIDTH) else []
        text_key = self.chosen_key
        if text_key is not None and text_key.point is None:
            # The list may be of a later snapshot than the text.
            newest = listed.at(TextKey(text.run.name, text.series.tag, None))
            if newest is not None and newest.point != text.point:
                notes.insert(0, titles.build_newer_note(int(newest.series.steps[newest.point])))
        notes += [(BACK_HINT, Ink.DIM)] if self.leads_back else []
        right = [piece for note in notes for piece in (GAP, note)][1:]
        compared = () if request.before is None else (request.before.run.name, text.run.name)
        runs = tuple(dict.fromkeys(compared)) or tuple(run.name for run in listed.view.runs)
        title = partial(titles.draw_title, width=width, has_keys=self.page.has_focus_within, runs=runs)
        if request.before is None:
            self.page.show_titles(title(text, inks.get(text.run.name, 0), right))
        else:
            first = title(request.before, inks.get(request.before.run.name, 0), (), sign=REMOVED_SIGN)
            self.page.show_titles(first, title(text, inks.get(text.run.name, 0), right, sign=ADDED_SIGN))

    # Where list and text are placed

    def place_widgets(self) -> None:
        """Place list and text for the size of the pane."""
        size = self.size
        if self.listed is None or not size.width:
            return
        areas = arrange(size.width, size.height, len(self.listed.rows), opened=self.session.is_opened)
        self.set_class(areas.list_height is not None, "above")
        self.rows.styles.width = "1fr" if areas.list_width is None else areas.list_width
        self.rows.styles.height = "1fr" if areas.list_height is None else areas.list_height
        is_empty = self.has_class("empty")
        self.rows.display, self.page.display = (
            areas.is_list_shown and not is_empty,
            areas.is_text_shown and not is_empty,
        )
        row_width = (areas.list_width or size.width) - EDGE_WIDTH
        if row_width != self._row_width:
            self._row_width = row_width
            self._list_again()

    def open(self) -> None:
        """Focus the text; it fills the pane if there is no room for both."""
        self.session = self.session.set_opened(on=True)
        self.place_widgets()
        self.page.view.focus(scroll_visible=False)
        self.show_text()

    def close(self) -> None:
        """Focus the list."""
        self.session = self.session.set_opened(on=False)
        self.place_widgets()
        self.rows.focus(scroll_visible=False)

    def fold(self, key: SeriesKey, fold: bool) -> None:
        """List one row for a series, or one row for each of its texts."""
        self.session = self.session.set_fold(key, fold=fold)
        if fold:
            self.rows.move_to_key(build_series_key(*key))
        self._list_again()

    def go_to(self, text_key: TextKey) -> None:
        """Move the cursor to a text; its series is unfolded for it."""
        if self.listed is None or text_key.point is None:
            return
        key = point_key(text_key.run, text_key.tag, text_key.point)
        if key in self.listed.text_keys:
            self.rows.move_to_key(key)
        else:
            self.session = self.session.expect_row(key)
            self.fold((text_key.run, text_key.tag), fold=False)

    # Messages

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """Show the text of the row that the cursor has moved to."""
        event.stop()
        self.session = self.session.click(self.rows.cursor_key)
        self.show_text()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open a row by a second click: unfold its texts, or focus the text."""
        event.stop()
        is_first, self.session = self.session.clicked_key == self.rows.cursor_key, self.session.click(None)
        text_key = self.chosen_key
        if is_first or self.listed is None or text_key is None:
            return
        series = text_key.run, text_key.tag
        if text_key.point is None and len(self.listed.points[series]) > 1:
            self.fold(series, fold=self.listed.is_unfolded(series))
        else:
            self.open()

    def on_text_rows_folded(self, event: TextRows.Folded) -> None:
        """Fold or unfold the series under the cursor."""
        event.stop()
        text_key = self.chosen_key
        if self.listed is None or text_key is None:
            return
        series = text_key.run, text_key.tag
        if len(self.listed.points[series]) > 1 and self.listed.is_unfolded(series) == event.fold:
            self.fold(series, fold=event.fold)

    def on_text_rows_all_folded(self, event: TextRows.AllFolded) -> None:
        """Fold all series; unfold them if all are folded."""
        event.stop()
        listed = self.listed
        if listed is None:
            return
        several = [series for series, points in listed.points.items() if len(points) > 1]
        fold = any(map(listed.is_unfolded, several))
        text_key = self.chosen_key
        for series in several:
            self.session = self.session.set_fold(series, fold=fold)
        if fold and text_key is not None:
            self.rows.move_to_key(build_series_key(text_key.run, text_key.tag))
        self._list_again()

    def on_document_view_scrolled(self, event: DocumentView.Scrolled) -> None:
        """Follow the newest text again once its beginning is visible."""
        event.stop()
        self.show_text()

    def on_document_view_resized(self, event: DocumentView.Resized) -> None:
        """Break the lines for another width."""
        event.stop()
        self.show_text()

    def on_text_page_left(self, event: TextPage.Left) -> None:
        """Focus the searched text: the pattern is complete."""
        event.stop()
        self.open()

    def on_descendant_focus(self) -> None:
        """Show in the title where the keys go."""
        self.show_titles()

    def on_descendant_blur(self) -> None:
        """Show in the title where the keys go."""
        self.show_titles()

    def on_resize(self) -> None:
        """Place list and text again."""
        self.place_widgets()

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        if action == "back":
            return self.leads_back
        if action == "open":
            return not self.page.view.has_focus
        return action != "next_match" or self.page.is_searched

    def action_open(self) -> None:
        """Focus the text."""
        self.open()

    def action_back(self) -> None:
        """Take the topmost layer away: the search, the comparison, the text."""
        if self.page.is_searched:
            self.page.forget()
        elif self.session.is_comparing:
            self._compare(on=False)
        else:
            self.close()
        self.show_titles()
        self.refresh_bindings()

    def action_switch_raw(self) -> None:
        """Switch between rendered Markdown and the text as it was written."""
        if self.view is not None:
            self.post_message(Choose(RAW.next))

    def action_switch_wrap(self) -> None:
        """Switch between wrapping unrendered lines and scrolling sideways."""
        if self.view is not None:
            self.post_message(Choose(WRAP.next))

    def action_switch_superseded(self) -> None:
        """Switch whether superseded texts are listed."""
        self.post_message(Choose(toggle_superseded))

    def action_find(self) -> None:
        """Open the search bar; matches are highlighted in the text."""
        if not self.page.display:
            self.open()
        self.page.find()

    def action_next_match(self, count: int) -> None:
        """Move to another match."""
        self.page.go_to_match(count)

    def action_mark(self) -> None:
        """Mark the shown text, or remove its mark."""
        if self.request is not None:
            self.session = self.session.toggle_mark(key_of_text(self.request.text))
            self._list_again()

    def action_compare(self) -> None:
        """Switch between the text and its difference from the marked or the previous one."""
        if not self.page.display:
            self.open()
        self._compare(on=not self.session.is_comparing)

    def _compare(self, *, on: bool) -> None:
        self.session = self.session.set_comparison(on=on)
        self.show_text()
        self.refresh_bindings()

    def action_step(self, older: int) -> None:
        """Move to an older (positive) or newer text of the same tag and run."""
        if self.listed is not None and self.request is not None:
            text_key = self.listed.neighbour(self.request.text, older)
            if text_key is not None:
                self.go_to(text_key)

    # Details of a text, and its bytes

    def action_about(self) -> None:
        """Show details of the text."""
        from tbtui.plugins.text.pane.details import format_about_lines
        from tbtui.widgets.text_page import open_text_page

        request, view = self.request, self.view
        if request is not None and view is not None:
            title = f"about {format_text_title(request.text.series.tag)} at step {request.text.step}"
            open_text_page(self.app, self.worker, title, lambda: format_about_lines(self.texts, view, request.text))

    def action_write(self) -> None:
        """Write this text, or several, to a file."""
        from tbtui.plugins.text.pane.details import TextWriter, write_fields
        from tbtui.widgets.form import FormScreen

        if self.request is None or self.listed is None:
            return
        text = self.request.text
        writer = TextWriter(self.payloads, self.listed, text)
        title = safe(f"write {format_text_title(text.series.tag)} at step {text.step}")
        self.app.push_screen(
            FormScreen(title, write_fields(text), writer, slow=True, cancel=writer.stop), self._notify_written
        )

    def _notify_written(self, written: SavedFile | None) -> None:
        if written is not None:
            self.notify(safe(f"{format_count(written.rows, 'text')} in {written.path}"), title="written", markup=False)

    def action_copy(self) -> None:
        """Copy the text to the clipboard."""
        if self.request is not None:
            self.worker.ask("copy", partial(self._copy_text, self.request), self._copy, self._notify_error)

    def _copy_text(self, request: Any) -> Iterator[str]:
        yield titles.build_clipboard_text(self.texts, request)

    def _copy(self, text: str) -> None:
        if len(text.encode()) > titles.MAX_COPY_BYTES:
            self.notify(titles.TOO_LONG_TO_COPY, severity="warning", markup=False)
            return
        self.app.copy_to_clipboard(text)
        lines = format_count(text.count("\n") + 1, "line")
        self.notify(f"copied {lines}", markup=False)

    def _notify_error(self, error: Exception) -> None:
        message = str(error) if isinstance(error, TextReadError) else f"{type(error).__name__}: {error}"
        self.notify(safe(message), severity="warning", markup=False)

    def action_copy_path(self) -> None:
        """Ask the app to copy the path of the run."""
        if self.request is not None:
            self.post_message(CopyRequested(self.request.text.run.name))
