"""One value read again from the payload that a reference points to."""

from __future__ import annotations

from typing import Any

from tbtui.events.compat import upgraded
from tbtui.events.messages import PARSE_ERRORS, message


class ValueGone(ValueError):  # noqa: N818 - a fact about the file
    """The payload no longer holds the value: the file was changed after it was read."""


def value_of(payload: bytes, index: int) -> Any:
    """The `SummaryValue` at `index` of a serialized `Event`, brought up to date; the `Event` itself when `index` is -1.

    Raises:
        ValueGone: The payload is no event or has no such value.
    """
    try:
        event = message("Event").FromString(payload)
    except PARSE_ERRORS as error:
        raise ValueGone("the file no longer holds an event here") from error
    if index == -1:
        return event
    if not 0 <= index < len(event.summary.value):
        raise ValueGone("the file no longer holds this value here")
    return upgraded(event.summary.value[index])
