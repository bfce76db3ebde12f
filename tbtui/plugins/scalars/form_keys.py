"""The keys of the Scalars tab that open a form or a page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.plugins.scalars import changes
from tbtui.plugins.scalars.cards import Cards, joined_cards
from tbtui.viewstate.choices import Joint
from tbtui.viewstate.saved_fields import MOST_LINES
from tbtui.widgets.charts_pane import ChartsPane

if TYPE_CHECKING:
    from tbtui.viewstate.view import View
    from tbtui.widgets.card_grid import JoinAsked
    from tbtui.widgets.file_writing import Written


class FormKeys(ChartsPane[Cards]):
    """A pane of charts of which more can be set than there are keys for."""

    JOINS = True

    BINDING_GROUP_TITLE = "Charts"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "options", "options", id="scalars.options", tooltip="options of all charts"),
        Binding("e", "edit_chart", "this chart", show=False, id="scalars.chart", tooltip="ranges, lines of this"),
        Binding("M", "join", "join", show=False, id="scalars.join", tooltip="join by regex, or take apart"),
        Binding("i", "about", "about", show=False, id="scalars.about", tooltip="about this chart"),
        Binding("w", "write", "write", show=False, id="scalars.write", tooltip="write its data to a file"),
    ]

    def expect(self, key: str) -> None:
        """A card is about to come of others that are joined, or of one that is taken apart: the grid will show it."""
        self.grid.action_unmark()
        self.grid.expect_card(key)
        if self.opened.key is not None:
            self.close()

    def action_options(self) -> None:
        """Set anything of all charts."""
        from tbtui.plugins.scalars.forms import options_fields
        from tbtui.widgets.chart_forms import with_options

        if self.shown is not None:
            view = self.shown.view
            fields = options_fields(view.choices, tuple(view.snapshot.runs))
            self.open_form(
                "options of all charts",
                fields,
                dict,
                lambda entered: self.change(partial(with_options, entered=entered)),
            )

    def action_edit_chart(self) -> None:
        """Set what is of one chart alone."""
        from tbtui.plugins.scalars.forms import chart_fields, with_chart
        from tbtui.widgets.chart_forms import check_ranges

        key = self.chart_key
        if self.shown is not None and key is not None:
            view, cards = self.shown.view, self.shown.cards
            self.open_form(
                f"chart {cards.title_of(key)}",
                chart_fields(view.choices, key),
                partial(check_ranges, view.choices),
                lambda entered: self.change(partial(with_chart, key=key, entered=entered)),
            )

    # Joining

    def action_join(self) -> None:
        """Take a joined card apart; of a plain one, ask for a pattern of tags that are to share a chart."""
        if self.shown is None:
            return
        view, cards = self.shown.view, self.shown.cards
        key = self.chart_key
        joint = None if key is None else cards.joint_of(key)
        if key is not None and joint is not None:
            self.expect(cards.tags_of(key)[0])
            self.change(partial(changes.taken_apart, joint=joint))
        elif self._may_join(view):
            self._ask_pattern(view)

    def on_join_asked(self, message: JoinAsked) -> None:
        """Have one chart of the marked cards."""
        message.stop()
        if self.shown is None:
            return
        view, cards = self.shown.view, self.shown.cards
        tags = changes.tags_of(cards, message.keys)
        if len(tags) < 2:
            self.notify("mark another card with space to join the two", markup=False)
        elif self._may_join(view):
            self.expect(joined_cards(Joint(tags=tags), tags)[0].key)
            self.change(partial(changes.joined, cards=cards, keys=message.keys))

    def _may_join(self, view: View) -> bool:
        if len(view.choices.joints) < MOST_LINES:
            return True
        self.notify(f"{MOST_LINES} joined charts at most", severity="warning", markup=False)
        return False

    def _ask_pattern(self, view: View) -> None:
        from tbtui.plugins.scalars.forms import check_join, join_fields

        tags = sorted({tag for run in view.runs for tag in view.facts[run.name].tags.get("scalars", ())})

        def join(pattern: str) -> None:
            self.expect(joined_cards(Joint(pattern=pattern), tags)[0].key)
            self.change(partial(changes.joined_by, pattern=pattern))

        self.open_form("join charts", join_fields(tags), partial(check_join, tags), join)

    # What is known of a chart, and its data

    def action_about(self) -> None:
        """Tell what is known of a chart beside its picture."""
        from tbtui.plugins.scalars.about import about

        key = self.chart_key
        if self.shown is not None and key is not None:
            view, cards = self.shown.view, self.shown.cards
            self.tell(f"about {cards.title_of(key)}", lambda: about(view, cards.tags_of(key)))

    def action_write(self) -> None:
        """Write the data of a chart to a file."""
        from tbtui.plugins.scalars.writing import FIELDS, Writing

        key = self.chart_key
        if self.shown is not None and key is not None:
            view, cards = self.shown.view, self.shown.cards
            writing = Writing(view, key)
            title = f"write the data of {cards.title_of(key)}"
            self.open_form(title, FIELDS, writing, self._say_written, slow=True, cancel=writing.stop)

    def _say_written(self, written: Written) -> None:
        self.notify(safe(f"{counted(written.rows, 'point')} in {written.path}"), title="written", markup=False)
