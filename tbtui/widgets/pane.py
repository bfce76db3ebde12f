"""The ground every dashboard's pane stands on: handed a view, it draws; it asks for changes by message."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.message import Message

from tbtui.widgets.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.settings.declaration import Setting
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View


class Choose(Message):
    """A widget asks for other choices; the app applies them and hands everyone the new view.

    What is asked for is either given by name, `Choose(smoothing=.5)`, or made from what is chosen by then,
    `Choose(zoomed_out)`: of keys that come faster than views each counts.

    Args:
        change: From the present choices to those asked for.
        changes: Field names of `Settings` and their new values.
    """

    def __init__(self, change: Callable[[Settings], Settings] | None = None, /, **changes: Any) -> None:
        super().__init__()
        self._change = change
        self.changes = changes
        """Fields given by name."""

    def of(self, choices: Settings) -> Settings:
        """What `choices` become."""
        changed = choices if self._change is None else self._change(choices)
        return replace(changed, **self.changes)


class CopyRequested(Message):
    """A widget asks for the path of a run on the clipboard; the app knows where runs come from."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self.run = run
        """Name of the run, or of a folder of runs ending in `/`."""


READING = "reading the logs …"
ALL_FOLDED = (
    "all groups of tags are folded away",
    "press space in the list of tags, to which tab or b leads, to unfold them",
)
"""The one reason for which a view of matching tags shows none; the others are told in the pane's place."""

STATUS_SHARE = 0.6
"""Part of the bottom line that a pane's status may take; the rest is for the keys."""


def setting_bindings(settings: Iterable[Setting]) -> list[BindingType]:
    """Return the bindings of the keys of settings that a dashboard declares."""
    return [
        Binding(setting.key, f"next_setting('{setting.name}')", setting.label, id=setting.name, tooltip=setting.label)
        for setting in settings
    ]


class Pane(Container):
    """A dashboard. The app calls `show` with each new view while the pane is the visible tab, and just before.

    What a view shows is put together off the UI thread.

    Args:
        payloads: Reads values again that are not kept; shared by all panes of an app. None: the pane has its own, or
            needs none.
    """

    UNUSED: ClassVar[frozenset[str]] = frozenset()
    """Actions of the app, and of its own base classes, that would change nothing of what it shows: their keys are
    neither offered nor in the help."""

    SETTINGS: ClassVar[tuple[Setting, ...]] = ()
    """Settings of this dashboard alone, whose keys `setting_bindings` binds."""

    class Computed(Message):
        """Results of the background thread wait."""

        def can_replace(self, message: Message) -> bool:
            """One look finds all results that wait."""
            return isinstance(message, Pane.Computed)

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__()
        self.payloads = payloads
        self.background = Worker(lambda: self.post_message(self.Computed()))
        self.view: View | None = None
        """The latest view; what of it is on the screen comes a little later."""

    # What a dashboard has to say

    def prepare(self, view: View) -> Iterator[Any]:
        """What is to be seen of a view, on the background thread; each result is handed to `present`."""
        raise NotImplementedError

    def present(self, prepared: Any) -> None:
        """Show a result of `prepare`."""
        raise NotImplementedError

    def say(self, headline: str, hint: str = "") -> None:
        """Show these words instead of data."""
        raise NotImplementedError

    def say_error(self, error: Exception) -> None:
        """Say what went wrong in `prepare`."""
        self.say("this tab cannot be shown", f"{type(error).__name__}: {error}")

    # What the app asks for

    def show(self, view: View) -> None:
        """Draw `view`. Returns within a frame: what takes longer is shown when it is there."""
        self.view = view
        if self.is_attached:
            self.background.ask("view", lambda: self.prepare(view), self.present, self.say_error)

    def key_word(self, _action: str) -> str | None:
        """What a key does here where its own description does not say; otherwise None."""
        return None

    def status(self) -> str:
        """What this pane shows, for the status line: `smooth .60 · x step`. Plain text."""
        return ""

    def reveal(self, tag: str) -> None:
        """Bring the cards of `tag` into sight and focus the first (a tag was chosen in the sidebar)."""

    def action_next_setting(self, name: str) -> None:
        """Select the next value of a setting that the dashboard declares."""
        setting = next(setting for setting in self.SETTINGS if setting.name == name)
        self.post_message(Choose(setting.next))

    async def idle(self) -> None:
        """Wait until everything that was to be shown is shown."""
        await self.background.idle()

    # What Textual tells

    def on_mount(self) -> None:
        """Show what there is to show already, or say that there is more to come."""
        if self.view is None:
            self.say(READING)
        else:
            self.show(self.view)

    def on_unmount(self) -> None:
        """End the thread."""
        self.background.close()

    def on_pane_computed(self) -> None:
        """Show what the thread has computed."""
        self.background.drain()
