"""The keys of the Images tab that open something over it: options, what a picture is, a file to write it to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.text import safe
from tbtui.plugins.images.words import written_word
from tbtui.viewstate.cursor import step_moved
from tbtui.viewstate.sample_cards import SampleCards
from tbtui.widgets.charts_pane import ChartsPane

if TYPE_CHECKING:
    from tbtui.graphics.capabilities import Way
    from tbtui.plugins.images.data import ImageData
    from tbtui.plugins.images.pixels import Pixels
    from tbtui.plugins.images.writing import WrittenImages


class ImageForms(ChartsPane[SampleCards]):
    """A pane of pictures, whose subclass shows them."""

    data: ImageData
    pixels: Pixels

    MOVED = staticmethod(step_moved)

    BINDING_GROUP_TITLE = "Images"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "options", "options", id="images.options", tooltip="options of all pictures"),
        Binding("i", "about", "about", id="images.about", tooltip="about this picture"),
        Binding("w", "write", "write", show=False, id="images.write", tooltip="write its bytes to a file"),
    ]

    @property
    def way(self) -> Way:
        """In which way pictures are shown."""
        raise NotImplementedError

    def action_options(self) -> None:
        """Set anything of all pictures."""
        from tbtui.plugins.images.forms import options_fields
        from tbtui.widgets.chart_forms import with_options

        if self.shown is not None:
            self.open_form(
                "options of all pictures",
                options_fields(self.shown.view.choices),
                dict,
                lambda entered: self.change(partial(with_options, entered=entered)),
            )

    def action_about(self) -> None:
        """Tell what is known of a picture beside what it shows."""
        from tbtui.plugins.images.about import about

        shown, key = self.shown, self.chart_key
        if shown is not None and key is not None and key in shown.cards.places:
            place, way = shown.cards.places[key], self.way
            self.tell(f"about {self.name_of(key)}", lambda: about(self.data, self.pixels, way, shown.view, key, place))

    def action_write(self) -> None:
        """Write the bytes of the picture that is shown to a file."""
        from tbtui.plugins.images.writing import Writing, fields

        shown, key = self.shown, self.chart_key
        if shown is None or key is None or key not in shown.cards.places:
            return
        writing = Writing(self.data.reader, shown.view, key, shown.cards.places[key])

        def say(written: WrittenImages) -> None:
            self.notify(safe(written_word(written)), title="written", markup=False)

        self.open_form(f"write {self.name_of(key)}", fields(), writing, say, slow=True, cancel=writing.stop)

    def name_of(self, key: str) -> str:
        """A card as a form is titled: with its run, which the card tells elsewhere."""
        cards = self.shown.cards if self.shown is not None else SampleCards()
        place = cards.places.get(key)
        return cards.title_of(key) if place is None else f"{cards.title_of(key)} of {place.run}"
