"""Writes the bytes of pictures to files, as they were logged. Imports no Textual."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.images import ImageError
from tbtui.export.file_names import StepNames
from tbtui.export.media import UNKNOWN_ENDING
from tbtui.export.output import OutputError, OutputExistsError, write_file
from tbtui.frozen import frozen
from tbtui.graphics.formats import format_of
from tbtui.plugins.images.steps import NoPictureError, shown_at, stored_steps
from tbtui.widgets.file_writing import check_no_stream, path_field
from tbtui.widgets.form_fields import Choice, RefusedError

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.loading.images import ImageReader
    from tbtui.plugins.images.steps import Stop
    from tbtui.viewstate.sample_cards import Place
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field


@frozen
class WrittenImages:
    """What has been written."""

    path: Path
    """Of the only one, or of the first."""

    count: int
    nbytes: int


def ending(data: bytes) -> str:
    """What a file of this picture is called behind its name."""
    found = format_of(data)
    return UNKNOWN_ENDING if found is None else found.ending


def fields() -> tuple[Field, ...]:
    """What is asked for before anything is written."""
    steps = ((False, "the one shown"), (True, "all"))
    return (
        path_field("image", "without an ending it has that of the format; of all steps, each has its number in it"),
        Choice("all", "steps", steps, False, "every stored step in a file of its own, or one"),
        Choice("force", "replace", ((False, "no"), (True, "yes")), False, "whether files that are there are replaced"),
    )


class Writing:
    """One form's worth of writing; runs on a thread of its own.

    Args:
        reader: Reads the pictures.
        view: What is shown.
        key: The card.
        place: What it shows.
    """

    def __init__(self, reader: ImageReader, view: View, key: str, place: Place) -> None:
        self._reader, self._view, self._key, self._place = reader, view, key, place
        self._stopped = Event()

    def stop(self) -> None:
        """Write no further file."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> WrittenImages | None:
        """Write what was entered.

        Returns:
            None when it was stopped before anything was written.

        Raises:
            RefusedError: It cannot be written.
        """
        first, count, nbytes = None, 0, 0
        try:
            stops, named = self._stops(every=entered["all"]), entered["path"]
            names = StepNames(named.stem, np.array([stop.step for stop in stops]))
            for index, stop in enumerate(stops):
                if self._stopped.is_set():
                    break
                data = self._bytes(stop)
                suffix = named.suffix or ending(data)
                path = named.with_name(names.name(index, suffix) if entered["all"] else f"{named.stem}{suffix}")
                check_no_stream(path)
                write_file(path, [data], force=entered["force"])
                first, count, nbytes = first or path.absolute(), count + 1, nbytes + len(data)
        except OutputExistsError as error:
            raise RefusedError("force", str(error)) from None
        except OutputError as error:
            raise RefusedError("path", str(error)) from None
        except (ImageError, NoPictureError) as error:
            raise RefusedError("all", str(error)) from None
        return None if first is None else WrittenImages(first, count, nbytes)

    def _stops(self, *, every: bool) -> list[Stop]:
        stored = stored_steps(self._view, self._place.run, self._place.tag)
        return list(stored) if every else [stored.nearest(shown_at(self._view.choices, self._key))]

    def _bytes(self, stop: Stop) -> bytes:
        encoded = self._reader.read(stop.stored.run, stop.stored.series, stop.point).encoded
        if self._place.sample >= len(encoded):
            raise NoPictureError(f"step {stop.step} has no picture {self._place.sample + 1}")
        return encoded[self._place.sample]
