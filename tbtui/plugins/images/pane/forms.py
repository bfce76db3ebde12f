"""Forms of the Images tab: options, details of a picture, and writing it to a file. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.charts import numbers
from tbtui.export.media import UNKNOWN_ENDING
from tbtui.plugins.images.decode import ImageError
from tbtui.plugins.images.detail import IMAGE_ERRORS
from tbtui.plugins.images.read import PLUGIN_NAME
from tbtui.plugins.images.settings import BRIGHTNESS, COMPARISON, CONTRAST, DISPLAY_SETTINGS
from tbtui.plugins.images.table import describe_protocol, format_frames
from tbtui.plugins.images.transitions import CARD_STEPS
from tbtui.plugins.shown_steps import NoValueError, list_shown_steps
from tbtui.terminal_images.header import detect_format
from tbtui.view.descriptions import describe_tag, summarize_points
from tbtui.widgets.file_saver import StepFilesSaver, create_path_field, create_step_files_fields, propose_name
from tbtui.widgets.form_fields import (
    create_grid_fields,
    create_setting_field,
    create_setting_fields,
    group_fields,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.images.pixels import PixelCache
    from tbtui.plugins.images.read import ImageData, ImageReader
    from tbtui.plugins.sample_cards import CardSample
    from tbtui.plugins.shown_steps import ShownStep
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.terminal_images.capabilities import ImageProtocol
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


def build_options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all options of images."""
    return (
        *group_fields(
            "Images",
            *create_setting_fields(settings, "images", BRIGHTNESS, CONTRAST, COMPARISON),
            *create_setting_fields(settings, *DISPLAY_SETTINGS),
        ),
        *group_fields(
            "Steps",
            create_setting_field(settings, "x_axis", hint="unit of the cursor that all tabs share"),
            create_setting_field(settings, "skip_steps", hint="hide images before this step"),
            create_setting_field(settings, "superseded", hint="show images overwritten by a restart"),
        ),
        *group_fields(
            "Cards",
            create_setting_field(settings, "overview", hint="small cards, in the order they were written in"),
            *create_grid_fields(settings),
        ),
    )


def format_about_lines(
    data: ImageData, pixels: PixelCache, protocol: ImageProtocol, view: View, key: str, sample: CardSample
) -> tuple[str, ...]:
    """Return the details of a card: the shown picture, its protocol, then its tag (`describe_tag`)."""
    run = view.snapshot.runs.get(sample.run)
    series = None if run is None else run.references(sample.tag, PLUGIN_NAME)
    all_series = [] if series is None else [series]
    return (
        *_format_image_lines(data, pixels, view, key, sample),
        describe_protocol(protocol),
        "",
        *describe_tag(view, PLUGIN_NAME, sample.tag, all_series, _format_series_details),
    )


def _format_series_details(series: ReferenceSeries) -> Iterator[str]:
    yield summarize_points(series, "step")
    yield f"{numbers.format_size(int(series.lengths.sum()))} in all, as stored"


def _format_image_lines(data: ImageData, pixels: PixelCache, view: View, key: str, sample: CardSample) -> Iterator[str]:
    """Yield the shown step, and the facts of its header."""
    try:
        stop = data.find_shown_step(view, key, sample)
        yield f"{stop.label}, logged {numbers.format_clock(stop.wall_time)}"
        stored = data.load(stop, sample.index)
        if sample.count > 1:
            yield f"image {sample.index + 1} of {sample.count}"
        yield f"{len(stored.data):,} bytes encoded"
        if stored.claimed is not None:
            yield f"{stored.claimed[0]:,} × {stored.claimed[1]:,} pixels according to the writer"
        header = pixels.header(stored)
        yield f"{header.width:,} × {header.height:,} pixels, {header.format}, {header.mode} of {header.bits} bits"
        values = pixels.values(stored)
        if values is not None:
            yield values.text
        if header.frames > 1:
            yield f"an animation of {format_frames(header)}"
    except IMAGE_ERRORS as error:
        yield f"✗ {error}"


def choose_file_suffix(data: bytes) -> str:
    """Return the suffix for a file of this picture."""
    format_name = detect_format(data)
    return UNKNOWN_ENDING if format_name is None else format_name.ending


def write_fields(sample: CardSample) -> tuple[Field, ...]:
    """Return the fields of the form that writes images."""
    hint = "without an ending it has that of the format; of all steps, each has its number in it"
    return create_step_files_fields(
        create_path_field(propose_name("image", sample.run, sample.numbered(sample.tag)), hint)
    )


def create_image_saver(reader: ImageReader, view: View, key: str, sample: CardSample) -> StepFilesSaver[ShownStep]:
    """Return the saver of the images that a form selects.

    Args:
        reader: Reader of the images.
        view: The shown view.
        key: The card.
        sample: Run, tag and sample of the card.
    """

    def select(every: bool) -> list[ShownStep]:
        stored = list_shown_steps(view, sample.run, sample.tag, PLUGIN_NAME, "image")
        return list(stored) if every else [stored.nearest(CARD_STEPS.position(view.settings, key))]

    def encode(step: ShownStep, _entered: dict[str, Any]) -> tuple[bytes, str]:
        encoded = reader.read(step.steps.run, step.steps.series, step.point).encoded
        if sample.index >= len(encoded):
            raise NoValueError(f"step {step.step} has no image {sample.index + 1}")
        data = encoded[sample.index]
        return data, choose_file_suffix(data)

    return StepFilesSaver(select, encode, (ImageError, NoValueError))
