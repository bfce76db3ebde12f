"""Test filters, colours and columns of runs by hyperparameters in the whole app."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tbtui.app.app import Dashboard
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.settings.settings import Settings
from tests.helpers.screen_text import screen_lines
from tests.helpers.session_logs import log_session

if TYPE_CHECKING:
    from pathlib import Path


def app_of(root: Path, **settings: Any) -> Dashboard:
    for number, (rate, word) in enumerate(((0.1, "adam"), (0.01, "sgd"), (0.001, "adam"))):
        log_session(root, f"t{number}", {"lr": rate, "opt": word}, {"loss": [3.0, 1.0 + number]})
    loader = Loader(parse_sources([str(root)]), reload_seconds=0)
    loader.load_all()
    return Dashboard(loader, label="logs", settings=Settings(**settings))


async def shown(app: Dashboard, pilot: Any) -> list[str]:
    await app._attributes.idle()
    await pilot.pause()
    await pilot.pause()
    return screen_lines(app)


async def test_run_filter_of_terms_hides_runs_in_every_tab(tmp_path: Path) -> None:
    app = app_of(tmp_path, run_filter="lr>=0.01 opt=adam")
    async with app.run_test(size=(120, 30)) as pilot:
        lines = await shown(app, pilot)
        assert [run.name for run in app.build_state().view.runs] == ["t0"]
        assert any("1 of 3" in line for line in lines)


async def test_run_list_shows_columns_and_colours_of_attributes(tmp_path: Path) -> None:
    app = app_of(tmp_path, run_columns=("lr",), colour_by="opt")
    async with app.run_test(size=(120, 30)) as pilot:
        lines = await shown(app, pilot)
        assert re.search(r"t1 .*sgd +0\.01 ", "\n".join(lines))
        (head,) = [line for line in lines if "/ runs…" in line]
        assert head[:23].split() == ["/", "runs…", "opt", "lr"]
        (row,) = [line for line in lines if re.search(r"t0 .*adam", line)]
        assert row.index("0.1") + len("0.1") == head.index(" lr") + len(" lr")
        inks = app.build_state().view.inks
        assert inks["t0"] == inks["t2"] != inks["t1"]


async def test_run_list_counts_columns_without_room_and_keeps_the_others_in_line(tmp_path: Path) -> None:
    for number, word in enumerate(("adam", "sgd")):
        log_session(
            tmp_path, f"a_long_name_of_a_run/{word}", {"a": 0.125 + number, "b": f"{word} {word}"}, {"loss": [1.0]}
        )
    app = app_of(tmp_path, run_columns=("b", "a", "lr"))
    async with app.run_test(size=(120, 30)) as pilot:
        lines = await shown(app, pilot)
        (head,) = [line for line in lines if "/ runs…" in line]
        assert head[:23].split() == ["/", "runs…", "⋯2", "b"]
        rows = [line[:23].rstrip() for line in lines if re.search(r"(adam adam|sgd sgd)", line[:23])]
        assert len({len(row) for row in rows}) == 1


async def test_form_of_the_run_list_sets_colour_groups_and_columns(tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=(120, 30)) as pilot:
        await shown(app, pilot)
        await pilot.press("tab", "B")
        await shown(app, pilot)
        await pilot.press(*"opt", "down", *"opt", "down", *"lr,x", "enter")
        lines = await shown(app, pilot)
        assert any("unknown attribute 'x'" in line for line in lines) or app.settings.run_columns == ("lr", "x")
        await pilot.press("backspace", "backspace", "enter")
        await shown(app, pilot)
        assert (app.settings.colour_by, app.settings.group_by, app.settings.run_columns) == ("opt", ("opt",), ("lr",))
