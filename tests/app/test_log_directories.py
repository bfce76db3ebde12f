"""The dialog that adds and removes log directories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from tbtui.app.log_directories import COMMAND, create_fields, select_paths
from tbtui.widgets.form_fields import FieldError
from tests.helpers.screen_text import screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.helpers.snapshots import plain_store

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.app.app import Dashboard


def test_chosen_paths_keep_add_and_remove() -> None:
    entered = {"add": "c", "path0": True, "path1": False}
    assert select_paths(("a", "b"), entered) == ("a", "c")
    assert select_paths(("a", "b"), {**entered, "add": "a"}) == ("a",)
    with pytest.raises(FieldError, match="one directory must remain"):
        select_paths(("a",), {"add": "", "path0": False})
    assert [field.label for field in create_fields(("a", "b"))] == ["add", "a", "b"]


def commands(app: Dashboard) -> list[str]:
    return [label for group in app.list_palette_entries() for label in group.labels]


async def test_palette_has_the_dialog_unless_the_paths_are_fixed() -> None:
    for paths, has_dialog in (((), False), (("logs",), True)):
        app = dashboard(FakeLoader(plain_store(["a"])))
        app.paths = paths
        async with app.run_test(size=(100, 30)):
            assert (COMMAND in commands(app)) is has_dialog


async def test_dialog_gives_the_loader_other_sources(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    loader = FakeLoader(plain_store(["a"]))
    app = dashboard(loader, label=str(first))
    app.paths = (str(first),)
    async with app.run_test(size=(120, 30)) as pilot:
        app.open_directories_form()
        await pilot.pause()
        assert "log directories" in screen_text(app)
        field = app.screen.query_one(Input)
        field.value = str(tmp_path / ("none" * 30))  # longer than the dialog, where the reason still fits
        await pilot.press("enter")
        await until(pilot, lambda: "no such file or directory" in screen_text(app))
        assert loader.sources == ()
        field.value = str(second)
        await pilot.press("down", "right", "enter")
        await until(pilot, lambda: loader.sources != ())
        assert [source.path for source in loader.sources] == [str(second)]
        await until(pilot, lambda: "second" in screen_text(app).splitlines()[0])
