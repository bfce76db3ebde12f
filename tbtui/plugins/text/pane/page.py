"""The page of one text: its title, its lines, and a search bar."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from tbtui.plugins.text.pane import titles
from tbtui.plugins.text.pane.document_view import DocumentView
from tbtui.plugins.text.read import TextReadError
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from textual.app import ComposeResult

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.text.document import Document, DocumentRequest, Form, Texts
    from tbtui.plugins.text.search import SearchResult
    from tbtui.widgets.worker import Worker


READING_SECONDS = 0.15
"""Seconds that the text before stays on the screen: a blank between two texts would flicker."""


class TextPage(Vertical):
    """Show one text, or the difference of two.

    Args:
        worker: Thread that makes documents and searches in them.
        texts: Cache of the documents; only the worker thread uses it.
        changed: Callback for another document or form on the page.
    """

    DEFAULT_CSS = """
    TextPage { width: 1fr; height: 1fr; }
    TextPage > Line, TextPage > FilterBar { display: none; }
    TextPage > .shown { display: block; }
    """

    class Left(Message):
        """The search bar gives up the focus."""

    def __init__(self, worker: Worker, texts: Texts, changed: Callable[[], None]) -> None:
        super().__init__()
        self.view = DocumentView()
        self.form: Form | None = None
        """Form of the text; None while a message takes its place."""

        self.waits = False
        """True until the first result of the last request."""

        self._texts, self._changed = texts, changed
        self._request_key: Hashable = None
        """Key of the last request; None if the request may be repeated."""

        self._shown: Hashable = None
        """The texts that are shown; None while a message is."""

        self._titles = Line(), Line()
        self._bar = FilterBar("find in this text …")
        self._worker = worker
        self._pattern = ""
        self._found: SearchResult | None = None

    def compose(self) -> ComposeResult:
        yield from self._titles
        yield self.view
        yield self._bar

    # What is shown

    def show_titles(self, *titles: tuple[Piece, ...]) -> None:
        """Show one or two title lines."""
        for line, pieces in zip(self._titles, (*titles, (), ())[:2], strict=True):
            line.set_class(bool(pieces), "shown")
            line.show(pieces)

    def read(self, request: DocumentRequest) -> None:
        """Show a text as soon as it is read. Does nothing if it is shown or requested already."""
        if request.key == self._request_key:
            return
        self._request_key, self.waits = request.key, True
        make_documents, take = partial(self._texts.make_documents, request), partial(self._take, request)
        self._worker.ask("document", make_documents, take, partial(self._refuse, request))
        if self.waits and self._shown != request.texts:
            start_timer(self, READING_SECONDS, partial(self._show_reading, request))

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message, and drop the last request."""
        self._request_key, self.waits = None, False
        self._show_message(headline, hint)

    def _show_message(self, headline: str, hint: str = "") -> None:
        self._shown, self.form, self._found = None, None, None
        self.view.show_message(headline, hint)
        self._note()

    def _show_reading(self, request: DocumentRequest) -> None:
        """Show that a slow text is being read: no other text stays below its title."""
        if self.waits and request.key == self._request_key:
            self._show_message(titles.READING)

    def _take(self, request: DocumentRequest, document: Document) -> None:
        if request.key != self._request_key:
            return
        self.waits = False
        shown, stays = self.view.document, self._shown == request.texts
        # What is read stays where it is until all of it stands in other lines.
        if not stays or document.whole or (shown is not None and document.continues(shown)):
            self._shown, self.form = request.texts, document.form
            if shown is None or not document.continues(shown):
                self._found = None  # which was in other lines
            self.view.show(document, stay=stays)
            if self._pattern:
                self._search(move=False)
        self._changed()

    def _refuse(self, request: DocumentRequest, error: Exception) -> None:
        if request.key != self._request_key:
            return
        self.waits = False
        reason = f"{type(error).__name__}: {error}"
        if isinstance(error, TextReadError):
            reason = f"{error}; {titles.HOW_TO_WRITE}" if error.is_large else str(error)
            if error.is_retryable:
                self._request_key = None
        self._show_message(titles.UNREADABLE, reason)
        self._changed()

    # Searching

    @property
    def is_searched(self) -> bool:
        """True while matches are highlighted."""
        return bool(self._pattern)

    def find(self) -> None:
        """Open the search bar."""
        self._bar.add_class("shown")
        self._bar.edit()

    def forget(self) -> None:
        """End the search."""
        self._pattern, self._found = "", None
        self._bar.remove_class("shown")
        self._bar.show_applied("")
        self._search(move=False)

    def go_to_match(self, count: int) -> None:
        """Move to another match."""
        self.view.go_to_match(count)
        self._note()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """Search while the pattern is typed."""
        event.stop()
        if event.pattern != self._pattern:
            self._pattern = event.pattern
            self._search(move=True)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """Keep the pattern, and give up the focus."""
        event.stop()
        if not self._pattern:
            self.forget()
        self.post_message(self.Left())

    def _search(self, *, move: bool) -> None:
        document, pattern = self.view.document, self._pattern
        if document is None:
            return

        def search() -> Iterator[SearchResult]:
            yield document.searchable.find(pattern)

        def show(result: SearchResult) -> None:
            if self.view.document is document and self._pattern == pattern:
                self._found = result
                self.view.show_found(result, move=move)
                self._note()

        self._worker.ask("search", search, show, self._notify_error)

    def _note(self) -> None:
        result = self._found
        if not self._pattern or result is None:
            self._bar.show_applied(self._pattern)
            return
        text = titles.matches_text(self.view.current, len(result), result.error, is_plain=result.is_plain)
        self._bar.show_applied(self._pattern, text)

    def _notify_error(self, error: Exception) -> None:
        self._bar.complain(f"{type(error).__name__}: {error}")
