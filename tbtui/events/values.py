"""Read one value from the payload that a reference points to."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tbtui.events.compat import upgrade_value
from tbtui.events.schema import PARSE_ERRORS, get_message_class

NO_EVENT = "the file no longer holds an event here"
NO_VALUE = "the file no longer holds this value here"
OTHER_EVENT = "the file now holds another event here"


class StaleValueError(ValueError):
    """The payload no longer holds the value: the file has changed since it was read."""


class EventTime(NamedTuple):
    """Step and wall time of an event, which identify it if another event replaces it in the file."""

    step: int
    wall_time: float


def read_value(payload: bytes, index: int, moment: EventTime | None = None) -> Any:
    """Return the upgraded `SummaryValue` at `index` of a serialized `Event`, or the `Event` if `index` is -1.

    Raises:
        StaleValueError: The payload is not an event, has no such value, or not the step and wall time `moment`.
    """
    value = read_stored_value(payload, index, moment)
    return value if index == -1 else upgrade_value(value)


def read_stored_value(payload: bytes, index: int, moment: EventTime | None = None) -> Any:
    """Return the same as `read_value`, in the format in which it was written."""
    event = _read_event(payload)
    if moment is not None and not _has_time(event, moment):
        raise StaleValueError(OTHER_EVENT)
    if index == -1:
        return event
    if not 0 <= index < len(event.summary.value):
        raise StaleValueError(NO_VALUE)
    return event.summary.value[index]


def is_event(payload: bytes) -> bool:
    """Return True if a payload is an `Event`."""
    try:
        _read_event(payload)
    except StaleValueError:
        return False
    return True


def _read_event(payload: bytes) -> Any:
    try:
        return get_message_class("Event").FromString(payload)
    except PARSE_ERRORS as error:
        raise StaleValueError(NO_EVENT) from error


def _has_time(event: Any, moment: EventTime) -> bool:
    step, wall_time = moment
    both_nan = math.isnan(event.wall_time) and math.isnan(wall_time)
    return event.step == step and (event.wall_time == wall_time or both_nan)
