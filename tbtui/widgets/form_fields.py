"""What a form asks for, apart from how it is drawn. Imports no Textual: forms are put together before one is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@frozen
class Choice:
    """One of a few values."""

    name: str
    label: str
    options: Sequence[tuple[Any, str]]
    """Each value and the words for it."""

    current: Any
    hint: str = ""


@frozen
class Text:
    """A typed entry."""

    name: str
    label: str
    shown: str
    read: Callable[[str], Any]
    """From what is typed to the value; raises ValueError with the reason for what cannot be used."""

    hint: str = ""


Field: TypeAlias = "Choice | Text"


class RefusedError(ValueError):
    """What was entered cannot be applied; the words say why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        """The field that is wrong."""
