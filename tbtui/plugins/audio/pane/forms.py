"""Settings and forms of the Audio tab: options, details of a sound, and writing it to a file. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tbtui.charts import numbers
from tbtui.export.output import OutputError, OutputExistsError, write_file
from tbtui.plugins.audio.labels import format_decibels, format_defects, format_header
from tbtui.plugins.audio.pane.player import choose_file_suffix
from tbtui.plugins.audio.read import PLUGIN_NAME, SoundReadError
from tbtui.plugins.audio.settings import STEP_ROWS, STYLE
from tbtui.settings.entries import EntryKind, check_range, format_exact_duration, make_optional, read_duration
from tbtui.settings.settings import FULL_RANGE
from tbtui.view.descriptions import describe_tag, summarize_points
from tbtui.widgets.file_saver import check_no_stream, create_file_fields, propose_name
from tbtui.widgets.form_fields import (
    FieldError,
    Text,
    create_grid_fields,
    create_setting_field,
    create_setting_fields,
    group_fields,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tbtui.plugins.audio.read import LoadedSound, SoundCache
    from tbtui.plugins.sample_cards import CardSample
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


def show_all(settings: Settings, key: str) -> Settings:
    """Return settings that show all of a sound."""
    return replace(settings, charts=settings.with_chart(key, y_range=FULL_RANGE))


TIME = make_optional(
    EntryKind(read_duration, format_exact_duration, "a time within the sound, such as 0.25s or 1m30s"), "its end"
)


def build_options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all options of sounds."""
    superseded = create_setting_field(settings, "superseded", hint="show sounds overwritten by a restart")
    return (
        *group_fields("Sounds", *create_setting_fields(settings, STYLE, "x_axis", "skip_steps"), superseded),
        *group_fields("Cards", create_setting_field(settings, STEP_ROWS), *create_grid_fields(settings)),
    )


def time_fields(settings: Settings, key: str) -> tuple[Field, ...]:
    """Return the fields for the visible part of the sound of card `key`."""
    ends = zip(("from", "to"), settings.chart(key).y_range, strict=True)
    return tuple(Text(name, name, TIME.format(end), TIME.read, TIME.hint, "") for name, end in ends)


def check_time(entered: dict[str, Any]) -> dict[str, Any]:
    """Return the entered part of a sound if it can be an axis.

    Raises:
        FieldError: It cannot.
    """
    for name in ("from", "to"):
        if entered[name] is not None and entered[name] < 0:
            raise FieldError(name, "a sound begins at 0")
    try:
        check_range((entered["from"] or 0.0, entered["to"]), "linear")
    except ValueError as error:
        raise FieldError("from", str(error)) from None
    return entered


def with_time(settings: Settings, key: str, entered: dict[str, Any]) -> Settings:
    """Return the settings with the entered part of the sound of card `key`."""
    return replace(settings, charts=settings.with_chart(key, y_range=(entered["from"], entered["to"])))


def format_about_lines(sounds: SoundCache, view: View, sample: CardSample) -> tuple[str, ...]:
    """Return the details of a card's tag in its run, and of the sound that it shows."""
    all_series = [series for _, series in view.references(sample.tag, PLUGIN_NAME, sample.run)]
    return tuple(
        describe_tag(
            view, PLUGIN_NAME, sample.tag, all_series, partial(_format_shown_sound_lines, sounds, view, sample)
        )
    )


def _format_shown_sound_lines(
    sounds: SoundCache, view: View, sample: CardSample, series: ReferenceSeries
) -> Iterator[str]:
    yield summarize_points(series, "recording")
    stop = sounds.steps.get(view, series.run, sample.tag).nearest(view.settings.cursor)
    number = f", sound {sample.index + 1} of {sample.count}" if sample.count > 1 else ""
    yield f"at {stop.label}{number}, logged {numbers.format_clock(stop.wall_time)}:"
    try:
        sound = sounds.of(stop, sample.index)
    except SoundReadError as error:
        yield f"    ✗ {error}"
        return
    yield from (f"    {line}" for line in _format_sound_lines(sound))


def _format_sound_lines(sound: LoadedSound) -> Iterator[str]:
    wav, summed = sound.wav, sound.summed
    kind = f" of {sound.content_type}" if sound.content_type else ""
    yield f"{sound.size:,} bytes{kind}"
    if wav is None or summed is None:
        header = sound.facts.header
        yield ", ".join(filter(None, (*format_header(header), header.encoding)))
        yield f"✗ {sound.error}"
    else:
        yield ", ".join((*format_header(sound.facts.header), wav.encoding, f"{wav.frames:,} frames"))
        yield f"peak {format_decibels(summed.peak)}, RMS {format_decibels(summed.rms)} of full scale"
    yield from (f"⚠ {defect}" for defect in format_defects(sound))
    if sound.label:
        yield "label:"
        yield from sound.label.splitlines()


def write_fields(sound: LoadedSound, sample: CardSample) -> Sequence[Field]:
    """Return the fields of the form that writes a sound."""
    name = propose_name(f"sound{choose_file_suffix(sound.head)}", sample.run, sample.numbered(sample.tag))
    return [field for field in create_file_fields(name) if field.name != "format"]


def write_sound(sound: LoadedSound, entered: dict[str, Any]) -> Path:
    """Write the bytes of a sound unchanged; return the absolute path.

    Raises:
        FieldError: They cannot be written.
    """
    path: Path = entered["path"]
    check_no_stream(path)
    try:
        write_file(path, [sound.data], force=entered["force"])
    except OSError as error:
        raise FieldError("path", f"the sound cannot be read: {error.strerror}") from None
    except OutputExistsError as error:
        raise FieldError("force", str(error)) from None
    except OutputError as error:
        raise FieldError("path", str(error)) from None
    return path.absolute()
