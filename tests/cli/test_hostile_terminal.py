"""Test every tab, overlay and command with names and texts that contain control sequences."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import pytest

from tbtui.cli.options.export import ALL
from tbtui.plugins.graphs import FORMATS as GRAPH_FORMATS
from tbtui.plugins.registry import list_exports
from tests.helpers.hostile_logs import SEQUENCES, hostile, log_hostile, log_value
from tests.helpers.pty_app import PtyApp, product
from tests.helpers.strict_terminal import crooked_frames, trespasses

if TYPE_CHECKING:
    from pathlib import Path

PASTED = "\x1b[200~\x9b2J\u202e\U0010eeee\x07\x1b[201~"
"""Pasted control characters, without escape sequences: terminals remove those from pasted text."""

TOUR = r"""
    i     < about see-long
    e     < chart see-
    w     < write the data of see-
    M     < merge tags
    !     < at [\d,]+  the length
    ?     < keys of
    ^p      type part of its name
    paste,j < │ j
    enter < ‹ see-
    noise,2 see-scalar0
    3       see-image.*8×8
    i     < 8 × 8 pixels according
    enter < ‹ see-
    4       see-audio.*kHz
    i     < about see-audio
    enter < ‹ see-audio
    5       ╭ see-display
    i     < about see-hist
    6       ▇▇▆
    enter < ‹ see-display
    7       see-layer
    i     < about see-
    y       copied the name
    I     < choose a graph
    ]       see-scope
    i     < about see-scope
    m,T     GPU:0
    m,o     see-op
    m,T     choose an execution
    8       see-words
    i     < tensor of strings
    y       copied \d+ lines
    m       script>see
    d       \+ ● see-
    9       ╭ see-display
    i     < about see-curve
    tab,c < colour of see-
    C       ▌ copied +
    /       ⏎ apply
    paste,x < / x
"""
"""Keys, and a text on the screen after them; `<` closes the overlay."""

NAMED = {"^p": "\x10", "paste": PASTED, "noise": "\udcff\udc9b\udce4"}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    log_hostile(tmp_path / "logs")
    return tmp_path / "logs"


def test_dashboard_hostile_names_are_escaped_and_aligned(logs: Path) -> None:
    quick = {"ESCDELAY": "10"}  # milliseconds that Textual waits for the rest of an escape sequence
    with PtyApp(product("--alert", "--images", "half", str(logs)), env=quick) as app:
        app.until(r"3 Images 4 Audio 5 .* 7 Graphs 8 Text 9 PR")  # everything is read: no tab changes its number
        app.until("╭ see-long")  # the first run; others may precede it
        for line in TOUR.strip().splitlines():
            keys, shown = line.split(maxsplit=1)
            pattern = re.compile(shown.removeprefix("< "))
            app.send(*(NAMED.get(key, key) for key in keys.split(",")))
            app.until(pattern.pattern)
            app.until_true(lambda: not any(crooked_frames(app.screen)), "straight frames")
            if shown.startswith("<"):
                app.send("escape")
                app.until_true(lambda pattern=pattern: pattern.search(app.text) is None, f"way back from {line!r}")
        app.resize(46, 24)  # a narrow panel
        app.until_true(lambda: not any(crooked_frames(app.screen)), "straight frames")
        app.resize(120, 40)
        log_value(logs, hostile("see-late"), math.nan)
        app.until("NaN from step")
        app.send("q")
        assert app.wait() == 0
        assert app.attributes() == app.attributes_before
    assert trespasses(bytes(app.raw)) == []
    assert b"\x1b]0;tbtui \xe2\x9c\x97 see-" in app.raw


ONE_GRAPH = "--runs", "^see-raw", "--tags", "^see-keras"

EVERYTHING = """
import sys
from tbtui.cli.main import main
for words in eval(sys.argv[1]):
    try:
        main(words)
    except SystemExit:
        pass
"""


def test_commands_print_no_control_sequences_of_names(logs: Path, tmp_path: Path) -> None:
    evil = "".join(SEQUENCES[1:4])
    commands = [
        ["inspect", str(logs)],
        ["inspect", "--json", str(logs)],
        *(["export", "--plugin", plugin, str(logs)] for plugin in (*list_exports(), ALL)),
        ["export", "--format", "json", str(logs)],
        ["export", "--format", "jsonl", "--plugin", "text", str(logs)],
        *(["export", "--plugin", "graphs", *ONE_GRAPH, "--format", form, str(logs)] for form in GRAPH_FORMATS),
        ["export", "-o", str(tmp_path / evil.replace("/", "") / "x.csv"), str(logs)],
        ["export", "--plugin", "images", "-o", str(logs), str(logs)],
        ["inspect", f"no{evil}"],
        ["inspect", "--runs", f"({evil}", str(logs)],
        ["inspect", "--runs", evil, str(logs)],
        ["cache", evil],
        ["cache", "--info"],
        ["--tab", evil, "."],
        ["--theme", evil, "."],
    ]
    commands = [[word.replace("\0", "") for word in command] for command in commands]
    python = product()[0]
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache") + SEQUENCES[1].replace("/", "") + "\u202e"}
    with PtyApp([python, "-c", EVERYTHING, repr(commands)], size=(200, 10), env=cache) as app:
        app.wait()
    assert trespasses(bytes(app.raw)) == []
    assert b"\x1b" not in app.raw
    for visible in ("see-run", "see-scalar", "see-layer", "see-words", "at most", "is not a regular expression"):
        assert visible in app.raw.decode()
