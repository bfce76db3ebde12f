"""Events without scalars that several runs share, whole or but for the content of the plugin of their value.

The runs of a search log the same declaration of their hyperparameters, and messages with their values that differ in
nothing else. Protobuf decodes the first of these. All bytes of a further one are compared, except the field
`plugin_data.content`, which is copied: protobuf does not look into it either.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.events.compat import tag_info
from tbtui.events.decoder import SCALARS
from tbtui.events.schema import PARSE_ERRORS
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.events.block import TagInfo

MAX_EVENTS = 64
"""Maximum number of events that are remembered whole."""

MAX_NEW_EVENTS = 4096
"""Maximum number of events of which the hash is remembered, because they were seen once."""

MAX_PATTERNS = 256
"""Maximum number of patterns: the messages of a search have another length for each combination of its words."""

MAX_PATTERNS_OF_LENGTH = 4
MIN_CONTENT_BYTES = 8
"""Minimum size of the content of a pattern. A content of a few bytes is equal in most runs, and may be an old form."""


@frozen(eq=False)
class KnownEvent:
    """An event that only holds values that are no scalars."""

    step: int
    infos: tuple[TagInfo, ...]
    """Metadata of the tag of each value."""

    content: slice | None = None
    """The content of its only value, as a part of the bytes after the wall time; None: the event has no other one."""


class _Pattern(NamedTuple):
    """An event, of which all bytes but the content of its value are compared."""

    prefix: bytes
    suffix: bytes
    event: KnownEvent


class EventPatterns:
    """The events seen so far."""

    def __init__(self) -> None:
        self._events: dict[bytes, KnownEvent] = {}
        """By the bytes after the wall time."""

        self._patterns: dict[int, list[_Pattern]] = {}
        """By the number of these bytes."""

        self._pattern_count = 0
        self._seen: set[int] = set()
        """Hashes of the bytes of events that were seen once. Most are never seen again, such as hyperparameters."""

    def find(self, rest: bytes) -> KnownEvent | None:
        """Return the event with these bytes after its wall time, up to the content of a pattern; None if it is new."""
        event = self._events.get(rest)
        if event is not None:
            return event
        for prefix, suffix, known in self._patterns.get(len(rest), ()):
            if rest.startswith(prefix) and rest.endswith(suffix):
                if self._is_second(rest):
                    (info,) = known.infos
                    content = rest[len(prefix) : len(rest) - len(suffix)]
                    self._remember(rest, known.step, (replace(info, content=content),))
                return known
        return None

    def learn(self, event: Any, rest: bytes) -> None:
        """Remember an event that protobuf decoded: as a pattern, and whole when it is seen for the second time."""
        is_second = self._is_second(rest)
        if not is_second and not self._has_room(len(rest)):
            return
        if event.WhichOneof("what") != "summary" or event.source_metadata.writer or not event.wall_time:
            return
        # The first field is a wall time. Without it there is none: no later field counts as the wall time.
        if type(event).FromString(rest).wall_time:
            return
        infos = tuple(map(tag_info, event.summary.value))
        if not infos or any(info.plugin_name == SCALARS for info in infos):
            return
        if is_second:
            self._remember(rest, event.step, infos)
        elif len(infos) == 1 and (content := _find_content(type(event), rest, event.step, infos[0])) is not None:
            known = KnownEvent(event.step, infos, content)
            pattern = _Pattern(rest[: content.start], rest[content.stop :], known)
            self._patterns.setdefault(len(rest), []).append(pattern)
            self._pattern_count += 1

    def _is_second(self, rest: bytes) -> bool:
        """Return True if an event was seen before; from now on it was."""
        if hash(rest) in self._seen:
            return True
        if len(self._seen) >= MAX_NEW_EVENTS:
            self._seen.clear()
        self._seen.add(hash(rest))
        return False

    def _remember(self, rest: bytes, step: int, infos: tuple[TagInfo, ...]) -> None:
        if len(self._events) >= MAX_EVENTS:
            self._events.clear()
        self._events[rest] = KnownEvent(step, infos)

    def _has_room(self, length: int) -> bool:
        """Return True if a pattern of this length may be learned."""
        of_length = self._patterns.get(length, ())
        return self._pattern_count < MAX_PATTERNS and len(of_length) < MAX_PATTERNS_OF_LENGTH


def _find_content(event_type: Any, rest: bytes, step: int, info: TagInfo) -> slice | None:
    """Return the content of the value of an event, as a part of its bytes; None if it has no pattern.

    The part is the content if other bytes in its place become the content, and nothing else changes.
    """
    size = len(info.content)
    begin = rest.find(info.content) if size >= MIN_CONTENT_BYTES else -1
    if begin < 0:
        return None
    other = bytes(byte ^ 0xFF for byte in info.content)
    try:
        event = event_type.FromString(rest[:begin] + other + rest[begin + size :])
    except PARSE_ERRORS:
        return None
    if event.step != step or event.wall_time or len(event.summary.value) != 1:
        return None
    is_content = tag_info(event.summary.value[0]) == replace(info, content=other)
    return slice(begin, begin + size) if is_content else None
