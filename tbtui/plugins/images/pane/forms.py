"""Forms of the Images tab: options, details of a picture, and writing it to a file. Imports no Textual."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts import numbers
from tbtui.export.media import UNKNOWN_ENDING
from tbtui.export.output import OutputError, OutputExistsError, StepNames, write_file
from tbtui.frozen import frozen
from tbtui.plugins.images.decode import ImageError
from tbtui.plugins.images.detail import IMAGE_ERRORS
from tbtui.plugins.images.read import PLUGIN_NAME, shown_at, stored_steps
from tbtui.plugins.images.settings import BRIGHTNESS, COMPARISON, CONTRAST, DISPLAY_SETTINGS, SETTINGS
from tbtui.plugins.images.table import film_text, protocol_details
from tbtui.plugins.sample_steps import NoValueError
from tbtui.terminal_images.header import format_of
from tbtui.view.descriptions import points_summary, tag_details
from tbtui.widgets import form_fields
from tbtui.widgets.form_fields import (
    Choice,
    FieldError,
    columns_field,
    grouped,
    setting_field,
    setting_fields,
)
from tbtui.widgets.save_dialog import check_no_stream, path_field, proposed_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tbtui.plugins.images.pixels import PixelCache
    from tbtui.plugins.images.read import ImageData, ImageReader
    from tbtui.plugins.sample_cards import Place
    from tbtui.plugins.sample_steps import SampleStep
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.terminal_images.capabilities import ImageProtocol
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


def options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all options of images."""
    return (
        *grouped(
            "Images",
            *setting_fields(settings, "images", BRIGHTNESS, CONTRAST, COMPARISON),
            *setting_fields(settings, *DISPLAY_SETTINGS),
        ),
        *grouped(
            "Steps",
            setting_field(settings, "x_axis", hint="unit of the cursor that all tabs share"),
            setting_field(settings, "skip_steps", hint="hide images before this step"),
            setting_field(settings, "superseded", hint="show images overwritten by a restart"),
        ),
        *grouped(
            "Cards",
            setting_field(settings, "overview", hint="small cards, in the order they were written in"),
            columns_field(settings),
        ),
    )


def with_options(settings: Settings, entered: dict[str, Any]) -> Settings:
    """Return the settings with the entered options."""
    return form_fields.with_options(settings, entered, SETTINGS)


def about(
    data: ImageData, pixels: PixelCache, way: ImageProtocol, view: View, key: str, place: Place
) -> tuple[str, ...]:
    """Return the details of a card: the shown picture, its protocol, then its tag (`tag_details`)."""
    run = view.snapshot.runs.get(place.run)
    series = None if run is None else run.references(place.tag, PLUGIN_NAME)
    all_series = [] if series is None else [series]
    return (
        *_shown(data, pixels, view, key, place),
        protocol_details(way),
        "",
        *tag_details(view, PLUGIN_NAME, place.tag, all_series, _series_details),
    )


def _series_details(series: ReferenceSeries) -> Iterator[str]:
    yield points_summary(series, "step")
    yield f"{numbers.size(int(series.lengths.sum()))} in all, as stored"


def _shown(data: ImageData, pixels: PixelCache, view: View, key: str, place: Place) -> Iterator[str]:
    """Yield the shown step, and the facts of its header."""
    try:
        stop = data.shown(view, key, place)
        yield f"{stop.label}, logged {numbers.clock(stop.wall_time)}"
        stored = data.stored(stop, place.sample)
        if place.samples > 1:
            yield f"image {place.sample + 1} of {place.samples}"
        yield f"{len(stored.data):,} bytes encoded"
        if stored.claimed is not None:
            yield f"{stored.claimed[0]:,} × {stored.claimed[1]:,} pixels according to the writer"
        header = pixels.header(stored)
        yield f"{header.width:,} × {header.height:,} pixels, {header.format}, {header.mode} of {header.bits} bits"
        values = pixels.values(stored)
        if values is not None:
            yield values.text
        if header.frames > 1:
            yield f"an animation of {film_text(header)}"
    except IMAGE_ERRORS as error:
        yield f"✗ {error}"


@frozen
class WrittenImages:
    """The files that were written."""

    path: Path
    """Path of the only file, or of the first one."""

    count: int
    nbytes: int


def ending(data: bytes) -> str:
    """Return the suffix for a file of this picture."""
    found = format_of(data)
    return UNKNOWN_ENDING if found is None else found.ending


def fields(place: Place) -> tuple[Field, ...]:
    """Return the fields of the form that writes pictures."""
    steps = ((False, "the one shown"), (True, "all"))
    return (
        path_field(
            proposed_name("image", place.run, place.numbered(place.tag)),
            "without an ending it has that of the format; of all steps, each has its number in it",
        ),
        Choice("all", "steps", steps, False, "every stored step in a file of its own, or one"),
        Choice("force", "replace", ((False, "no"), (True, "yes")), False, "replace existing files"),
    )


class ImageWriter:
    """Write the pictures that one form asks for; runs on a thread of its own.

    Args:
        reader: Reader of the pictures.
        view: The shown view.
        key: The card.
        place: Run, tag and sample of the card.
    """

    def __init__(self, reader: ImageReader, view: View, key: str, place: Place) -> None:
        self._reader, self._view, self._key, self._place = reader, view, key, place
        self._stopped = Event()

    def stop(self) -> None:
        """Write no further file."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> WrittenImages | None:
        """Write the pictures that the form asks for.

        Returns:
            None when it was stopped before anything was written.

        Raises:
            FieldError: It cannot be written.
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
            raise FieldError("force", str(error)) from None
        except OutputError as error:
            raise FieldError("path", str(error)) from None
        except (ImageError, NoValueError) as error:
            raise FieldError("all", str(error)) from None
        return None if first is None else WrittenImages(first, count, nbytes)

    def _stops(self, *, every: bool) -> list[SampleStep]:
        stored = stored_steps(self._view, self._place.run, self._place.tag)
        return list(stored) if every else [stored.nearest(shown_at(self._view.settings, self._key))]

    def _bytes(self, stop: SampleStep) -> bytes:
        encoded = self._reader.read(stop.steps.run, stop.steps.series, stop.point).encoded
        if self._place.sample >= len(encoded):
            raise NoValueError(f"step {stop.step} has no image {self._place.sample + 1}")
        return encoded[self._place.sample]
