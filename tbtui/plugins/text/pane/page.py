"""The page that shows one text: what it is, its lines, and a bar to search in it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from tbtui.loading.texts import TextRefused
from tbtui.plugins.text.pane import titles
from tbtui.plugins.text.pane.document_view import DocumentView
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from textual.app import ComposeResult

    from tbtui.plugins.text.document import Document, Form, Texts, Wanted
    from tbtui.plugins.text.search import Found
    from tbtui.widgets.background import Background
    from tbtui.widgets.line import Piece


READING_AFTER = 0.15
"""Seconds that the text before stays on the screen: a blank between two texts would flicker."""


class TextPage(Vertical):
    """One text, or the difference of two.

    Args:
        background: Makes documents and searches in them.
        texts: What documents are made of; for the background thread alone.
        changed: Called when it shows something else, or in another form.
    """

    DEFAULT_CSS = """
    TextPage { width: 1fr; height: 1fr; }
    TextPage > Line, TextPage > FilterBar { display: none; }
    TextPage > .shown { display: block; }
    """

    class Left(Message):
        """The keys go back from the bar to whoever had them."""

    def __init__(self, background: Background, texts: Texts, changed: Callable[[], None]) -> None:
        super().__init__()
        self.view = DocumentView()
        self.form: Form | None = None
        """How the text is shown; None while words stand in its place."""

        self.waits = False
        """Whether nothing has come yet of what was asked for."""

        self._texts, self._changed = texts, changed
        self._asked: Hashable = None
        """What was asked for, as long as there is nothing to ask again."""

        self._shown: Hashable = None
        """Which texts are shown; None while words are."""

        self._titles = Line(), Line()
        self._bar = FilterBar("find in this text …")
        self._background = background
        self._pattern = ""
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

    def read(self, wanted: Wanted) -> None:
        """Show this as soon as it is there; nothing when it is shown already, or on its way."""
        if wanted.key == self._asked:
            return
        self._asked, self.waits = wanted.key, True
        make, take = partial(self._texts.documents, wanted), partial(self._take, wanted)
        self._background.ask("document", make, take, partial(self._refuse, wanted))
        if self.waits and self._shown != wanted.texts:
            start_timer(self, READING_AFTER, partial(self._say_reading, wanted))

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words, and nothing that was asked for."""
        self._asked, self.waits = None, False
        self._say(headline, hint)

    def _say(self, headline: str, hint: str = "") -> None:
        self._shown, self.form, self._found = None, None, None
        self.view.say(headline, hint)
        self._note()

    def _say_reading(self, wanted: Wanted) -> None:
        """No other text stays below the title of one that takes long to read."""
        if self.waits and wanted.key == self._asked:
            self._say(titles.READING)

    def _take(self, wanted: Wanted, document: Document) -> None:
        if wanted.key != self._asked:
            return
        self.waits = False
        shown, stays = self.view.document, self._shown == wanted.texts
        # What is read stays where it is until all of it stands in other lines.
        if not stays or document.whole or (shown is not None and document.continues(shown)):
            self._shown, self.form = wanted.texts, document.form
            if shown is None or not document.continues(shown):
                self._found = None  # which was in other lines
            self.view.show(document, stay=stays)
            if self._pattern:
                self._search(move=False)
        self._changed()

    def _refuse(self, wanted: Wanted, error: Exception) -> None:
        if wanted.key != self._asked:
            return
        self.waits = False
        told = f"{type(error).__name__}: {error}"
        if isinstance(error, TextRefused):
            told = f"{error}; {titles.HOW_TO_WRITE}" if error.is_large else str(error)
            if error.may_pass:
                self._asked = None
        self._say(titles.UNREADABLE, told)
        self._changed()

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
        told = titles.found_words(self.view.current, len(found), found.error, is_plain=found.is_plain)
        self._bar.show_applied(self._pattern, told)

    def _say_failed(self, error: Exception) -> None:
        self._bar.complain(f"{type(error).__name__}: {error}")
