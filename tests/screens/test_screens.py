"""Every tab in every look at four sizes, as text in `pictures/`: one file for a tab and a look.

A change that is meant: look at the difference that `python -m tests.screens.renew [LOOK …]` makes in `pictures/`, and
commit it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.screens.looks import APP_LOOKS, LOOKS, TABS, Logs, screens

PICTURES = Path(__file__).with_name("pictures")
ALL = LOOKS | APP_LOOKS


def tabs_of(look: str) -> dict[str, str]:
    """Which tabs are brought into a look, and what their pictures are called."""
    return {TABS[0]: f"app-{look}"} if look in APP_LOOKS else {tab: f"{tab}-{look}" for tab in TABS}


def file_of(name: str) -> Path:
    return PICTURES / f"{name}.txt"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    return Logs.written(tmp_path_factory.mktemp("logs"))


@pytest.mark.parametrize("look", ALL)
async def test_screens_match_their_snapshots(look: str, logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
    names = tabs_of(look)
    for tab, drawn in (await screens(logs, ALL[look], list(names), monkeypatch)).items():
        assert drawn == file_of(names[tab]).read_text("utf-8"), names[tab]


def test_screens_snapshots_are_all_compared() -> None:
    assert {path.stem for path in PICTURES.iterdir()} == {name for look in ALL for name in tabs_of(look).values()}


def renew(looks: list[str]) -> None:
    """Write the pictures of these looks, or all."""
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as directory:
        logs = Logs.written(Path(directory))
        for look in looks or ALL:
            names = tabs_of(look)
            with pytest.MonkeyPatch.context() as patch:
                made = asyncio.run(screens(logs, ALL[look], list(names), patch))
            for tab, drawn in made.items():
                _keep(file_of(names[tab]), drawn)


def _keep(path: Path, drawn: str) -> None:
    if not path.exists() or path.read_text("utf-8") != drawn:
        path.write_text(drawn, "utf-8")
        print(path)
