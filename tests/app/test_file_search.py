"""A tab of data beside the event files appears when these are written, also after the first values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.app import extra_files
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins import hparams
from tests.helpers.log_directory import LogDirectory
from tests.helpers.screen_text import until
from tests.helpers.scripted_dashboard import SCALARS, FakeLoader, WordsPane, dashboard

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

HPARAMS = replace(hparams.PLUGIN, load_pane=lambda: WordsPane)


async def test_tab_of_files_appears_when_they_are_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra_files, "FILE_SEARCH_SECONDS", 0.0)
    monkeypatch.setattr(extra_files, "FILE_SEARCH_SHARE", 0)
    logs = LogDirectory(tmp_path)
    logs.log("run", range(3))
    loader = Loader(parse_sources([str(tmp_path)]), reload_seconds=0)
    fake = FakeLoader(loader.load_all().snapshot)
    app = dashboard(fake, plugins=(SCALARS, HPARAMS))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app._file_search.searched_runs == 1)
        assert app._main_screen._state.plugins == (SCALARS,)
        (tmp_path / "run" / "hparams.yaml").write_text("lr: 0.1\n")
        logs.log("run", range(3, 5))
        loader.step()
        loader.step()
        fake.publish(loader.state.snapshot)
        await until(pilot, lambda: app._main_screen._state.plugins == (SCALARS, HPARAMS))
        (tmp_path / "run" / "hparams.yaml").unlink()
        app.refresh_state()
        await until(pilot, lambda: app._main_screen._state.plugins == (SCALARS,))
