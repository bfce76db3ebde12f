"""Declared settings: each stands in one place, and files of earlier versions stay readable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tbtui.plugins.registry import list_plugin_settings
from tbtui.settings.declaration import Setting
from tbtui.settings.persistence import build_settings_document, build_state_document, read_settings, read_state
from tbtui.settings.settings import SETTINGS, Settings

STORED = json.loads(Path(__file__).with_name("settings_version_1.json").read_text("utf-8"))
"""Written before settings were declared; every kept setting differs from its default."""

MARKER = Setting("levels.marker", "marker", "m", ("star", "plus"))
DECLARED = (*list_plugin_settings(), MARKER)


def test_read_state_document_of_version_1_returns_every_setting() -> None:
    default = build_settings_document(Settings())
    read = build_settings_document(read_state(STORED, DECLARED).settings)
    assert [name for name in default if read[name] == default[name]] == []
    assert {declared.name for declared in DECLARED if declared.is_kept and "." not in declared.name} <= read.keys()
    assert read["plugin_settings"] == {MARKER.name: "plus"}


def test_state_document_of_version_1_is_written_unchanged() -> None:
    assert json.loads(json.dumps(build_state_document(read_state(STORED, DECLARED)))) == STORED


@pytest.mark.parametrize("name", [name for name, declared in SETTINGS.items() if declared.is_kept])
def test_read_settings_default_of_each_setting_returns_it(name: str) -> None:
    document = json.loads(json.dumps(build_settings_document(Settings())))
    assert getattr(read_settings({name: document[name]}), name) == getattr(Settings(), name)


@pytest.mark.parametrize(
    "declared", [each for each in (*SETTINGS.values(), *DECLARED) if each.values], ids=lambda declared: declared.name
)
def test_setting_next_through_all_values_returns_to_the_first(declared: Setting[Any]) -> None:
    settings = Settings()
    values = []
    for _ in declared.values:
        values.append(declared.value(settings))
        settings = declared.next(settings)
    assert sorted(map(str, values)) == sorted(map(str, declared.values))
    assert declared.value(settings) == declared.value(Settings())


def test_setting_next_of_a_dashboard_is_kept_in_plugin_settings() -> None:
    marker = Setting("toy.marker", "marker", "m", ("star", "plus"))
    assert marker.next(Settings()).plugin_settings == {marker: "plus"}
    assert marker.next(marker.next(Settings())).plugin_settings == {}
