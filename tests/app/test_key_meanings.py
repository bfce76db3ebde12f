"""One meaning for a letter: the bindings of all tabs against the table of meanings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding

from tbtui.app.app import Dashboard
from tbtui.app.key_meanings import LETTERS, MEANINGS, OTHERS, PURPOSES, find_purpose
from tbtui.app.keymap import group_active_keys, iterate_bindings, name_line, parse_action_name
from tbtui.app.main_screen import MainScreen
from tbtui.plugins import registry
from tbtui.plugins.registry import list_tabs
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.row_list import RowList
from tests import toy_dashboard
from tests.generate_reference import places
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.helpers.snapshots import plain_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.binding import BindingType

PLUGINS = (*list_tabs(), toy_dashboard.PLUGIN)
PLACES = tuple(places(PLUGINS))
CLASSES = tuple(dict.fromkeys(node_class for place in PLACES for node_class in place.classes))
EVERYWHERE = (Dashboard, MainScreen)

SEVERAL_MEANINGS = {
    "component": {"x scale", "y scale"},
    "copy_path": {"copy", "copy the run's directory"},
    "enter": {"open; the main action here", "solo: this alone"},
    "fit": {"fit", "fit everything"},
    "fold": {"switch, select or fold this", "hide: column, group"},
    "follow": {"open; the main action here", "columns, frames, links: left, right", "trace to the origin"},
    "mark": {"switch, select or fold this", "select from here on"},
    "open": {"switch, select or fold this", "open; the main action here"},
    "say_scale": {"x scale", "y scale"},
    "sort": {"order or figure of the table", "open; the main action here"},
    "switch": {"switch, select or fold this", "open; the main action here"},
    "whole": {"fit", "fit everything"},
}
"""Actions with a second key of another meaning, which fits too: `enter` and `space` open and switch in many lists."""

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
    for binding in iterate_bindings(node_class):
        for key in binding.key.split(","):
            yield key, binding


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.heading)
def test_every_key_has_a_meaning(place: object) -> None:
    unknown = [
        f"{key} of {node_class.__name__} has no meaning: take another key, or add one to {TABLE}"
        for node_class in place.classes  # type: ignore[attr-defined]
        for key, _ in keys_of(node_class)
        if key not in MEANINGS and not (node_class.__name__ == COLOUR_DIGITS and key.isdigit())
    ]
    assert not unknown, "\n".join(unknown)


KEYS_OF_LISTS = {key for node_class in (RowList, DataGrid) for key, _ in keys_of(node_class)}
"""Keys that no dashboard gives to a setting: a focused list or table uses them."""


def test_no_setting_takes_a_key_of_lists() -> None:
    taken = [
        (key, binding.action)
        for node_class in CLASSES
        for key, binding in keys_of(node_class)
        if binding.action.startswith("next_setting") and key in KEYS_OF_LISTS
    ]
    assert not taken


def labels_of_actions(node_classes: Iterable[type]) -> dict[str, set[str]]:
    """Return the meanings of the keys of each action; keys that only move are left out."""
    labels: dict[str, set[str]] = {}
    for node_class in node_classes:
        for key, binding in keys_of(node_class):
            if key in MEANINGS and MEANINGS[key].purpose != "Go":
                labels.setdefault(name_line(binding.action), set()).add(MEANINGS[key].label)
    return labels


def test_action_has_keys_of_one_meaning_in_all_tabs() -> None:
    several = {action: labels for action, labels in labels_of_actions(CLASSES).items() if len(labels) > 1}
    assert several == SEVERAL_MEANINGS


def test_action_with_keys_of_two_meanings_is_detected() -> None:
    class Wrong:
        BINDINGS: list[BindingType] = [Binding("y", "copy"), Binding("m", "copy")]  # noqa: RUF012

    assert labels_of_actions([Wrong]) == {"copy": {"copy", "view"}}


def test_each_key_has_one_meaning_only() -> None:
    keys = [key for meaning in (*LETTERS, *OTHERS) for key in meaning.keys]
    assert sorted(keys) == sorted(set(keys))
    assert {meaning.purpose for meaning in (*LETTERS, *OTHERS)} == set(PURPOSES)


def test_each_letter_is_used_in_some_tab() -> None:
    used = {key for node_class in (*CLASSES, DataGrid) for key, _ in keys_of(node_class)}
    assert [meaning.keys for meaning in LETTERS if used.isdisjoint(meaning.keys)] == []


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
    general = {key: parse_action_name(binding) for node_class in EVERYWHERE for key, binding in keys_of(node_class)}
    for node_class in place.classes:
        for key, binding in keys_of(node_class):
            action = general.get(key)
            if action is None or action in pane.UNUSED or key in {"escape", "slash"}:
                continue
            raise AssertionError(f"{package}: {key} ({binding.action}) hides {action} of the app")


def test_line_action_keeps_arguments_that_choose_a_key() -> None:
    actions = ("zoom(.5)", "switch('solo')", "next_setting('mesh.mode')", "app.quit", "switch")
    assert [name_line(action) for action in actions] == ["zoom", "switch.solo", "mesh.mode", "quit", "switch"]


def test_purpose_is_that_of_the_first_declared_key_with_a_meaning() -> None:
    assert find_purpose(("f12", "z")) == "Axes and zoom"
    assert find_purpose(("z", "w")) == "Axes and zoom"
    assert find_purpose(("f12",)) == find_purpose(()) == "Show"


async def test_help_lists_a_changed_key_by_the_purpose_of_its_action() -> None:
    app = dashboard(FakeLoader(plain_store(["adam"])))
    app.set_keymap({"app.x_axis": "w"})
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        groups = group_active_keys(app._main_screen.active_bindings.items(), {})
        purposes = {line.description: group.title for group in groups for line in group.lines if line.keys == "w"}
    assert purposes == {"x axis": "Axes and zoom"}
