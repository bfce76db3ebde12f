"""What is pasted is text, whatever it holds: an escape character in it begins no key.

Terminals send a paste between two marks. Most of them take escape characters out of it; some do not, and what follows
one would be read as keys: a page copied from the web could press them.
"""

from __future__ import annotations

BEGIN, END = "\x1b[200~", "\x1b[201~"
"""Around what is pasted (xterm, Control Sequences: bracketed paste mode)."""

ESCAPE = "\x1b"


class PasteGuard:
    """Takes escape characters out of pastes, in whatever pieces they arrive.

    A paste that holds its own end has ended there: nothing tells that from the real one. Terminals take care of it.
    """

    def __init__(self) -> None:
        self._inside = False
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
        self._inside, self._kept = True, ""
        return rest

    def _pasted(self, data: str, passed: list[str]) -> str:
        """Pass on what is pasted, and return what comes behind."""
        seen, self._kept = self._kept + data, ""
        text, end, rest = seen.partition(END)
        if not end and (count := _begun(text, END)):
            text, self._kept = text[:-count], text[-count:]
        passed += (text.replace(ESCAPE, ""), end)
        self._inside = not end
        return rest


def _begun(text: str, mark: str) -> int:
    """With how many characters of a mark a text ends that is not all there yet."""
    return next((count for count in range(len(mark) - 1, 0, -1) if text.endswith(mark[:count])), 0)
