"""Writes a sound as it was recorded to a file that a form asks for. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.export.output import OutputError, OutputExistsError, write_file
from tbtui.plugins.audio.files import ending
from tbtui.widgets.file_writing import check_no_stream, file_fields
from tbtui.widgets.form_fields import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tbtui.plugins.audio.heard import Heard
    from tbtui.widgets.form_fields import Field


def write_fields(heard: Heard) -> Sequence[Field]:
    """What is asked for before a sound is written."""
    return [field for field in file_fields(f"sound{ending(heard.head)}") if field.name != "format"]


def write_sound(heard: Heard, entered: dict[str, Any]) -> Path:
    """Write the bytes of a sound, whatever they are; returns the path from the root.

    Raises:
        RefusedError: They cannot be written.
    """
    path: Path = entered["path"]
    check_no_stream(path)
    try:
        write_file(path, [heard.data], force=entered["force"])
    except OSError as error:
        raise RefusedError("path", f"the sound cannot be read: {error.strerror}") from None
    except OutputExistsError as error:
        raise RefusedError("force", str(error)) from None
    except OutputError as error:
        raise RefusedError("path", str(error)) from None
    return path.absolute()
