"""The pane of the Custom tab."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.numbers import format_count
from tbtui.plugins.custom_scalars.arrangement import Arrangement, ArrangementCache
from tbtui.plugins.custom_scalars.layout import merge_in_scalars, merge_layouts
from tbtui.plugins.custom_scalars.painter import CustomPainter
from tbtui.plugins.custom_scalars.settings import TOGGLED
from tbtui.plugins.scalars import transitions as scalar_transitions
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.chart_labels import format_settings_label
from tbtui.plugins.scalars.painter import ScalarRenderer
from tbtui.plugins.scalars.run_groups import group_by_settings
from tbtui.widgets.chart_keys import RUN_KEYS
from tbtui.widgets.charts_pane import ChartsPane, PreparedView
from tbtui.widgets.pane import Outline, OutlineRow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from tbtui.loading.payloads import Payloads
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import CardForms


class CustomPane(ChartsPane[Arrangement]):
    """Shows the charts of layouts below the headings of their categories, which fold."""

    BINDING_GROUP_TITLE = "Custom"

    BINDINGS: ClassVar[list[BindingType]] = [
        *RUN_KEYS,
        Binding("space", "fold_category", "fold", id="custom.fold", tooltip="fold this category"),
        Binding("asterisk", "fold_all", show=False, id="custom.fold_all", tooltip="fold all categories"),
        Binding("O", "next_outliers", show=False, id="custom.outliers", tooltip="outliers"),
        Binding("E", "switch_extremes", show=False, id="custom.extremes", tooltip="min, max, best"),
        Binding("o", "options", "options", id="custom.options", tooltip="options of all charts"),
        Binding("e", "edit_chart", "this chart", show=False, id="custom.chart", tooltip="edit axes, lines"),
        Binding("i", "about", "what matches", id="custom.about", tooltip="what matches, and source"),
        Binding("w", "write", "write", show=False, id="custom.write", tooltip="write its data to a file"),
        Binding("W", "write_layout", show=False, id="custom.layout", tooltip="write the layout to a file"),
        Binding("M", "merge", show=False, id="custom.merge", tooltip="merge as here in Scalars"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._arrangements = ArrangementCache()
        self._data = ScalarData(cards=self._arrangements)
        self._renderer = ScalarRenderer()

    # Cards and headings

    def prepare_cards(self, view: View) -> PreparedView[Arrangement]:
        arrangement = self._arrangements.get_arrangement(view)
        return PreparedView(view, arrangement, CustomPainter(view, arrangement, self._data, self._renderer))

    def headings(self, cards: Arrangement) -> Collection[str]:
        return cards.headings

    def words_without_cards(self, prepared: PreparedView[Arrangement]) -> tuple[str, str]:
        if prepared.cards.hidden:
            pattern = prepared.view.settings.tag_filter
            return f"no chart matches “{pattern}”", "press escape to clear the filter"
        return "the layouts hold no charts", ""

    def present(self, prepared: PreparedView[Arrangement]) -> None:
        """Show other cards, and list them in the sidebar."""
        super().present(prepared)
        self.show_outline(_build_outline(prepared.cards))

    def card_forms(self) -> CardForms[Arrangement]:
        from tbtui.plugins.custom_scalars.pane.forms import CustomForms

        return CustomForms()

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

    @property
    def chart_key(self) -> str | None:
        """Key of the open card, otherwise of the focused one; None on a heading."""
        key = super().chart_key
        return None if self.shown is not None and key in self.shown.cards.headings else key

    # Headings

    def choose_card(self, key: str) -> None:
        """Show a card in full size; fold or unfold the category of a heading."""
        if self.shown is not None and key in self.shown.cards.headings:
            self.fold_group(key)
        else:
            super().choose_card(key)

    def fold_group(self, key: str) -> None:
        """Fold or unfold a category, and focus its heading."""
        if self.shown is not None and not self.shown.view.settings.tag_filter:
            self.grid.expect_card(key)
            self.change(partial(_toggle_categories, keys=frozenset({key})))

    def action_fold_category(self) -> None:
        """Fold or unfold the category of the focused card."""
        focused = self.grid.focused_key
        category = None if self.shown is None or focused is None else self.shown.cards.find_category(focused)
        if category is not None:
            self.fold_group(category.key)

    def action_fold_all(self) -> None:
        """Fold all categories; unfold them if all are folded."""
        if self.shown is None or self.shown.view.settings.tag_filter:
            return
        categories = self.shown.cards.categories
        fold = not all(category.is_folded for category in categories)
        toggled = frozenset(category.key for category in categories if category.is_folded != fold)
        self.change(partial(_toggle_categories, keys=toggled))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable folding outside the grid."""
        if action in ("fold_category", "fold_all"):
            return self.opened.key is None
        return super().check_action(action, parameters)

    # Keys

    def action_switch_extremes(self) -> None:
        """Mark the minimum, maximum and best value, or unmark them."""
        self.change(scalar_transitions.toggle_extremes)

    def action_write_layout(self) -> None:
        """Ask for a file, and write all layouts to it, merged."""
        if self.shown is not None:
            from tbtui.plugins.scalars.pane.layout_form import create_layout_form

            self.open_file_form(
                create_layout_form(merge_layouts([source.layout for source in self.shown.cards.sources]))
            )

    def action_merge(self) -> None:
        """Merge the tags of each chart of the category in Scalars."""
        focused = self.opened.key or self.grid.focused_key
        category = None if self.shown is None or focused is None else self.shown.cards.find_category(focused)
        if category is None:
            return
        charts = tuple(chart.card.tags for chart in category.charts if chart.chart.kind == "multiline")
        count = sum(len(tags) > 1 for tags in charts)
        if count:
            self.change(partial(merge_in_scalars, charts=charts))
        merged = f"{format_count(count, 'chart')} of several tags merged in Scalars"
        self.notify(merged if count else "no chart of this category has several tags", markup=False)


def _toggle_categories(settings: Settings, keys: frozenset[str]) -> Settings:
    return TOGGLED.with_value(settings, TOGGLED.value(settings) ^ keys)


def _build_outline(arrangement: Arrangement) -> Outline:
    return Outline(
        tuple(_build_outline_rows(arrangement)),
        arrangement.names,
        tuple(f"{each.title}/{chart.card.title}" for each in arrangement.categories for chart in each.charts),
    )


def _build_outline_rows(arrangement: Arrangement) -> Iterator[OutlineRow]:
    for category in arrangement.categories:
        yield OutlineRow(category.key, category.title, True, len(category.charts), category.is_folded)
        for chart in () if category.is_folded else category.charts:
            key = chart.card.key
            yield OutlineRow(key, arrangement.title_of(key), has_problem=chart.has_problem)
