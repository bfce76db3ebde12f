"""Legibility of the text of every tab in every kind of theme, as it is drawn.

`tests/charts/test_contrast.py` computes the contrast of each ink alone; here it is that of text on its ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.screen import Screen

from tbtui.app.app import Dashboard
from tbtui.charts.colours import contrast
from tbtui.settings.settings import Settings
from tests.screens.looks import LABEL, NOW, SESSIONS_TAB, TABS, Held, Logs, settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.color import Color

MIN_CONTRAST = 3.0
"""Minimum contrast of letters and digits to their ground."""

LIGHT_COLOURS = frozenset({3, 6, 7, 10, 11, 14, 15})
"""Yellow, cyan, white and their bright variants, which nobody can read on white."""

VIEWS: dict[str, Sequence[str]] = {
    "hparams": ("m", "m", "m"),
    "histograms": ("m", "m"),
    "graphs": ("m t", "m o"),
    "profile": ("m T", "m K", "m o", "m e", "m M"),
    "projector": ("m",),
    "text": ("space",),
}
"""Keys that lead to further views of a tab, one after the other."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    return Logs.written(tmp_path_factory.mktemp("logs"))


def texts(app: Dashboard) -> Iterator[tuple[str, Color | None, Color | None]]:
    """Every text with a letter or digit on the screen, its colour and its ground."""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            if segment.style and any(map(str.isalnum, segment.text)):
                style = segment.style
                pair = (style.bgcolor, style.color) if style.reverse else (style.color, style.bgcolor)
                yield segment.text.strip(), *pair


def refused(app: Dashboard) -> set[str]:
    """The texts that cannot be read."""
    found = set()
    for text, colour, ground in texts(app):
        if app.native_ansi_color:
            if colour is not None and colour.number in LIGHT_COLOURS and (ground is None or ground.number is None):
                found.add(f"{text}: colour {colour.number}")
        elif colour is not None and ground is not None and colour.triplet and ground.triplet:
            value = contrast(colour.triplet.hex, ground.triplet.hex)
            if value < MIN_CONTRAST:
                found.add(f"{text}: {colour.triplet.hex} on {ground.triplet.hex}, {value:.1f}")
    return found


@pytest.mark.parametrize("theme", ["ansi-light", "tbtui-light", "tbtui-dark"])
async def test_text_of_every_tab_can_be_read(theme: str, logs: Logs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Screen, "_compositor_refresh", lambda screen: screen._dirty_widgets.clear())
    assert logs.of_sessions is not None
    found: dict[str, set[str]] = {}
    for state, tabs in (
        (logs.good, [tab for tab in TABS if tab != SESSIONS_TAB]),
        (logs.of_sessions.good, [SESSIONS_TAB]),
    ):
        app = Dashboard(Held(state), label=LABEL, settings=Settings(), theme=theme, clock=lambda: NOW)
        async with app.run_test(size=(120, 40)) as pilot:
            for tab in tabs:
                app.choose(tab=tab)
                await settle(pilot)
                for keys in ("", *VIEWS.get(tab, ()), "enter"):
                    await pilot.press(*keys.split())
                    await settle(pilot)
                    if texts_refused := refused(app):
                        found[f"{tab} {keys}"] = texts_refused
                await pilot.press("escape", "escape")
    offenders = [f"{view}: {each}" for view, refused_texts in found.items() for each in sorted(refused_texts)]
    assert offenders == [], "\n".join(offenders)
