"""Decode the bytes of a text: invalid bytes are reported, and long texts are cut."""

from __future__ import annotations

import json
import re

from tbtui.charts.numbers import counted
from tbtui.charts.text import UNKNOWN_MARK
from tbtui.frozen import frozen

LINE_END_BYTES = 4096
"""Bytes before the cut within which the end of a line is looked for."""

_ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, as Python's surrogateescape represents them."""


@frozen
class Source:
    """A text, or the first part of one."""

    text: str
    """Lines end in newlines alone. Other control characters, and surrogates for bytes that are not UTF-8, remain."""

    notes: tuple[str, ...] = ()
    """Changes to the text, as sentences."""

    shown: int = 0
    """Bytes that were decoded."""

    nbytes: int = 0
    """Bytes of the whole text."""


def decode_text(data: bytes, most_bytes: int) -> Source:
    """Decode bytes to text.

    Null characters are left out, as TensorBoard does. (`text_plugin.py`, `plugin_util.py`.)

    Args:
        data: UTF-8, or not.
        most_bytes: Maximum number of bytes that are decoded.
    """
    shown = data if len(data) <= most_bytes else data[: _end(data, most_bytes)]
    notes = []
    try:
        text = shown.decode()
    except UnicodeDecodeError:
        text = shown.decode("utf-8", "surrogateescape")
        notes.append(f"{counted(len(_ESCAPED.findall(text)), 'byte')} that are no UTF-8 stand as {UNKNOWN_MARK}")
    if nulls := text.count("\0"):
        text = text.replace("\0", "")
        notes.append(f"{counted(nulls, 'null character')} left out")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Source(text, tuple(notes), len(shown), len(data))


def _end(data: bytes, most: int) -> int:
    """Return where to cut: after a line, otherwise between two characters."""
    line = data.rfind(b"\n", max(most - LINE_END_BYTES, 0), most)
    if line >= 0:
        return line + 1
    end = most
    while end > max(most - 3, 0) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


# Configurations

MAX_JSON_CHARACTERS = 1 << 18
"""Characters of a text that is parsed as JSON."""

LINES_LOOKED_AT = 200
LINE_LOOKED_AT = 500
"""Lines, and characters of a line, that decide whether a text is a configuration."""

MOST_OTHERS = 10
"""At most one line of this many may be none of a configuration."""

KEY = re.compile(
    r"""[ \t{\[(]*(?:-[ ]+)?(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|[\w.$@/<>\[\]()-]{1,80}(?:[ ][\w.()-]{1,40}){0,2})"""
    r"[ ]*[:=](?=[ \t,]|$)"
)
"""A name and its separator: `lr: 0.1`, `  "lr": 0.1,`, `batch_size = 64`, `- name: adam`."""

_PART_OF_A_LIST = re.compile(r"[ \t]*(?:-[ ]+\S|---|[\[\]{}(),\"'0-9]|#)")
_MARKDOWN = re.compile(r"^(?:[ ]{0,3}(?:```|~~~|>)|[ ]*\|.*\|[ ]*$)|\]\(|\*\*\S", re.MULTILINE)
"""Signs that no configuration holds."""

_TITLE = re.compile(r"#{1,6} .*\n[ ]*\n")


def reads_as_configuration(text: str) -> bool:
    """Return True for JSON, YAML and the like, whose line ends, blanks and signs Markdown would interpret.

    So it is shown as it was written. What is held for one by mistake loses its emphasis, and no word.
    """
    if _is_json(text.strip()):
        return True
    lines = [line[:LINE_LOOKED_AT] for line in text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT] if line.strip()]
    if len(lines) < 2 or _TITLE.match(text.lstrip()) or _MARKDOWN.search("\n".join(lines)):
        return False
    keys = sum(KEY.match(line) is not None for line in lines)
    others = sum(KEY.match(line) is None and _PART_OF_A_LIST.match(line) is None for line in lines)
    return 4 * keys >= max(len(lines), 8) and MOST_OTHERS * others <= len(lines)


def _is_json(text: str) -> bool:
    if text[:1] not in ("{", "[") or len(text) > MAX_JSON_CHARACTERS:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
