"""One value read again from the payload that a reference points to."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tbtui.events.compat import upgrade_value
from tbtui.events.schema import PARSE_ERRORS, message

NO_EVENT = "the file no longer holds an event here"
NO_VALUE = "the file no longer holds this value here"
OTHER_EVENT = "the file now holds another event here"


class StaleValueError(ValueError):
    """The payload no longer holds the value: the file was changed after it was read."""


class EventTime(NamedTuple):
    """When an event was logged: what tells it from one that has taken its place in the file."""

    step: int
    wall_time: float


def read_value(payload: bytes, index: int, moment: EventTime | None = None) -> Any:
    """The `SummaryValue` at `index` of a serialized `Event`, brought up to date; the `Event` itself when `index` is -1.

    Raises:
        ValueGone: The payload is no event, has no such value, or is of another moment than the one given.
    """
    value = read_stored_value(payload, index, moment)
    return value if index == -1 else upgrade_value(value)


def read_stored_value(payload: bytes, index: int, moment: EventTime | None = None) -> Any:
    """Likewise, as it was written."""
    event = _event(payload)
    if moment is not None and not _is_of(event, moment):
        raise StaleValueError(OTHER_EVENT)
    if index == -1:
        return event
    if not 0 <= index < len(event.summary.value):
        raise StaleValueError(NO_VALUE)
    return event.summary.value[index]


def is_event(payload: bytes) -> bool:
    """Whether protobuf can read all of a payload."""
    try:
        _event(payload)
    except StaleValueError:
        return False
    return True


def _event(payload: bytes) -> Any:
    try:
        return message("Event").FromString(payload)
    except PARSE_ERRORS as error:
        raise StaleValueError(NO_EVENT) from error


def _is_of(event: Any, moment: EventTime) -> bool:
    step, wall_time = moment
    both_nan = math.isnan(event.wall_time) and math.isnan(wall_time)
    return event.step == step and (event.wall_time == wall_time or both_nan)
