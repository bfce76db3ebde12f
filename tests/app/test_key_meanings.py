"""One meaning for a letter: the bindings of all tabs against the table of meanings."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding

from tbtui.app.app import Dashboard
from tbtui.app.key_meanings import LETTERS, MEANINGS, OTHERS, PURPOSES, find_meanings, meaning_name, purpose_of
from tbtui.app.keymap import action_name, own_bindings
from tbtui.app.main_screen import MainScreen
from tbtui.plugins import registry
from tbtui.plugins.registry import tabs
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.row_list import RowList
from tests import toy_dashboard
from tests.generate_reference import places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.binding import BindingType

PLUGINS = (*tabs(), toy_dashboard.PLUGIN)
PLACES = tuple(places(PLUGINS))
EVERYWHERE = (Dashboard, MainScreen)

IN_TURN = {
    ("DetailList", "enter"): {"follow", "show_full_value"},
    ("ProfilePane", "t"): {"sort", "next_weight"},
}
"""Keys with two actions in one class, of which the class offers only one at a time."""

TABLE = "tbtui/app/key_meanings.py"

COLOUR_DIGITS = "ColourTable"
"""A modal table in which digits choose a row."""


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PLUGINS", (*registry.PLUGINS, toy_dashboard.PLUGIN))


def keys_of(node_class: type) -> Iterator[tuple[str, Binding]]:
    for binding in own_bindings(node_class):
        for key in binding.key.split(","):
            yield key, binding


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.heading)
def test_key_has_the_same_meaning_in_every_tab(place: object) -> None:
    strange = [
        problem(key, binding, node_class)
        for node_class in place.classes  # type: ignore[attr-defined]
        for key, binding in keys_of(node_class)
        if not (node_class.__name__ == COLOUR_DIGITS and key.isdigit())
        if not any(key in meaning.keys for meaning in find_meanings(binding.action))
    ]
    assert not strange, "\n".join(strange)


KEYS_OF_LISTS = {key for node_class in (RowList, DataGrid) for key, _ in keys_of(node_class)}
"""Keys that no meaning gives to a setting: a focused list or table uses them."""


def problem(key: str, binding: Binding, node_class: type) -> str:
    """Return the reason why a key does not mean the same in every tab, and where to declare its meaning."""
    name = meaning_name(binding.action)
    if key not in MEANINGS:
        return f"{key} of {node_class.__name__} has no meaning: take another key, or add one to {TABLE}"
    words, is_setting = MEANINGS[key].words, binding.action.startswith("next_setting")
    if is_setting and key in KEYS_OF_LISTS:
        return f"{key} means “{words}” in every tab: take another key than {key} for {name}"
    where = f'meaning="{words}" in the Setting {name}' if is_setting else f"{name} in the line of {key} in {TABLE}"
    return f"{key} means “{words}” in every tab: take another key than {key} for {name}, or write {where}"


def test_each_key_has_one_meaning_only() -> None:
    keys = [key for meaning in (*LETTERS, *OTHERS) for key in meaning.keys]
    assert sorted(keys) == sorted(set(keys))
    assert {meaning.purpose for meaning in (*LETTERS, *OTHERS)} == set(PURPOSES)


def test_each_letter_is_used_in_some_tab() -> None:
    used = {
        (key, meaning_name(binding.action))
        for place in PLACES
        for node_class in place.classes
        for key, binding in keys_of(node_class)
    }
    unused = [
        (meaning.keys, action)
        for meaning in LETTERS
        for action in meaning.actions
        if not any((key, action) in used for key in meaning.keys)
    ]
    # The tables of all tabs are of `DataGrid`, whose keys the reference does not list.
    assert [
        found for found in unused if found[1] not in {"move_column", "move_columns_page", "quit", "say_no_axis"}
    ] == []


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.heading)
def test_two_actions_of_a_class_share_no_key(place: object) -> None:
    for node_class in place.classes:  # type: ignore[attr-defined]
        by_key: dict[str, set[str]] = {}
        for key, binding in keys_of(node_class):
            by_key.setdefault(key, set()).add(binding.action)
        for key, actions in by_key.items():
            assert len(actions) == 1 or actions == IN_TURN.get((node_class.__name__, key)), (node_class, key)


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_tab_hides_a_key_of_the_app_only_if_that_has_no_effect_there(plugin: object) -> None:
    pane = plugin.load_pane()  # type: ignore[attr-defined]
    package = pane.__module__.rpartition(".")[0]
    place = next(place for place in PLACES if pane in place.classes)
    general = {key: action_name(binding) for node_class in EVERYWHERE for key, binding in keys_of(node_class)}
    for node_class in place.classes:
        for key, binding in keys_of(node_class):
            action = general.get(key)
            if action is None or action in pane.UNUSED or key in {"escape", "slash"}:
                continue
            raise AssertionError(f"{package}: {key} ({binding.action}) hides {action} of the app")


def test_meaning_names_keep_arguments_that_choose_a_key() -> None:
    actions = ("zoom(.5)", "switch('solo')", "next_setting('mesh.mode')", "app.quit", "switch")
    assert [meaning_name(action) for action in actions] == ["zoom", "switch.solo", "mesh.mode", "quit", "switch"]


def test_purposes_of_moved_keys_are_those_of_their_actions() -> None:
    assert purpose_of("z", "zoom") == purpose_of("f12", "zoom") == "Axes and zoom"
    assert purpose_of("f12", "unheard of") == "Show"


def test_purpose_of_a_setting_is_that_of_its_meaning() -> None:
    assert purpose_of("S", "next_setting('mesh.shared')") == purpose_of("f12", "next_setting('mesh.shared')")
    assert purpose_of("f12", "next_setting('mesh.shared')") == "Axes and zoom"


def test_problem_of_a_setting_names_what_to_write() -> None:
    binding = Binding("Y", "next_setting('mesh.mode')")
    assert problem("Y", binding, Dashboard) == (
        "Y means “y scale” in every tab: take another key than Y for mesh.mode, "
        'or write meaning="y scale" in the Setting mesh.mode'
    )


def test_problem_of_a_setting_with_a_key_of_lists_advises_another_key() -> None:
    binding = Binding("k", "next_setting('mesh.mode')")
    assert problem("k", binding, Dashboard).endswith("in every tab: take another key than k for mesh.mode")


def test_scan_finds_two_meanings_of_one_letter() -> None:
    class Wrong:
        BINDINGS: list[BindingType] = [Binding("y", "smooth(1)"), Binding("f", "fit")]  # noqa: RUF012

    found = {key: MEANINGS[key] in find_meanings(binding.action) for key, binding in keys_of(Wrong)}
    assert found == {"y": False, "f": True}
    assert all(not set(one.keys) & set(other.keys) for one, other in combinations((*LETTERS, *OTHERS), 2))
