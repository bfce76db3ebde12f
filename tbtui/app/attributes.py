"""Attributes of runs for the whole app: read on a thread of its own, when a filter, a colour or a column needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.view.attributes import NO_ATTRIBUTES, needs_attributes
from tbtui.widgets.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import Plugin, ReadAttributes
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.view.attributes import RunAttributes


class AttributeFinder:
    """Knows the attributes of the latest snapshot that was read. Used on the UI thread.

    Args:
        plugins: Dashboards; the first that reads attributes is asked.
        payloads: Returns the reader of values in files.
        announce: Called on the worker thread when results wait; must make the UI thread call `drain` soon.
        found: Called on the UI thread when newer attributes were read.
    """

    def __init__(
        self,
        plugins: Sequence[Plugin],
        payloads: Callable[[], Payloads],
        announce: Callable[[], object],
        get_attributes: Callable[[], object],
    ) -> None:
        self._make = next((plugin.attributes for plugin in plugins if plugin.attributes is not None), None)
        self._payloads = payloads
        self._found = get_attributes
        self._worker = Worker(announce)
        self._read: ReadAttributes | None = None
        self._requested: tuple[object, ...] = ()
        self._latest = NO_ATTRIBUTES
        self._is_asking = False

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
        if self._make is None or not (is_required or needs_attributes(settings)):
            return None
        request = snapshot.revision, settings.plugin_settings, settings.charts
        if request != self._requested:
            self._requested = request
            if self._read is None:
                self._read = self._make(self._payloads())
            read = self._read

            def work() -> Iterator[RunAttributes]:
                yield read(snapshot, settings)

            self._is_asking = True
            self._worker.ask("attributes", work, self._take, self._fail)
            self._is_asking = False
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

    def _take(self, attributes: RunAttributes) -> None:
        self._latest = attributes
        if not self._is_asking:
            self._found()

    def _fail(self, _error: Exception) -> None:
        """Keep the attributes that are known: a filter must not end the app."""
