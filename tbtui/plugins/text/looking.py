"""The part of the Text tab that looks: a list of texts, and the one under the cursor or how it differs from another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.headline import BACK
from tbtui.loading.payloads import Payloads
from tbtui.plugins.text import words
from tbtui.plugins.text.arrangement import arranged
from tbtui.plugins.text.comparing import ADDED_SIGN, REMOVED_SIGN
from tbtui.plugins.text.data import Texts, Wanted
from tbtui.plugins.text.list import TextRows
from tbtui.plugins.text.listed import Place, point_key, series_key
from tbtui.plugins.text.lister import TextLister
from tbtui.plugins.text.page import TextPage
from tbtui.widgets.notice import Notice
from tbtui.widgets.pane import FOLDED, STATUS_SHARE, Pane

WITH_FORM_FROM = 72
"""Columns from which on it is told how a text is shown where the way back from it is told, too."""

EDGE_WIDTH = 2
"""Columns of a list that are no row's."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.app import ComposeResult

    from tbtui.loading.texts import TextPoint
    from tbtui.plugins.text.listed import Listed, SeriesKey
    from tbtui.viewstate.view import View
    from tbtui.widgets.line import Piece


class TextLooking(Pane):
    """Shows the text under the cursor of the list. The newest of a run is followed while its beginning is in sight."""

    DEFAULT_CSS = """
    TextLooking { layout: horizontal; padding-left: 1; }
    TextLooking.above { layout: vertical; }
    TextLooking.above TextPage > Line { background: $panel; }
    TextLooking.above:ansi TextPage > Line { background: ansi_default; }
    TextLooking > Notice { display: none; }
    TextLooking.empty > Notice { display: block; }
    TextLooking.empty > TextRows, TextLooking.empty > TextPage { display: none; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.texts = Texts(payloads or Payloads())
        """For the background thread alone."""

        self.rows, self.page = TextRows(), TextPage(self.background, self.texts, self.say_titles)

        self.listed: Listed | None = None
        """What is on the screen."""

        self.wanted: Wanted | None = None
        """What is shown, or about to be."""

        self.marked: Place | None = None
        """The text that others are compared with."""

        self.compares = False
        """Whether it is shown how two texts differ."""

        self._lister = TextLister()
        self._notice = Notice()
        self._folds: Mapping[SeriesKey, bool] = {}
        self._expected: str | None = None
        """Key of a row that is about to be listed, where the cursor shall go."""

        self._row_width = 0
        """Columns of a row of the list."""

        self._opened = False

    def compose(self) -> ComposeResult:
        """The list, the text, and words where there are none."""
        yield self.rows
        yield self.page
        yield self._notice

    # What the app asks for

    def status(self) -> str:
        """How many texts there are, and how the one on the screen is shown."""
        if self.listed is None:
            return ""
        room = int(self.app.size.width * STATUS_SHARE) - 1
        return words.status(self.listed, wraps=self.wanted is None or self.wanted.wrap)[:room]

    def reveal(self, tag: str) -> None:
        """Put the cursor on the first text of `tag`."""
        listed = self.listed
        places = {} if listed is None else listed.places
        key = next((key for key, place in places.items() if place.tag == tag), None)
        if key is not None:
            self.rows.move_to_key(key)
            self.close()

    # What the view shows

    def prepare(self, view: View) -> Iterator[Listed]:
        """The list of a view."""
        yield self._lister.list(view, self._folds, self.marked, self._row_width)

    def present(self, prepared: Listed) -> None:
        """Show another list, and the text under its cursor."""
        said, self.listed = self.status(), prepared
        if self.status() != said:
            self.refresh_bindings()  # whoever shows the status looks again
        if not prepared.rows:
            self.wanted = None
            self.say(*FOLDED)
            return
        self.remove_class("empty")
        headings = {row.key for row in prepared.rows if prepared.places[row.key].is_heading}
        self.rows.show_list(prepared.rows, headings)
        if self._expected is not None and self._expected in prepared.places:
            self.rows.move_to_key(self._expected)
            self._expected = None
        self.place()
        self.look()

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words instead of everything."""
        self.add_class("empty")
        self._notice.say(headline, hint)
        self.place()

    def list_again(self) -> None:
        """The same texts shall be listed otherwise."""
        if self.view is not None:
            self.show(self.view)

    # The text

    def look(self) -> None:
        """Show the text under the cursor."""
        text = self._text()
        width = self.page.view.size.width - 1
        if self.view is None or text is None or width < 1 or not self.page.display:
            return
        before = self.before(text) if self.compares else None
        choices = self.view.choices
        self.wanted = wanted = Wanted(text, before, choices.text_raw, choices.text_wrap, width)
        if self.compares and before is None:
            self.page.say(self._why_alone(text), words.HOW_TO_COMPARE)
        else:
            self.page.read(wanted)
        self.say_titles()

    @property
    def place_chosen(self) -> Place | None:
        """What the row under the cursor stands for; None without rows, and while they are not those of the list."""
        return None if self.listed is None else self.listed.places.get(self.rows.cursor_key or "")

    def _text(self) -> TextPoint | None:
        """The text under the cursor; where that is on a run its newest, or the one that is being read already."""
        listed, place = self.listed, self.place_chosen
        if listed is None or place is None:
            return None
        known = self.wanted and self.wanted.text
        if known and self.page.view.top and place.point is None and (known.run.name, known.series.tag) == place[:2]:
            return listed.still(known) or listed.at(place)
        return listed.at(place)

    def _why_alone(self, text: TextPoint) -> str:
        """Why there is nothing to compare a text with."""
        if self.marked is None:
            return words.NOTHING_OLDER
        return (
            words.SAME_TEXT if self.marked == Place(text.run.name, text.series.tag, text.point) else words.MARK_IS_GONE
        )

    def before(self, text: TextPoint) -> TextPoint | None:
        """The text that one is compared with: the marked one, otherwise the next older one of its run."""
        listed = self.listed
        if listed is None:
            return None
        place = self.marked or listed.beside(text, 1)
        is_listed = place is not None and place.point in listed.points.get((place.run, place.tag), ())
        found = listed.at(place) if place is not None and is_listed else None
        return None if found is None or found.place == text.place else found

    @property
    def leads_back(self) -> bool:
        """Whether there is anything that escape takes away."""
        return self.page.is_searched or self.compares or self.page.view.has_focus

    def say_titles(self) -> None:
        """Say which text is shown, and how."""
        wanted, listed, width = self.wanted, self.listed, self.page.size.width - 1
        if wanted is None or listed is None or width < 1:
            return
        inks, text = listed.view.inks, wanted.text
        form = words.READING_BRIEF if self.page.waits else words.FORMS[self.page.form] if self.page.form else ""
        told: list[Piece] = [(form, Ink.DIM)] if form and (not self.leads_back or width >= WITH_FORM_FROM) else []
        place = self.place_chosen
        if place is not None and place.point is None:
            # What is listed may be of a later snapshot than what is shown.
            newest = listed.at(Place(text.run.name, text.series.tag, None))
            if newest is not None and newest.point != text.point:
                told.insert(0, words.newer(int(newest.series.steps[newest.point])))
        told += [(BACK, Ink.DIM)] if self.leads_back else []
        right = [piece for each in told for piece in (words.GAP, each)][1:]
        of = partial(words.title, width=width, has_keys=self.page.has_focus_within)
        if wanted.before is None:
            self.page.show_titles(of(text, inks.get(text.run.name, 0), right))
        else:
            first = of(wanted.before, inks.get(wanted.before.run.name, 0), (), lead=REMOVED_SIGN)
            self.page.show_titles(first, of(text, inks.get(text.run.name, 0), right, lead=ADDED_SIGN))

    # Where both stand

    def place(self) -> None:
        """Place list and text as the size of the pane asks for."""
        size = self.size
        if self.listed is None or not size.width:
            return
        found = arranged(size.width, size.height, len(self.listed.rows), opened=self._opened)
        self.set_class(found.list_height is not None, "above")
        self.rows.styles.width = "1fr" if found.list_width is None else found.list_width
        self.rows.styles.height = "1fr" if found.list_height is None else found.list_height
        speaks = self.has_class("empty")
        self.rows.display, self.page.display = found.list_shown and not speaks, found.text_shown and not speaks
        row_width = (found.list_width or size.width) - EDGE_WIDTH
        if row_width != self._row_width:
            self._row_width = row_width
            self.list_again()

    def open(self) -> None:
        """Give the keys to the text, and all of the pane where there is no room for both."""
        self._opened = True
        self.place()
        self.page.view.focus(scroll_visible=False)
        self.look()

    def close(self) -> None:
        """Give the keys back to the list."""
        self._opened = False
        self.place()
        self.rows.focus(scroll_visible=False)

    def fold(self, key: SeriesKey, fold: bool) -> None:
        """List the texts of a series one by one, or no longer."""
        self._folds = {**self._folds, key: fold}
        if fold:
            self.rows.move_to_key(series_key(*key))
        self.list_again()

    def go_to(self, place: Place) -> None:
        """Put the cursor on a text; its series is unfolded for it."""
        if self.listed is None or place.point is None:
            return
        key = point_key(place.run, place.tag, place.point)
        if key in self.listed.places:
            self.rows.move_to_key(key)
        else:
            self._expected = key
            self.fold((place.run, place.tag), fold=False)
