"""Test the message for environments in which the dashboard cannot be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.cli.dashboard import find_terminal_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

XTERM = {"TERM": "xterm-256color"}


@dataclass(frozen=True)
class Stream:
    terminal: bool = True
    encoding: str = "utf-8"
    closed: bool = False

    def isatty(self) -> bool:
        return self.terminal


TERMINAL = Stream()


def obstacle_in(
    environ: Mapping[str, str] = XTERM,
    stdin: Stream | None = TERMINAL,
    stdout: Stream | None = TERMINAL,
    stderr: Stream | None = TERMINAL,
) -> str | None:
    streams: list[Any] = [stdin, stdout, stderr]
    return find_terminal_problem(environ, *streams)


@pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "utf_8"])
@pytest.mark.parametrize("terminal", ["xterm", "tmux-256color", "linux", "vt100"])
def test_environment_of_a_terminal_is_accepted(terminal: str, encoding: str) -> None:
    assert obstacle_in({"TERM": terminal}, stderr=Stream(encoding=encoding)) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stdin": Stream(terminal=False)}, "stdin is not a terminal"),
        ({"stdout": Stream(terminal=False)}, "stdout is not a terminal"),
        ({"stderr": Stream(terminal=False)}, "stderr is not a terminal"),
        ({"stdin": None}, "stdin is not a terminal"),
        ({"stderr": None}, "stderr is not a terminal"),
        ({"stdout": Stream(closed=True)}, "stdout is not a terminal"),
        ({"environ": {}}, "TERM is not set"),
        ({"environ": {"TERM": ""}}, "TERM is not set"),
        ({"environ": {"TERM": "dumb"}}, "TERM is dumb"),
        ({"environ": {"TERM": "unknown"}}, "TERM is unknown"),
        ({"stderr": Stream(encoding="iso8859-1")}, "encoding is iso8859-1, not UTF-8"),
        ({"stderr": Stream(encoding="ascii")}, "encoding is ascii, not UTF-8"),
    ],
)
def test_environment_obstacle_is_reported_with_a_workaround(arguments: dict[str, Any], message: str) -> None:
    obstacle = obstacle_in(**arguments)
    assert obstacle is not None
    assert message in obstacle
    assert obstacle.endswith("tbtui print")
    assert "\n" not in obstacle
