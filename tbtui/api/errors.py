"""What can go wrong when a program asks; each message is one plain sentence."""

from __future__ import annotations


class PathError(OSError, ValueError):
    """A path given to `tbtui.open` that is not there, cannot be read, or is no event file."""


class PatternError(ValueError):
    """A pattern for runs or tags that is no regular expression."""


class _PlainKeyError(KeyError):
    """Says its message as it is: a `KeyError` would put it in quotes."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownRunError(_PlainKeyError):
    """No run has that name."""


class UnknownTagError(_PlainKeyError):
    """The run has no such tag, or values of another kind under it."""


class UnknownStepError(_PlainKeyError):
    """The tag has no value at that step."""


class PayloadError(ValueError):
    """A value in a file that cannot be read, or is not what its tag promises."""

    def __init__(
        self, reason: str, run: str = "", tag: str = "", step: int = 0, path: str = "", offset: int = 0
    ) -> None:
        """Args: as the attributes are."""
        super().__init__(reason, run, tag, step, path, offset)
        self.reason = reason
        """Why, in plain words."""

        self.run = run
        self.tag = tag
        self.step = step
        self.path = path
        """The event file."""

        self.offset = offset
        """Byte in it at which the event begins that holds the value."""

    def __str__(self) -> str:
        return f"{self.tag!r} of {self.run!r} at step {self.step}: {self.reason} ({self.path!r}, byte {self.offset:,})"


class LeftOutWarning(UserWarning):
    """A table lacks values that cannot be read; the message says how many, and why the first."""
