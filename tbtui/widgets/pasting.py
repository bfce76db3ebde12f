"""What is pasted is text, whatever it holds: an escape character in it begins no key.

Terminals send a paste between two marks. Most of them take escape characters out of it; some do not, and what follows
one would be read as keys: a page copied from the web could press them.
"""

from __future__ import annotations

BEGIN, END = "\x1b[200~", "\x1b[201~"
"""Around what is pasted (xterm, Control Sequences: bracketed paste mode)."""

ESCAPE, NUL = "\x1b", "\0"

LONGEST_PASTE = 1 << 16
"""Characters. No field is meant for more, and a file pasted by mistake would keep all keys waiting behind it."""


def is_too_long(pasted: str) -> bool:
    """Whether what a guard let through is the beginning of a paste that no field should take."""
    return len(pasted) > LONGEST_PASTE


class PasteGuard:
    """Takes escape characters out of pastes, in whatever pieces they arrive, and all of one that makes it too long.

    A paste that holds its own end has ended there: nothing tells that from the real one. Terminals take care of it.
    """

    def __init__(self) -> None:
        self._inside = False
        self._room = 0
        """How many characters more of the paste are passed on: one too many tells that it is too long."""

        self._kept = ""
        """The beginning of what may be the end of the paste; outside, of what may be the beginning of one."""

    def without_escapes(self, data: str) -> str:
        """What arrived, with pastes that are nothing but text between their marks."""
        passed: list[str] = []
        while data:
            data = self._pasted(data, passed) if self._inside else self._typed(data, passed)
        return "".join(passed)

    def _typed(self, data: str, passed: list[str]) -> str:
        """Pass on what stands before a paste, and return the rest. Nothing is held up: a lone escape is a key."""
        seen = self._kept + data
        at = seen.find(BEGIN)
        if at < 0:
            passed.append(data)
            self._kept = seen[-_begun(seen, BEGIN) :] if _begun(seen, BEGIN) else ""
            return ""
        rest = seen[at + len(BEGIN) :]
        passed.append(data[: len(data) - len(rest)])
        self._inside, self._kept, self._room = True, "", LONGEST_PASTE + 1
        return rest

    def _pasted(self, data: str, passed: list[str]) -> str:
        """Pass on what is pasted, and return what comes behind."""
        seen, self._kept = self._kept + data, ""
        text, end, rest = seen.partition(END)
        if not end and (count := _begun(text, END)):
            text, self._kept = text[:-count], text[-count:]
        text = text.replace(ESCAPE, "").replace(NUL, "")[: self._room]  # Textual leaves zeros out, too
        self._room -= len(text)
        passed += (text, end)
        self._inside = not end
        return rest


def _begun(text: str, mark: str) -> int:
    """With how many characters of a mark a text ends that is not all there yet."""
    return next((count for count in range(len(mark) - 1, 0, -1) if text.endswith(mark[:count])), 0)
