"""Bytes of a text as characters: what is wrong with them is told, and what is too much is left out."""

from __future__ import annotations

import json
import re

from tbtui.charts.numbers import counted
from tbtui.charts.text import UNKNOWN_MARK
from tbtui.frozen import frozen

LEFT_OUT_AT_A_LINE = 4096
"""Bytes before the end of what is shown within which a line is looked for to end at."""

_ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8, as Python's surrogateescape has them."""


@frozen
class Source:
    """A text, or the first part of one."""

    text: str
    """Its lines end in newlines alone. Other control characters are still in it, and surrogates for bytes that are no
    UTF-8."""

    notes: tuple[str, ...] = ()
    """What was changed, in plain words."""

    shown: int = 0
    """Bytes that it was made of."""

    nbytes: int = 0
    """Bytes of all of it."""


def source_of(data: bytes, most_bytes: int) -> Source:
    """The text that bytes stand for.

    Null characters are left out, as TensorBoard does. (`text_plugin.py`, `plugin_util.py`.)

    Args:
        data: UTF-8, or not.
        most_bytes: How many of them are shown at most.
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
    """Where to end: behind a line, otherwise between two characters."""
    line = data.rfind(b"\n", max(most - LEFT_OUT_AT_A_LINE, 0), most)
    if line >= 0:
        return line + 1
    end = most
    while end > max(most - 3, 0) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


# Configurations

LONGEST_JSON = 1 << 18
"""Characters that are tried as JSON."""

LINES_LOOKED_AT = 200
LINE_LOOKED_AT = 500
"""How many lines, and characters of a line, it is told from."""

MOST_OTHERS = 10
"""One line in so many may be none of a configuration."""

KEY = re.compile(
    r"""[ \t{\[(]*(?:-[ ]+)?(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|[\w.$@/<>\[\]()-]{1,80}(?:[ ][\w.()-]{1,40}){0,2})"""
    r"[ ]*[:=](?=[ \t,]|$)"
)
"""A name and what sets it off from its value: `lr: 0.1`, `  "lr": 0.1,`, `batch_size = 64`, `- name: adam`."""

_PART_OF_A_LIST = re.compile(r"[ \t]*(?:-[ ]+\S|---|[\[\]{}(),\"'0-9]|#)")
_MARKDOWN = re.compile(r"^(?:[ ]{0,3}(?:```|~~~|>)|[ ]*\|.*\|[ ]*$)|\]\(|\*\*\S", re.MULTILINE)
"""What nobody writes in a configuration."""

_TITLE = re.compile(r"#{1,6} .*\n[ ]*\n")


def reads_as_configuration(text: str) -> bool:
    """Whether a text is JSON, YAML or the like: Markdown would take its line ends, blanks and signs for its own.

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
    if text[:1] not in ("{", "[") or len(text) > LONGEST_JSON:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
