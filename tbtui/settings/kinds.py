"""Kinds of values that a setting has, and the JSON values of the settings file that each accepts.

A kind is plain data: forms derive their fields from it, and the command line the type of an option. `read` returns
the value of a JSON value and raises ValueError for one that is not of the kind. `to_json` is its inverse.
"""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MAX_NAMES = 5000
"""Names kept of each kind: hidden runs, folded groups, run colours, charts."""

MAX_LINES = 50
"""Reference lines of a chart, and merged charts."""

MAX_TEXT_CHARS = 4096
"""Characters of a name that is kept."""

MAX_STEP = 2**63 - 1


class Kind:
    """Base class of the kinds of values."""

    __slots__ = ()

    def read(self, value: object) -> Any:
        """Return the value of a JSON value.

        Raises:
            ValueError: The JSON value is not of this kind.
        """
        raise NotImplementedError


@frozen
class Flag(Kind):
    """True or false."""

    def read(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value


@frozen
class OneOf(Kind):
    """One of a few words."""

    values: tuple[str, ...]
    """In the order in which a key selects them."""

    def read(self, value: object) -> str:
        if value not in self.values:
            raise ValueError
        return str(value)


@frozen
class Integer(Kind):
    """A whole number within bounds."""

    min: int
    max: int

    def read(self, value: object) -> int:
        if type(value) is not int or not self.min <= value <= self.max:
            raise ValueError
        return value


@frozen
class Number(Kind):
    """A finite number within bounds."""

    min: float = -sys.float_info.max
    max: float = sys.float_info.max

    def read(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not self.min <= value <= self.max:
            raise ValueError
        return float(value)


@frozen
class String(Kind):
    """A string of at most `MAX_TEXT_CHARS` characters."""

    def read(self, value: object) -> str:
        if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS:
            raise ValueError
        return value


@frozen
class CheckedString(Kind):
    """A string that a function accepts."""

    check: Callable[[str], object]
    """Raises ValueError with the reason if it does not."""

    def read(self, value: object) -> str:
        text = String().read(value)
        self.check(text)
        return text


@frozen
class OrNone(Kind):
    """A value of another kind, or None."""

    kind: Kind

    def read(self, value: object) -> Any:
        return None if value is None else self.kind.read(value)


@frozen
class TupleOf(Kind):
    """A tuple of values of one kind."""

    kind: Kind
    max_items: int | None = None
    """None: `MAX_NAMES`."""

    def read(self, value: object) -> tuple[Any, ...]:
        max_items = MAX_NAMES if self.max_items is None else self.max_items
        if not isinstance(value, list) or len(value) > max_items:
            raise ValueError
        return tuple(map(self.kind.read, value))


@frozen
class PairOf(Kind):
    """Two values of one kind."""

    kind: Kind

    def read(self, value: object) -> tuple[Any, ...]:
        pair = TupleOf(self.kind, 2).read(value)
        if len(pair) != 2:
            raise ValueError
        return pair


@frozen
class RangeOfNumbers(Kind):
    """The ends of an axis, each a number or None."""

    def read(self, value: object) -> tuple[Any, ...]:
        low, high = PairOf(OrNone(Number())).read(value)
        if low is not None and high is not None and low >= high:
            raise ValueError
        return low, high


@frozen
class Names(Kind):
    """A set of strings, stored as a list."""

    def read(self, value: object) -> frozenset[str]:
        return frozenset(TupleOf(String()).read(value))


@frozen
class Record(Kind):
    """A frozen dataclass, stored as an object; fields that cannot be read have their defaults."""

    record_type: type[Any]
    kinds: Mapping[str, Kind]
    required: str = ""
    """Field without a default."""

    refuses_default: bool = False
    """True if a record with nothing but defaults is not a value."""

    def read(self, value: object) -> Any:
        fields = read_fields(value, self.kinds)
        if self.required and self.required not in fields:
            raise ValueError
        record = self.record_type(**fields)
        if self.refuses_default and record == self.record_type():
            raise ValueError
        return record


@frozen
class MappingOf(Kind):
    """A mapping from names to values of one kind."""

    kind: Kind
    keeps_defaults: bool = True
    """False to drop records with nothing but defaults."""

    def read(self, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict) or len(value) > MAX_NAMES:
            raise ValueError
        items = {String().read(name): self.kind.read(item) for name, item in value.items()}
        if self.keeps_defaults or not isinstance(self.kind, Record):
            return items
        default = self.kind.record_type()
        return {name: item for name, item in items.items() if item != default}


_UNUSABLE = object()


@frozen
class TextFile:
    """A file that an option names."""

    name: str
    """As the user wrote it; not yet safe for a terminal."""

    content: str

    problem: str = ""
    """Reason why `content` is an older one: the file cannot be used as it is now. Empty: it is the present content."""


@frozen
class FileText(Kind):
    """The content of a text file that an option names; it is not saved with a session."""

    check: Callable[[str], object]
    """Raises ValueError with the reason if the content cannot be used."""

    max_bytes: int

    def read(self, value: object) -> TextFile:  # noqa: ARG002 - a saved document holds no file
        raise ValueError


def read_fields(document: object, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """Return the values of the fields of a JSON object that are of their kind; others are left out."""
    if not isinstance(document, dict):
        return {}
    values = {name: _read(document[name], kind) for name, kind in kinds.items() if name in document}
    return {name: value for name, value in values.items() if value is not _UNUSABLE}


def _read(value: object, kind: Kind) -> Any:
    try:
        return kind.read(value)
    except ValueError:
        return _UNUSABLE


def to_json(value: Any) -> Any:
    """Return the JSON value of a setting. Names beyond `MAX_NAMES`, and names too long to be read, are left out."""
    if isinstance(value, frozenset):
        return select_short_names(value)
    if isinstance(value, tuple):
        return [to_json(item) for item in filter(_is_short, value[:MAX_NAMES])]
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "items"):
        return {key: to_json(item) for key, item in list(value.items())[-MAX_NAMES:] if _is_short(key)}
    return value


def select_short_names(names: frozenset[str] | Sequence[str]) -> list[str]:
    """Return the sorted names that are short enough to be read back, at most `MAX_NAMES`."""
    return sorted(filter(_is_short, names))[:MAX_NAMES]


def _is_short(value: object) -> bool:
    return not isinstance(value, str) or len(value) <= MAX_TEXT_CHARS
