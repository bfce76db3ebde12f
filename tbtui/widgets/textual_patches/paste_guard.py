"""Keep characters that no keyboard types out of the program: two patches.

**Pastes.** Remove escape characters from pasted text before Textual's parser reads it.

Extends: `XTermParser` of Textual 8.2.5 to 8.2.x, through `textual_patches.driver`.

Fixes: within a bracketed paste the parser still reads escape sequences, so a page copied from the web can press keys:
`ESC [200~ ESC q ESC [201~` presses alt+q. Most terminals remove escape characters from a paste, some do not. It also
bounds a paste: a file pasted by mistake (5 MB) held up all keys behind it.

Not reported upstream. Can go when the canary in the tests fails: the plain parser then yields a `Paste` and no key.

**Fields.** Keep characters that no keyboard types out of input fields.

Extends: `Input.restrict` of Textual 8.2.5 to 8.2.x, which is public and empty by default. `Input` accepts whatever is
pasted: control characters, format characters without a width, private-use characters. Textual then writes them to the
terminal with the field, where an escape sequence takes effect and kitty takes U+10EEEE for an image placeholder.

Not reported upstream. Can go when the canary in the tests fails: `Input` then refuses control characters itself.
"""

from __future__ import annotations

TYPED = (
    "[^\x00-\x1f\x7f-\x9f"  # controls
    "\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"  # no width
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]*"  # surrogates, private use (kitty's image placeholders)
)
"""Regular expression for `Input.restrict`."""

BEGIN, END = "\x1b[200~", "\x1b[201~"
"""Marks around a paste (xterm, Control Sequences: bracketed paste mode)."""

ESCAPE, NUL = "\x1b", "\0"

MAX_PASTE_CHARACTERS = 1 << 16
"""Maximum characters of a paste; no field is meant for more."""


def is_too_long(pasted: str) -> bool:
    """Return True if a `PasteGuard` cut this paste, so that no field should take it."""
    return len(pasted) > MAX_PASTE_CHARACTERS


class PasteGuard:
    """Remove escape characters from pastes that arrive in any pieces, and cut pastes that are too long.

    A paste that contains the end mark ends there: it cannot be distinguished from the real mark.
    Terminals take care of that.
    """

    def __init__(self) -> None:
        self._inside = False
        self._room = 0
        """Remaining characters of the paste that are passed on. One more than the maximum shows that it was cut."""

        self._unfinished = ""
        """Start of a possible end mark; outside a paste, of a possible begin mark."""

    def remove_escapes(self, data: str) -> str:
        """Return the input with plain text between the marks of pastes."""
        passed: list[str] = []
        while data:
            data = self._pass_pasted(data, passed) if self._inside else self._pass_typed(data, passed)
        return "".join(passed)

    def _pass_typed(self, data: str, passed: list[str]) -> str:
        """Pass on what precedes a paste and return the rest. Nothing is delayed, as a lone escape is a key."""
        seen = self._unfinished + data
        start = seen.find(BEGIN)
        if start < 0:
            passed.append(data)
            self._unfinished = seen[-_count_begun_mark(seen, BEGIN) :] if _count_begun_mark(seen, BEGIN) else ""
            return ""
        rest = seen[start + len(BEGIN) :]
        passed.append(data[: len(data) - len(rest)])
        self._inside, self._unfinished, self._room = True, "", MAX_PASTE_CHARACTERS + 1
        return rest

    def _pass_pasted(self, data: str, passed: list[str]) -> str:
        """Pass on pasted text and return what follows the paste."""
        seen, self._unfinished = self._unfinished + data, ""
        text, end, rest = seen.partition(END)
        if not end and (count := _count_begun_mark(text, END)):
            text, self._unfinished = text[:-count], text[-count:]
        text = text.replace(ESCAPE, "").replace(NUL, "")[: self._room]  # Textual removes NUL, too
        self._room -= len(text)
        passed += (text, end)
        self._inside = not end
        return rest


def _count_begun_mark(text: str, mark: str) -> int:
    """Return the number of characters of an incomplete mark at the end of the text."""
    return next((count for count in range(len(mark) - 1, 0, -1) if text.endswith(mark[:count])), 0)


def remove_untypeable(text: str) -> str:
    """Return the text without characters that a keyboard does not type and a terminal must not be sent."""
    return "".join(char for char in text if char.isprintable())
