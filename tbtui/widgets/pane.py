"""Base class of the panes of dashboards: a pane draws the views it gets and requests changes by message."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.message import Message

from tbtui.frozen import frozen
from tbtui.widgets.empty_state import EmptyState
from tbtui.widgets.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.settings.declaration import Setting
    from tbtui.settings.settings import Settings
    from tbtui.view.view import View


class Choose(Message):
    """Requests other settings; the app applies them and shows the new view everywhere.

    A request names fields, `Choose(smoothing=.5)`, or a transition of the present settings, `Choose(fit_chart)`: if
    keys come faster than views, each key counts.

    Args:
        change: Returns the requested settings for the present ones.
        changes: Field names of `Settings` and their new values.
    """

    def __init__(self, change: Callable[[Settings], Settings] | None = None, /, **changes: Any) -> None:
        super().__init__()
        self._change = change
        self.changes = changes
        """Fields given by name."""

    def of(self, settings: Settings) -> Settings:
        """Return the requested settings, from the present ones."""
        changed = settings if self._change is None else self._change(settings)
        return replace(changed, **self.changes)


class AboutRunRequested(Message):
    """The user wants to see the page of a run."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self.run = run


class CopyRequested(Message):
    """Requests the path of a run on the clipboard; the app knows the directories of runs."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self.run = run
        """Name of the run, or of a folder of runs ending in `/`."""


READING = "reading the logs …"
ALL_FOLDED = (
    "all groups of tags are folded away",
    "press tab twice, then space on a group, to unfold it",
)
"""Empty state of a view with matching tags, all folded away; the app shows all other reasons."""

STATUS_SHARE = 0.6
"""Part of the bottom line that a pane's status may take; the rest is for the keys."""


def create_setting_bindings(settings: Iterable[Setting[Any]], *, show: bool = True) -> list[BindingType]:
    """Return the bindings of the keys of settings that a dashboard declares; `show`: in the footer too."""
    return [
        Binding(
            setting.key,
            f"next_setting('{setting.name}')",
            setting.label,
            show,
            id=setting.name,
            tooltip=setting.label,
        )
        for setting in settings
    ]


@frozen
class OutlineRow:
    """A line of an outline: a group, or one of its items."""

    key: str
    """Passed to `Pane.reveal` for an item, to `Pane.fold_group` for a group."""

    label: str
    """Not yet safe for a terminal."""

    is_group: bool = False
    count: int = 0
    """Number of items in a group."""

    folded: bool = False
    has_problem: bool = False


@frozen
class Outline:
    """Groups and items of a pane, in its order; they replace the tags in the sidebar."""

    rows: tuple[OutlineRow, ...]
    names: tuple[str, ...]
    """Names that the tag filter applies to."""

    passing: tuple[str, ...]
    """Names that pass it."""

    noun: str = "charts"
    """Plural noun of the items, for the empty filter."""


class Pane(Container):
    """A dashboard. The app calls `show` with each new view while the pane is the visible tab, and just before.

    A worker thread prepares what a view shows.

    Args:
        payloads: Reads values that are not kept in memory; shared by all panes of an app. None: the pane has its own,
            or needs none.
    """

    DEFAULT_CSS = """
    Pane > EmptyState { display: none; }
    Pane.empty > * { display: none; }
    Pane.empty > EmptyState { display: block; }
    """

    UNUSED: ClassVar[frozenset[str]] = frozenset({"next_x_axis", "next_y_scale", "smooth"})
    """Actions of the app and of base classes that have no effect in this pane; footer and help leave out their keys.

    Those of charts are here, because most panes that are not a `ChartsPane` have no axes.
    """

    SETTINGS: ClassVar[tuple[Setting[Any], ...]] = ()
    """Settings of this dashboard alone, whose keys `create_setting_bindings` binds."""

    class OutlineChanged(Message):
        """The pane has another `outline`."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    class Computed(Message):
        """Results of the worker thread are ready."""

        def can_replace(self, message: Message) -> bool:
            """Return True: one message fetches all results."""
            return isinstance(message, Pane.Computed)

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__()
        self.payloads = payloads
        self.worker = Worker(lambda: self.post_message(self.Computed()))
        self.view: View | None = None
        """The latest view; the screen follows a little later."""

        self.outline: Outline | None = None
        """Items that the sidebar lists instead of tags; None: the tags."""

        self._notice = EmptyState()

    # Supplied by a dashboard

    def prepare(self, view: View) -> Iterator[Any]:
        """Yield what to show of a view, one `present` each. Runs on the worker thread."""
        raise NotImplementedError

    def present(self, prepared: Any) -> None:
        """Show a result of `prepare`."""
        raise NotImplementedError

    def show_outline(self, outline: Outline) -> None:
        """List other items in the sidebar."""
        if outline != self.outline:
            self.outline = outline
            # Textual ends the way of a message at the parent if that is its sender, as in a callback from there.
            self.post_message(self.OutlineChanged(self).set_sender(self))

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of data, until the next `present`."""
        if self._notice.parent is None:
            self.mount(self._notice)
        self.add_class("empty")
        self._notice.show_message(headline, hint)

    def show_error(self, error: Exception) -> None:
        """Show an error of `prepare`."""
        self.show_message("this tab cannot be shown", f"{type(error).__name__}: {error}")

    # Called by the app

    def show(self, view: View) -> None:
        """Draw `view`. Returns within a frame; slower results are shown when they are ready."""
        self.view = view
        if self.is_attached:
            self.worker.ask("view", lambda: self.prepare(view), self._present, self.show_error)

    def _present(self, prepared: Any) -> None:
        self.remove_class("empty")
        self.present(prepared)

    shows_less_while_reading: ClassVar[bool] = False
    """True if the pane shows a view of logs that are still being read in part; it is shown again when they are read."""

    is_reading = False
    """True while the logs of the view are being read; set before `show`."""

    def waits_for(self, _view: View) -> bool:
        """Return True if a view of logs that are still being read need not be shown yet."""
        return False

    def key_word(self, _action: str) -> str | None:
        """Return the description of a key in this pane; None if that of its binding applies."""
        return None

    def status(self) -> str:
        """Return the pane's part of the status line, plain text: `smooth .60 · x step`."""
        return ""

    def reveal(self, tag: str) -> None:
        """Scroll to the cards of `tag` and focus the first (a tag was chosen in the sidebar)."""

    @property
    def has_opened(self) -> bool:
        """True while something is opened in full size, which q closes before it quits."""
        return False

    def close_opened(self) -> None:
        """Close what is opened in full size."""

    @property
    def lists_runs(self) -> bool:
        """True while the focused part lists runs, which `/` then filters instead of tags."""
        return False

    def fold_group(self, key: str) -> None:
        """Fold or unfold a group of the outline."""

    def action_next_setting(self, name: str) -> None:
        """Select the next value of a setting that the dashboard declares."""
        setting = next(setting for setting in self.SETTINGS if setting.name == name)
        self.post_message(Choose(setting.next))

    async def idle(self) -> None:
        """Wait until all requested results are shown."""
        await self.worker.idle()

    # Events

    def on_mount(self) -> None:
        """Show a message until the first result is there, whether a view came before this moment or comes later."""
        self.show_message(READING)
        if self.view is not None:
            self.show(self.view)

    def on_unmount(self) -> None:
        """Stop the worker thread."""
        self.worker.close()

    def on_pane_computed(self) -> None:
        """Show the results of the worker thread."""
        self.worker.drain()
