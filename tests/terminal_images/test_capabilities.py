"""In which way pictures are shown, terminal by terminal."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_terminal_query import ALACRITTY, KITTY, TMUX, VS_CODE, XTERM, heard

from tbtui.terminal_images.capabilities import (
    ImageProtocol,
    ImageSetting,
    TmuxState,
    choose_protocol,
    choose_queries,
    parse_tmux_state,
    should_ask_tmux,
)
from tbtui.terminal_images.terminal_query import QUERIES, TMUX_QUERIES, Answers, CellSize

if TYPE_CHECKING:
    from tbtui.terminal_images.half_blocks import Depth

WANTED: tuple[ImageSetting, ...] = ("auto", "kitty", "sixel", "half", "off")
DEPTHS: tuple[Depth, ...] = ("true", "256", "16", "none")
PLAIN = {"TERM": "xterm-256color"}


def said(name: str = "", *, kitty: bool = False, sixel: bool = False) -> str:
    parts = ["\x1b_Gi=31;OK\x1b\\"] if kitty else []
    parts += [f"\x1bP>|{name}\x1b\\"] if name else []
    return "".join((*parts, "\x1b[?62;4;22c" if sixel else "\x1b[?62;22c"))


TERMINALS = {
    # name: (environment, what it answers, way by itself, when kitty is asked for, when sixel is)
    "kitty 0.41": ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, KITTY, "kitty", "kitty", "half"),
    "kitty 0.26": ({"TERM": "xterm-kitty"}, said("kitty(0.26.5)", kitty=True), "kitty over", "kitty over", "half"),
    "ghostty": ({"TERM": "xterm-ghostty"}, said("ghostty 1.1.3", kitty=True), "kitty", "kitty", "half"),
    "xterm -ti vt340": ({"TERM": "xterm"}, XTERM, "sixel", "half", "sixel"),
    "xterm": ({"TERM": "xterm"}, said("XTerm(379)"), "half", "half", "half"),
    "foot": ({"TERM": "foot"}, said("foot(1.16.2)", sixel=True), "sixel", "half", "sixel"),
    "mlterm": ({"TERM": "mlterm"}, said("mlterm(3.9.3)", sixel=True), "sixel", "half", "sixel"),
    "WezTerm": (
        {"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"},
        said("WezTerm 20240203-110809-5046fc22", kitty=True, sixel=True),
        "sixel",
        "kitty over",
        "sixel",
    ),
    "Konsole": (PLAIN, said("Konsole 24.08.1", kitty=True, sixel=True), "sixel", "kitty over", "sixel"),
    "iTerm2": (
        {**PLAIN, "TERM_PROGRAM": "iTerm.app"},
        said("iTerm2 3.5.10", kitty=True, sixel=True),
        "sixel",
        "kitty over",
        "sixel",
    ),
    "Windows Terminal 1.22": ({**PLAIN, "WT_SESSION": "c0ffee"}, said(sixel=True), "sixel", "half", "sixel"),
    "Windows Terminal 1.21": ({**PLAIN, "WT_SESSION": "c0ffee"}, said(), "half", "half", "half"),
    "VS Code with pictures": ({**PLAIN, "TERM_PROGRAM": "vscode"}, VS_CODE, "sixel", "half", "sixel"),
    "VS Code": ({**PLAIN, "TERM_PROGRAM": "vscode"}, said("xterm.js(5.5.0)"), "half", "half", "half"),
    "Warp": (
        {**PLAIN, "TERM_PROGRAM": "WarpTerminal"},
        said("Warp(v0.2026)", kitty=True, sixel=True),
        "half",
        "kitty over",
        "sixel",
    ),
    "alacritty": ({"TERM": "alacritty"}, ALACRITTY, "half", "half", "half"),
    "st": ({"TERM": "st-256color"}, "\x1b[?6c", "half", "half", "half"),
    "GNOME Terminal": (PLAIN, said("VTE(7600)"), "half", "half", "half"),
    "one that says nothing": (PLAIN, "", "half", "half", "half"),
    "one that says half of it": (PLAIN, "\x1bP>|kitty(0.41.1)\x1b\\", "half", "half", "half"),
    "kitty over a slow line": (PLAIN, "\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.41.1)\x1b\\", "kitty", "kitty", "half"),
    "zellij": ({**PLAIN, "ZELLIJ": "0"}, said("Zellij(4201)", sixel=True), "half", "half", "sixel"),
    "Linux console": ({"TERM": "linux"}, None, "half", "half", "half"),
    "dumb": ({"TERM": "dumb"}, None, "half", "half", "half"),
    "GNU screen": ({"TERM": "screen.xterm-256color", "STY": "1.tty"}, None, "half", "half", "half"),
    "GNU screen elsewhere": ({"TERM": "screen"}, None, "half", "half", "half"),
    "Terminal.app": ({**PLAIN, "TERM_PROGRAM": "Apple_Terminal"}, None, "half", "half", "half"),
    "no colours wanted": ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, None, "half", "half", "half"),
}


def named(way: ImageProtocol) -> str:
    return "kitty over" if way.kind == "kitty" and not way.placeholders else way.kind


@pytest.mark.parametrize("terminal", TERMINALS)
def test_each_terminal_shows_pictures_in_the_way_that_works(terminal: str) -> None:
    environment, answer, *expected = TERMINALS[terminal]
    found = []
    for wanted in ("auto", "kitty", "sixel"):
        asked = choose_queries(wanted, environment, "true")
        if answer is None or (wanted == "auto" and "ZELLIJ" in environment):
            assert asked == "", "nothing to be asked"
        else:
            assert asked == QUERIES
        found.append(
            named(choose_protocol(wanted, environment, "true", heard(answer)[0] if asked and answer else None))
        )
    assert found == expected
    assert not any(should_ask_tmux(wanted, environment, "true") for wanted in WANTED)


@pytest.mark.parametrize("terminal", TERMINALS)
@pytest.mark.parametrize("wanted", ["half", "off"])
def test_what_needs_no_terminal_asks_none(terminal: str, wanted: ImageSetting) -> None:
    environment = TERMINALS[terminal][0]
    assert choose_queries(wanted, environment, "true") == ""
    way = choose_protocol(wanted, environment, "true")
    assert (way.kind, way.reason) == (wanted, "as chosen")


def test_kitty_tells_pictures_apart_by_256_colours_at_least() -> None:
    answers = heard(KITTY)[0]
    environment = {"TERM": "xterm-kitty"}
    assert [choose_protocol("auto", environment, depth, answers).kind for depth in DEPTHS] == [
        "kitty",
        "kitty",
        "half",
        "half",
    ]
    assert choose_protocol("kitty", environment, "16", answers).reason == "16 colours are too few for kitty graphics"
    assert choose_protocol("kitty", environment, "none", answers).reason == "colours are switched off"


def test_a_line_that_may_be_slow_is_told_of() -> None:
    answers = heard(XTERM)[0]
    assert not choose_protocol("auto", PLAIN, "true", answers).remote
    for variable in ("SSH_CONNECTION", "SSH_TTY"):
        assert choose_protocol("auto", {**PLAIN, variable: "1"}, "true", answers).remote


# tmux

IN_TMUX = {"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TMUX": "/tmp/tmux-0/default,1,0"}
OPEN = TmuxState(True, frozenset({"RGB", "title"}), "kitty(0.41.1)")
WITH_SIXEL = TmuxState(False, frozenset({"sixel"}), "foot(1.16.2)")


CLOSED = "tmux blocks images; `set -g allow-passthrough on` allows them"


@pytest.mark.parametrize(
    ("answer", "facts", "kind", "why"),
    [
        (TMUX, OPEN, "kitty", "tmux passes images on to the terminal"),
        ("", OPEN, "kitty", "tmux passes images on to the terminal"),
        (TMUX, WITH_SIXEL, "sixel", "tmux draws sixels"),
        ("\x1b[?1;2c", WITH_SIXEL, "half", "tmux passes on no images to this terminal"),
        (TMUX, TmuxState(True, frozenset()), "half", "tmux passes on no images to this terminal"),
        (
            TMUX,
            TmuxState(True, frozenset(), "kitty(0.26.5)"),
            "half",
            "tmux passes on no images to this terminal",
        ),
        (TMUX, TmuxState(False, frozenset(), "kitty(0.41.1)"), "half", CLOSED),
        (TMUX, None, "half", "tmux did not say whether it passes images on"),
    ],
)
def test_choose_protocol_in_tmux_needs_a_known_terminal(
    answer: str, facts: TmuxState | None, kind: str, why: str
) -> None:
    way = choose_protocol("auto", IN_TMUX, "true", heard(answer)[0], facts)
    assert (way.kind, way.reason) == (kind, why)
    assert (way.tmux, way.placeholders) == (kind == "kitty", kind == "kitty")


def test_inside_tmux_16_colours_are_too_few_for_kitty() -> None:
    assert choose_protocol("auto", IN_TMUX, "16", None, OPEN).kind == "half"


def test_tmux_itself_is_asked_and_never_the_terminal_around_it() -> None:
    for wanted in WANTED:
        assert should_ask_tmux(wanted, IN_TMUX, "true") == (wanted not in ("half", "off"))
        assert not should_ask_tmux(wanted, {**IN_TMUX, "NO_COLOR": "1"}, "true")
        asked = wanted in ("auto", "sixel")
        assert choose_queries(wanted, IN_TMUX, "true") == (TMUX_QUERIES if asked else "")


@pytest.mark.parametrize(
    ("facts", "kind", "why"),
    [
        (OPEN, "kitty", "as chosen, through tmux"),
        (TmuxState(True, frozenset()), "kitty", "as chosen, through tmux"),
        (
            TmuxState(False, frozenset({"RGB"})),
            "half",
            CLOSED,
        ),
        (
            TmuxState(True, frozenset({"RGB"}), "XTerm(379)"),
            "half",
            "the terminal around tmux does not support kitty graphics",
        ),
        (
            TmuxState(True, frozenset({"RGB"}), "kitty(0.26.5)"),
            "half",
            "the terminal around tmux does not support kitty graphics",
        ),
        (None, "half", "tmux did not say whether it passes images on"),
    ],
)
def test_kitty_inside_tmux(facts: TmuxState | None, kind: str, why: str) -> None:
    way = choose_protocol("kitty", IN_TMUX, "true", None, facts)
    assert (way.kind, way.reason) == (kind, why)
    assert (way.tmux, way.placeholders) == (kind == "kitty", kind == "kitty")


@pytest.mark.parametrize(
    ("answer", "facts", "kind", "why"),
    [
        (TMUX, WITH_SIXEL, "sixel", "as chosen, drawn by tmux"),
        (TMUX, OPEN, "half", "tmux finds no sixel support in its terminal"),
        ("\x1b[?1;2c", WITH_SIXEL, "half", "this tmux is built without sixels"),
        ("", WITH_SIXEL, "half", "this tmux is built without sixels"),
        (TMUX, None, "half", "tmux did not say whether it passes images on"),
    ],
)
def test_sixels_inside_tmux(answer: str, facts: TmuxState | None, kind: str, why: str) -> None:
    way = choose_protocol("sixel", IN_TMUX, "true", heard(answer)[0], facts)
    assert (way.kind, way.reason, way.tmux) == (kind, why, False)


@pytest.mark.parametrize(
    ("output", "facts"),
    [
        (
            "1|256,RGB,sixel,title|kitty(0.41.1)|10|20\n",
            TmuxState(True, frozenset({"256", "RGB", "sixel", "title"}), "kitty(0.41.1)", CellSize(10, 20)),
        ),
        ("on||||\n", TmuxState(True, frozenset())),
        ("all||||\n", TmuxState(True, frozenset())),
        ("off|256|XTerm(379)|0|0\n", TmuxState(False, frozenset({"256"}), "XTerm(379)")),
        ("0||||", TmuxState(False, frozenset())),
        ("||||", TmuxState(True, frozenset())),  # before 3.3 all was let through
        ("", None),
        ("no server running on /tmp/tmux-0/default\n", None),
    ],
)
def test_what_tmux_says_of_itself(output: str, facts: TmuxState | None) -> None:
    assert parse_tmux_state(output) == facts


def test_the_size_of_a_cell_comes_from_whoever_knows_it() -> None:
    answers = Answers(cell=CellSize(9, 17), complete=True)
    assert choose_protocol("auto", PLAIN, "true", answers).cell == CellSize(9, 17)
    facts = TmuxState(True, frozenset(), "", CellSize(8, 16))
    assert choose_protocol("kitty", IN_TMUX, "true", answers, facts).cell == CellSize(8, 16)
    assert choose_protocol("auto", PLAIN, "true").cell is None
    assert choose_protocol("auto", PLAIN, "true", answers, cell=CellSize(12, 24)).cell == CellSize(12, 24)
    assert choose_protocol("kitty", IN_TMUX, "true", answers, facts, CellSize(12, 24)).cell == CellSize(8, 16)


SOME = st.dictionaries(
    st.sampled_from(["TERM", "TERM_PROGRAM", "TMUX", "STY", "ZELLIJ", "NO_COLOR", "SSH_TTY", "KITTY_WINDOW_ID"]),
    st.sampled_from(["", "1", "linux", "xterm-kitty", "screen", "vscode", "tmux"]),
)


@given(st.sampled_from(WANTED), SOME, st.sampled_from(DEPTHS), st.text(max_size=40), st.booleans(), st.booleans())
def test_anything_is_decided_and_said_why(
    wanted: ImageSetting, environment: dict[str, str], depth: Depth, name: str, kitty: bool, sixel: bool
) -> None:
    for answers, tmux in itertools.product(
        (None, Answers(kitty, sixel, name, complete=sixel)),
        (None, OPEN, WITH_SIXEL, TmuxState(True, frozenset(), name)),
    ):
        way = choose_protocol(wanted, environment, depth, answers, tmux)
        assert way.reason
        assert way.kind in (wanted, "half") if wanted != "auto" else way.kind != "off"
        assert way.kind in ("half", "off") or depth != "none"
