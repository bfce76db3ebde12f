"""Bring the app into every look of every tab on these logs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.screen import Screen

from tbtui.app.app import Dashboard
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.loading.state import LoadState
from tbtui.plugins.registry import list_tabs
from tbtui.settings.settings import Settings
from tbtui.widgets.pane import Pane
from tbtui.widgets.worker import Worker
from tests.helpers.log_directory import START
from tests.helpers.screen_text import screen_lines, until
from tests.screens import logs_of_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pytest
    from textual.pilot import Pilot

LABEL = "logs/all"
NOW = START + 1920
NARROW = 45, 45
SIZES = ((120, 40), (80, 24), NARROW, (40, 12))

SESSIONS_TAB = "hparams"

TABS = tuple(plugin.name for plugin in list_tabs())


@dataclass(frozen=True)
class Logs:
    """What was loaded of both directories."""

    good: LoadState
    bad: LoadState
    of_sessions: Logs | None = None
    """Sessions with hyperparameters, which would fill the run list of all other tabs."""

    @classmethod
    def written(cls, root: Path) -> Logs:
        """Write them below a directory, and load them."""
        sessions = cls(
            _loaded(root / "sessions", logs_of_all.write_sessions),
            _loaded(root / "bad_sessions", logs_of_all.write_bad_sessions),
        )
        return cls(_loaded(root / "good", logs_of_all.write), _loaded(root / "bad", logs_of_all.write_bad), sessions)


def _loaded(root: Path, write: Callable[[Path], None]) -> LoadState:
    write(root)
    state = Loader(parse_sources([str(root)]), now=lambda: NOW).load_all()
    problems = tuple(replace(found, path=found.path.replace(str(root), LABEL)) for found in state.problems)
    return replace(state, watching="notified", problems=problems)


@dataclass(frozen=True)
class Look:
    """How a tab can be met."""

    state: Callable[[Logs], LoadState] = lambda logs: logs.good
    settings: Callable[[str], Mapping[str, object]] = lambda _: {}
    """Of the name of a tab to what is chosen."""

    keys: Sequence[str] = ()
    """What is pressed at first."""

    narrow_keys: Sequence[str] = ()
    """What is pressed where the sidebar has no room beside the charts any more."""

    reads: bool = True
    """False: nothing is ever read of what the tab shows."""


def _loading(logs: Logs) -> LoadState:
    return replace(logs.good, complete=False, bytes_read=43, bytes_total=100)


def _without_data(tab: str) -> Mapping[str, object]:
    """The only run that is switched on holds nothing for the tab."""
    alone = logs_of_all.WITHOUT_TEXT if tab == "text" else logs_of_all.WITH_TEXT_ALONE
    runs = {*logs_of_all.RUNS, logs_of_all.WITHOUT_TEXT, logs_of_all.WITH_TEXT_ALONE}
    return {"hidden_runs": frozenset(runs - {alone})}


LOOKS = {
    "loading": Look(_loading, reads=False),
    "empty": Look(settings=_without_data),
    "filtered": Look(settings=lambda _: {"tag_filter": "nowhere"}),
    "data": Look(),
    "opened": Look(keys=("enter",)),
    "bad": Look(lambda logs: logs.bad),
    "bad_opened": Look(lambda logs: logs.bad, keys=("enter",)),
}

NOTHING = LoadState(watching="notified")


def _only(*runs: str) -> Callable[[Logs], LoadState]:
    """The state of logs that hold only some of the good runs."""

    def state(logs: Logs) -> LoadState:
        snapshot = logs.good.snapshot
        return replace(logs.good, snapshot=replace(snapshot, runs={run: snapshot.runs[run] for run in runs}))

    return state


ALL_RUNS = frozenset({*logs_of_all.RUNS, logs_of_all.WITHOUT_TEXT, logs_of_all.WITH_TEXT_ALONE})
APP_LOOKS = {
    "looking": Look(lambda _: NOTHING),
    "waiting": Look(lambda _: replace(NOTHING, complete=True)),
    "runs_filtered": Look(settings=lambda _: {"run_filter": "nobody"}),
    "runs_off": Look(settings=lambda _: {"hidden_runs": ALL_RUNS}),
    "damage": Look(lambda logs: logs.bad, keys=("exclamation_mark",)),
    "no_damage": Look(keys=("exclamation_mark",)),
    "help": Look(keys=("question_mark",)),
    "commands": Look(keys=("ctrl+p",)),
    "sidebar": Look(keys=("b",), narrow_keys=("b",)),
    "filter": Look(keys=("slash", "z", "z", "left_parenthesis")),
    "filter_narrow": Look(narrow_keys=("slash", "z", "z", "left_parenthesis")),
}
"""Of the app itself, whatever tab is open."""


class Held:
    """Stands for a loader whose state stays as it is."""

    on_change: Callable[[], None]

    def __init__(self, state: LoadState) -> None:
        self.state = replace(state, unverified_bytes=0)

    def make_way(self) -> None:
        """Nothing is being read."""

    def wake(self) -> None:
        """Nothing is new."""

    def verify(self, wanted: bool) -> None:
        """Everything was compared."""


async def settle(pilot: Pilot[int]) -> None:
    """Wait until everything asked for is drawn."""
    for _ in range(3):
        await pilot.pause()
        for pane in pilot.app.query(Pane):
            await pane.idle()
    # On a busy machine the pauses end before every part has heard of its size.
    await until(pilot, lambda: not any(node.message_queue_size for node in pilot.app.screen.walk_children()))
    await pilot.pause()


async def resized(pilot: Pilot[int], width: int, height: int) -> None:
    """Give the terminal another size, and wait until the screen has it."""
    await pilot.resize_terminal(width, height)
    await until(pilot, lambda: pilot.app.screen.size == (width, height))


async def screens(logs: Logs, look: Look, tabs: Sequence[str], patch: pytest.MonkeyPatch) -> dict[str, str]:
    """A look of each tab, at all sizes one below the other."""
    if logs.of_sessions is not None and SESSIONS_TAB in tabs:
        others = [tab for tab in tabs if tab != SESSIONS_TAB]
        shown_there = await screens(logs.of_sessions, look, [SESSIONS_TAB], patch)
        return (await screens(replace(logs, of_sessions=None), look, others, patch) if others else {}) | shown_there
    # Only what is looked at is painted.
    patch.setattr(Screen, "_compositor_refresh", lambda screen: screen._dirty_widgets.clear())
    if not look.reads:
        patch.setattr(Worker, "ask", lambda *_: None)
    app = Dashboard(Held(look.state(logs)), label=LABEL, settings=Settings(), theme="tbtui-dark", clock=lambda: NOW)
    shown: dict[str, list[str]] = {tab: [] for tab in tabs}
    async with app.run_test(size=SIZES[0]) as pilot:
        for size in SIZES:
            await resized(pilot, *size)
            for tab in tabs:
                app.choose(tab=tab, **look.settings(tab))
                await settle(pilot)
                if keys := {SIZES[0]: look.keys, NARROW: look.narrow_keys}.get(size):
                    await pilot.press(*keys)
                    await settle(pilot)
                lines = "\n".join(screen_lines(app)).rstrip("\n")
                shown[tab].append(f"{size[0]}x{size[1]}\n{lines}\n")
    return {tab: "\n".join(drawn) for tab, drawn in shown.items()}
