"""Exceptions and warnings of the Python API; each message is one plain sentence."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
"""Prefix of the paths of all modules of tbtui."""


class PathError(OSError, ValueError):
    """Raised when a path given to `tbtui.open` does not exist, cannot be read, or is not an event file."""


class PatternError(ValueError):
    """Raised when a pattern for runs or tags is neither a valid regular expression nor part of any name."""


class _PlainKeyError(KeyError):
    """Show the message without the quotes that `KeyError` adds."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownRunError(_PlainKeyError):
    """Raised when no run has the given name."""


class UnknownTagError(_PlainKeyError):
    """Raised when the run has no such tag, or the tag holds another kind of data."""


class UnknownStepError(_PlainKeyError):
    """Raised when a tag has no value at the given step."""


class PayloadError(ValueError):
    """Raised when a stored value cannot be read, or is not of the kind of its tag."""

    def __init__(
        self, reason: str, run: str = "", tag: str = "", step: int = 0, path: str = "", offset: int = 0
    ) -> None:
        super().__init__(reason, run, tag, step, path, offset)
        self.reason = reason
        """One plain sentence, without run, tag, step and path, which `str` adds."""

        self.run = run
        self.tag = tag
        self.step = step
        self.path = path
        """Path of the event file."""

        self.offset = offset
        """Offset in bytes of the event that holds the value."""

    def __str__(self) -> str:
        return f"{self.tag!r} of {self.run!r} at step {self.step}: {self.reason} ({self.path!r}, byte {self.offset:,})"


class PlainTextWarning(UserWarning):
    """Warn that a pattern selects names that contain it as plain text; the message gives the reason."""


class LeftOutWarning(UserWarning):
    """Warn that a table lacks unreadable values; the message gives their number and the first reason."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning that names the line of the calling program: the innermost one outside tbtui."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - `skip_file_prefixes` of `warn` needs Python 3.12
    stack_level = 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, stack_level = frame.f_back, stack_level + 1
    warnings.warn(message, category, stacklevel=stack_level)
