"""Attributes of runs, such as hyperparameters, for the whole app.

A thread of its own reads them when a filter, a colour or a column needs them. The form chooses those that do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.view.attributes import NO_ATTRIBUTES, needs_attributes
from tbtui.widgets.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import App

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import Plugin, ReadAttributes
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.attributes import RunAttributes
    from tbtui.widgets.form_fields import Field

MAX_HINT_NAMES = 12
"""Maximum number of names that the hint of a field lists."""


class AttributeFinder:
    """Knows the attributes of the latest snapshot that was read. Used on the UI thread.

    Args:
        plugins: Dashboards; the first that reads attributes is used.
        get_payloads: Returns the reader of values in files.
        announce: Called on the worker thread when results wait; must make the UI thread call `drain` soon.
        notify_read: Called on the UI thread when newer attributes were read.
    """

    def __init__(
        self,
        plugins: Sequence[Plugin],
        get_payloads: Callable[[], Payloads],
        announce: Callable[[], object],
        notify_read: Callable[[], object],
    ) -> None:
        self._make_reader = next((plugin.attributes for plugin in plugins if plugin.attributes is not None), None)
        self._get_payloads = get_payloads
        self._notify_read = notify_read
        self._worker = Worker(announce)
        self._read: ReadAttributes | None = None
        self._requested: tuple[object, ...] = ()
        self._latest = NO_ATTRIBUTES
        self._is_requesting = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes that are known."""
        return tuple(self._latest.columns or ())

    def find(self, snapshot: StoreSnapshot, settings: Settings, *, is_required: bool = False) -> RunAttributes | None:
        """Return the newest attributes, and begin to read those of a newer snapshot.

        Args:
            snapshot: The runs.
            settings: The user's settings.
            is_required: Read them even if no setting needs them.

        Returns:
            None if nothing needs them, or no dashboard has any.
        """
        if self._make_reader is None or not (is_required or needs_attributes(settings)):
            return None
        request = snapshot.revision, settings.plugin_settings, settings.charts
        if request != self._requested:
            self._requested = request
            if self._read is None:
                self._read = self._make_reader(self._get_payloads())
            read = self._read

            def read_attributes() -> Iterator[RunAttributes]:
                yield read(snapshot, settings)

            self._is_requesting = True
            self._worker.ask("attributes", read_attributes, self._accept, self._ignore_error)
            self._is_requesting = False
        return self._latest

    def drain(self) -> None:
        """Take the results that wait."""
        self._worker.drain()

    def close(self) -> None:
        """Stop the thread."""
        self._worker.close()

    async def idle(self) -> None:
        """Wait until all attributes are read."""
        await self._worker.idle()

    def _accept(self, attributes: RunAttributes) -> None:
        self._latest = attributes
        if not self._is_requesting:
            self._notify_read()

    def _ignore_error(self, _error: Exception) -> None:
        """Keep the attributes that are known: a filter must not end the app."""


def open_attribute_form(
    app: App[int], settings: Settings, finder: AttributeFinder, apply: Callable[[dict[str, Any]], None]
) -> None:
    """Open the form that colours, averages and lists runs by attributes.

    Args:
        app: The app.
        settings: The user's settings.
        finder: Knows the names of the attributes.
        apply: Called with the fields of the settings that change, at each entry and at the end.
    """
    from tbtui.widgets.form import FormScreen

    def apply_entries(entries: dict[str, Any] | None) -> None:
        if entries is not None:
            apply(entries)

    fields = create_fields(settings, finder)
    app.push_screen(FormScreen("runs by hyperparameters", fields, live=apply_entries), apply_entries)


def create_fields(settings: Settings, finder: AttributeFinder) -> tuple[Field, ...]:
    """Return the fields of the form, named after fields of the settings.

    Entered names are checked once the attributes are read.
    """
    from tbtui.widgets.form_fields import Text

    def parse_name(text: str) -> str:
        name = text.strip()
        if name and finder.names and name not in finder.names:
            raise ValueError(f"unknown attribute {name!r}")
        return name

    def parse_names(text: str) -> tuple[str, ...]:
        return tuple(filter(None, (parse_name(name) for name in text.split(","))))

    listed = ", ".join(finder.names[:MAX_HINT_NAMES])
    more = f" and {len(finder.names) - MAX_HINT_NAMES} more" if len(finder.names) > MAX_HINT_NAMES else ""
    hint = f"one of {listed}{more}; empty: off" if listed else "name of a hyperparameter or metric; empty: off"
    several_hint = f"names with commas, of {listed}{more}" if listed else "names with commas"
    return (
        Text("colour_by", "colour by", settings.colour_by, parse_name, hint, ""),
        Text("group_by", "average by", ", ".join(settings.group_by), parse_names, several_hint, ""),
        Text("run_columns", "columns", ", ".join(settings.run_columns), parse_names, several_hint, ""),
    )
