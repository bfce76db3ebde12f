"""The page that shows one text: what it is, its lines, and a bar to search in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from tbtui.plugins.text.view import DocumentView
from tbtui.plugins.text.words import found_words
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from tbtui.plugins.text.document import Document
    from tbtui.plugins.text.search import Found
    from tbtui.widgets.background import Background
    from tbtui.widgets.line import Piece


class TextPage(Vertical):
    """One text, or the difference of two.

    Args:
        background: Searches.
    """

    DEFAULT_CSS = """
    TextPage { width: 1fr; height: 1fr; }
    TextPage > Line, TextPage > FilterBar { display: none; }
    TextPage > .shown { display: block; }
    """

    class Left(Message):
        """The keys go back from the bar to whoever had them."""

    def __init__(self, background: Background) -> None:
        super().__init__()
        self.view = DocumentView()
        self._titles = Line(), Line()
        self._bar = FilterBar("find in this text …")
        self._background = background
        self._pattern = ""
        self._found_in: Document | None = None
        self._found: Found | None = None

    def compose(self) -> ComposeResult:
        """Titles, text, search."""
        yield from self._titles
        yield self.view
        yield self._bar

    # What is shown

    def show_titles(self, *titles: tuple[Piece, ...]) -> None:
        """Say what is shown, in one line or two."""
        for line, pieces in zip(self._titles, (*titles, (), ())[:2], strict=True):
            line.set_class(bool(pieces), "shown")
            line.show(pieces)

    def show(self, document: Document, *, stay: bool) -> None:
        """Show another document, or the same in other lines."""
        self.view.show(document, stay=stay)
        if self._pattern:
            self._search(move=False)

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words instead of a text."""
        self.view.say(headline, hint)
        self._found = None
        self._note()

    # Searching

    @property
    def is_searched(self) -> bool:
        """Whether something is set off that was searched for."""
        return bool(self._pattern)

    def find(self) -> None:
        """Have a pattern typed."""
        self._bar.add_class("shown")
        self._bar.edit()

    def forget(self) -> None:
        """Search no longer."""
        self._pattern, self._found = "", None
        self._bar.remove_class("shown")
        self._bar.show_applied("")
        self._search(move=False)

    def next_match(self, count: int) -> None:
        """Look at another match."""
        self.view.next_match(count)
        self._note()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """What is typed is searched for at once."""
        event.stop()
        if event.pattern != self._pattern:
            self._pattern = event.pattern
            self._search(move=True)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """The pattern stays, and the keys go elsewhere."""
        event.stop()
        if not self._pattern:
            self.forget()
        self.post_message(self.Left())

    def _search(self, *, move: bool) -> None:
        document, pattern = self.view.document, self._pattern
        if document is None:
            return

        def search() -> Iterator[Found]:
            yield document.searchable.find(pattern)

        def show(found: Found) -> None:
            if self.view.document is document and self._pattern == pattern:
                self._found = found
                self.view.show_found(found, move=move)
                self._note()

        self._background.ask("search", search, show, self._say_failed)

    def _note(self) -> None:
        found = self._found
        if not self._pattern or found is None:
            self._bar.show_applied(self._pattern)
            return
        words = found_words(self.view.current, len(found), found.error, is_plain=found.is_plain)
        self._bar.show_applied(self._pattern, words)

    def _say_failed(self, error: Exception) -> None:
        self._bar.complain(f"{type(error).__name__}: {error}")
