"""The pane of the Scalars tab: cards of line charts, its keys and its forms."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.plugins.scalars import transitions
from tbtui.plugins.scalars.cards import Cards, build_joined_cards
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.chart_labels import format_settings_label
from tbtui.plugins.scalars.painter import ScalarRenderer, ScalarSource
from tbtui.plugins.scalars.run_groups import group_by_settings
from tbtui.settings.kinds import MAX_LINES
from tbtui.settings.settings import TagMerge
from tbtui.view.card_painter import Painter
from tbtui.widgets.chart_keys import RUN_KEYS
from tbtui.widgets.charts_pane import ChartsPane, PreparedView

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tbtui.loading.payloads import Payloads
    from tbtui.view.view import View
    from tbtui.widgets.card_grid import JoinRequested
    from tbtui.widgets.form_fields import CardForms


class ScalarsPane(ChartsPane[Cards]):
    """Shows one card for each tag, and one for each set of joined tags."""

    JOINS = True

    BINDING_GROUP_TITLE = "Charts"
    GROUPED = "scalars"

    BINDINGS: ClassVar[list[BindingType]] = [
        *RUN_KEYS,
        Binding("O", "next_outliers", show=False, id="scalars.outliers", tooltip="outliers"),
        Binding("E", "switch_extremes", show=False, id="scalars.extremes", tooltip="min, max, best"),
        Binding("o", "options", "options", id="scalars.options", tooltip="options of all charts"),
        Binding("e", "edit_chart", "this chart", show=False, id="scalars.chart", tooltip="edit axes, lines"),
        Binding("M", "join", "join", show=False, id="scalars.join", tooltip="merge tags by regex"),
        Binding("i", "about", "about", show=False, id="scalars.about", tooltip="about this chart"),
        Binding("w", "write", "write", show=False, id="scalars.write", tooltip="write its data to a file"),
        Binding("W", "write_layout", show=False, id="scalars.layout", tooltip="write charts as a layout"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._data = ScalarData()
        self._renderer = ScalarRenderer()

    def prepare_cards(self, view: View) -> PreparedView[Cards]:
        cards = self._data.cards(view)
        return PreparedView(view, cards, Painter(ScalarSource(self._data, self._renderer, view), cards))

    def card_forms(self) -> CardForms[Cards]:
        from tbtui.plugins.scalars.pane.forms import ScalarForms

        return ScalarForms()

    def status(self) -> str:
        view = self.view
        return (
            ""
            if view is None
            else format_settings_label(view.settings, self.opened.key, [run.name for run in view.runs])
        )

    def groups(self, view: View) -> Mapping[str, Collection[str]]:
        """Return the runs of each average."""
        return {group.name: group.runs for group in group_by_settings([run.name for run in view.runs], view.settings)}

    # Keys

    def action_switch_extremes(self) -> None:
        """Mark the minimum, maximum and best value, or unmark them."""
        self.change(transitions.toggle_extremes)

    def action_join(self) -> None:
        """Split a joined card; for a plain one, ask for a pattern of tags that share a chart."""
        if self.shown is None:
            return
        view, cards = self.shown.view, self.shown.cards
        key = self.chart_key
        joint = None if key is None else cards.find_merge(key)
        if key is not None and joint is not None:
            self._expect(cards.list_tags(key)[0])
            self.change(partial(transitions.split_card, joint=joint))
        elif self._has_room_for_joint(view):
            self._ask_pattern(view)

    def action_write_layout(self) -> None:
        """Ask for a file, and write the pinned and merged charts to it as a layout."""
        if self.shown is None:
            return
        from tbtui.plugins.custom_scalars.layout import build_scalars_layout
        from tbtui.plugins.scalars.pane.layout_form import create_layout_form

        view, cards = self.shown.view, self.shown.cards
        tags = {tag for run in view.runs for tag in view.summaries[run.name].tags.get("scalars", ())}
        layout = build_scalars_layout(cards, view.settings.pinned, tags)
        if layout.charts:
            self.open_file_form(create_layout_form(layout))
        else:
            self.notify("pin charts with p, or merge tags with M: they become the layout", markup=False)

    def on_join_requested(self, message: JoinRequested) -> None:
        """Join the marked cards in one chart."""
        message.stop()
        if self.shown is None:
            return
        view, cards = self.shown.view, self.shown.cards
        tags = transitions.list_tags(cards, message.keys)
        if len(tags) < 2:
            self.notify("select another card with space to merge the two", markup=False)
        elif self._has_room_for_joint(view):
            self._expect(build_joined_cards(TagMerge(tags=tags), tags)[0].key)
            self.change(partial(transitions.join_cards, cards=cards, keys=message.keys))

    def _expect(self, key: str) -> None:
        """Focus card `key` of the grid when the next view has it: cards were joined, or one was taken apart."""
        self.grid.action_unmark()
        self.grid.expect_card(key)
        if self.opened.key is not None:
            self.close()

    def _has_room_for_joint(self, view: View) -> bool:
        if len(view.settings.joints) < MAX_LINES:
            return True
        self.notify(f"{MAX_LINES} merged charts are the maximum", severity="warning", markup=False)
        return False

    def _ask_pattern(self, view: View) -> None:
        from tbtui.plugins.scalars.pane.forms import check_join, join_fields

        tags = sorted({tag for run in view.runs for tag in view.summaries[run.name].tags.get("scalars", ())})

        joints = view.settings.joints

        def join(pattern: str) -> None:
            self._expect(build_joined_cards(TagMerge(pattern=pattern), tags)[0].key)
            self.change(partial(transitions.join_instead, pattern=pattern, joints=joints))

        def separate() -> None:
            self.change(partial(transitions.join_instead, pattern="", joints=joints))

        check = partial(check_join, tags)
        self.open_form("merge charts", join_fields(tags), check, join, live=join, take_back=separate)
