"""Choose the image protocol: from the setting, the environment, tmux and the answers of the terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen
from tbtui.terminal_images.terminal_query import QUERIES, TMUX_QUERIES, Answers, CellSize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.terminal_images.half_blocks import Depth

ImageSetting: TypeAlias = Literal["auto", "kitty", "sixel", "half", "off"]
ProtocolKind: TypeAlias = Literal["kitty", "sixel", "half", "off"]

DEFAULT_CELL = CellSize(10, 20)
"""Cell size of a VT340, used if the terminal reports none."""

PLACEHOLDERS_SINCE = {"kitty": (0, 28), "ghostty": (1, 0)}
"""First version of each terminal that supports Unicode placeholders."""

FALSE_CLAIMS = frozenset({"warp", "warpterminal"})
"""Terminals that claim kitty graphics or sixels, but draw none on the alternate screen."""

_MOST_DIGITS = 5

_PLAIN = frozenset({"dumb", "unknown", "vt100", "vt220"})
_IN_ZELLIJ = "inside zellij, where --images sixel may work"
_CLOSED = "tmux blocks images; `set -g allow-passthrough on` allows them"

_NAME = re.compile(r"([A-Za-z]+)\D{0,3}(\d{1,9}(?:\.\d{1,9})*)?")


@frozen
class ImageProtocol:
    """The protocol of images."""

    kind: ProtocolKind
    reason: str
    """Reason for the choice in a few words, for the user."""

    placeholders: bool = False
    """True if text covers `kitty` images (Unicode placeholders); otherwise images cover the text."""

    tmux: bool = False
    """True if sequences of `kitty` are wrapped for tmux."""

    opened_only: bool = False
    """True if a page of `sixel` images is too slow, so that small images are drawn as half blocks."""

    cell: CellSize | None = None
    """None: unknown; use `DEFAULT_CELL`."""

    remote: bool = False
    """True if the connection may be slow (SSH)."""

    @property
    def is_over_text(self) -> bool:
        """Return True if images lie over text, so that nothing can be in front of them."""
        return self.kind == "sixel" or (self.kind == "kitty" and not self.placeholders)


@frozen
class TmuxState:
    """State of tmux and of the terminal around it, as tmux reports it."""

    passes_images: bool
    """True if tmux passes sequences of programs on to the terminal."""

    features: frozenset[str]
    """Features of the terminal according to tmux: `sixel` among others."""

    terminal: str = ""
    """Name of the terminal with its version; empty if tmux does not know it."""

    cell: CellSize | None = None


_TMUX_FACTS = ("allow-passthrough", "client_termfeatures", "client_termtype", "client_cell_width", "client_cell_height")

TMUX_COMMAND = ("tmux", "display-message", "-p", "|".join(f"#{{{name}}}" for name in _TMUX_FACTS))
"""Command to run if `should_ask_tmux`, with a timeout of one second; pass its output to `parse_tmux_state`."""


def parse_tmux_state(output: str) -> TmuxState | None:
    """Parse the output of `TMUX_COMMAND`; None if it has another form."""
    parts = output.strip("\n").split("|")
    if len(parts) != len(_TMUX_FACTS):
        return None
    # tmux before 3.3 has no such option and passes everything on.
    through, features, terminal, width, height = parts
    sides = [int(side) for side in (width, height) if side.isdecimal() and len(side) <= _MOST_DIGITS]
    cell = CellSize.of(*sides) if len(sides) == 2 else None
    return TmuxState(through in ("", "1", "on", "all"), frozenset(features.split(",")) - {""}, terminal, cell)


def should_ask_tmux(setting: ImageSetting, environment: Mapping[str, str], depth: Depth) -> bool:
    """Return True if `TMUX_COMMAND` must be run before `choose_protocol`."""
    return "TMUX" in environment and _choose_without_query(setting, environment, depth) is None


def choose_queries(setting: ImageSetting, environment: Mapping[str, str], depth: Depth) -> str:
    """Return the queries to write before `choose_protocol`; empty if the answers would change nothing."""
    if _choose_without_query(setting, environment, depth) is not None:
        return ""
    if "TMUX" in environment:
        return "" if setting == "kitty" else TMUX_QUERIES
    return QUERIES


def choose_protocol(
    setting: ImageSetting,
    environment: Mapping[str, str],
    depth: Depth,
    answers: Answers | None = None,
    tmux: TmuxState | None = None,
    cell: CellSize | None = None,
) -> ImageProtocol:
    """Return the image protocol; half blocks if nothing better is known to work.

    Args:
        setting: Setting of the user.
        environment: Variables of the process.
        depth: Colours of the terminal from `terminal_images.half_blocks.colour_depth`.
        answers: Answers to `choose_queries` that came in time; None: there was no query.
        tmux: State from `TMUX_COMMAND`; None: it was not run, or failed.
        cell: Cell size from another source; that of tmux is preferred.
    """
    answers = answers or Answers()
    protocol = _choose_without_query(setting, environment, depth)
    if protocol is None and "TMUX" in environment:
        protocol = _choose_in_tmux(setting, depth, answers, tmux)
    elif protocol is None:
        protocol = _choose_by_answers(setting, environment, depth, answers)
    cell = (None if tmux is None else tmux.cell) or cell or answers.cell
    return replace(protocol, cell=cell, remote="SSH_CONNECTION" in environment or "SSH_TTY" in environment)


def _choose_without_query(setting: ImageSetting, environment: Mapping[str, str], depth: Depth) -> ImageProtocol | None:
    """Return the protocol if it needs no query."""
    if setting in ("off", "half"):
        return ImageProtocol("off" if setting == "off" else "half", "as chosen")
    if obstacle := _find_obstacle(environment, depth):
        return ImageProtocol("half", obstacle)
    if setting == "kitty" and depth == "16":
        return ImageProtocol("half", "16 colours are too few for kitty graphics")
    if setting == "auto" and "ZELLIJ" in environment:
        return ImageProtocol("half", _IN_ZELLIJ)
    return None


def _find_obstacle(environment: Mapping[str, str], depth: Depth) -> str:
    """Return the reason against images other than text; empty if there is none."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR") or depth == "none":
        return "colours are switched off"
    if term.startswith("linux") or term in _PLAIN:
        return "this console shows text only"
    if "TMUX" not in environment and ("STY" in environment or term.startswith("screen")):
        return "GNU screen passes no images on"
    if environment.get("TERM_PROGRAM") == "Apple_Terminal":
        return "Terminal.app shows text only"
    return ""


def _choose_in_tmux(setting: ImageSetting, depth: Depth, answers: Answers, tmux: TmuxState | None) -> ImageProtocol:
    if tmux is None:
        return ImageProtocol("half", "tmux did not say whether it passes images on")
    if setting == "auto":
        return _choose_best_in_tmux(depth, answers, tmux)
    if setting == "sixel":
        if not answers.sixel:
            return ImageProtocol("half", "this tmux is built without sixels")
        if "sixel" not in tmux.features:
            return ImageProtocol("half", "tmux finds no sixel support in its terminal")
        return ImageProtocol("sixel", "as chosen, drawn by tmux", opened_only=True)
    if not tmux.passes_images:
        return ImageProtocol("half", _CLOSED)
    if tmux.terminal and not _has_placeholders(tmux.terminal):
        return ImageProtocol("half", "the terminal around tmux does not support kitty graphics")
    return ImageProtocol("kitty", "as chosen, through tmux", placeholders=True, tmux=True)


def _choose_best_in_tmux(depth: Depth, answers: Answers, tmux: TmuxState) -> ImageProtocol:
    """Return a protocol that is known to work in tmux.

    The outer terminal must be known by name, or tmux must report sixels for it.
    """
    in_kitty = _has_placeholders(tmux.terminal) and depth in ("true", "256")
    if in_kitty and tmux.passes_images:
        return ImageProtocol("kitty", "tmux passes images on to the terminal", placeholders=True, tmux=True)
    if answers.sixel and "sixel" in tmux.features:
        return ImageProtocol("sixel", "tmux draws sixels", opened_only=True)
    return ImageProtocol("half", _CLOSED if in_kitty else "tmux passes on no images to this terminal")


def _choose_by_answers(
    setting: ImageSetting, environment: Mapping[str, str], depth: Depth, answers: Answers
) -> ImageProtocol:
    if not (answers.complete or answers.kitty):
        return ImageProtocol("half", "the terminal did not answer in time")
    placeholders = _has_placeholders(answers.name)
    if setting == "auto":
        return _choose_best(environment, depth, answers, placeholders=placeholders)
    if setting == "sixel":
        if not answers.sixel:
            return ImageProtocol("half", "this terminal reports no sixel support")
        return ImageProtocol("sixel", "as chosen")
    if not answers.kitty:
        return ImageProtocol("half", "this terminal does not support kitty graphics")
    return ImageProtocol("kitty", "as chosen", placeholders=placeholders)


def _choose_best(
    environment: Mapping[str, str], depth: Depth, answers: Answers, *, placeholders: bool
) -> ImageProtocol:
    """Return the automatic choice.

    Kitty images over the text are chosen only for kitty itself: text does not cover them, so tbtui removes them when a
    dialog opens above them. It is unknown whether other terminals remove them.
    """
    if answers.kitty and placeholders and depth in ("true", "256"):
        return ImageProtocol("kitty", "the terminal has Unicode placeholders for images", placeholders=True)
    name, version = _parse_name(answers.name)
    if answers.kitty and name == "kitty" and version and depth in ("true", "256"):
        version_text = ".".join(map(str, version[:2]))
        return ImageProtocol(
            "kitty", f"kitty {version_text} draws images over the text; 0.28 has Unicode placeholders for them"
        )
    if {_parse_name(answers.name)[0], environment.get("TERM_PROGRAM", "").lower()} & FALSE_CLAIMS:
        return ImageProtocol("half", "Warp shows no images in full-screen programs")
    if answers.sixel:
        return ImageProtocol("sixel", "the terminal draws sixels")
    if answers.kitty:
        return ImageProtocol("half", "this terminal lacks Unicode placeholders; --images kitty draws images anyway")
    return ImageProtocol("half", "this terminal shows text only")


def _has_placeholders(terminal: str) -> bool:
    name, version = _parse_name(terminal)
    return name in PLACEHOLDERS_SINCE and version >= PLACEHOLDERS_SINCE[name]


def _parse_name(answer: str) -> tuple[str, tuple[int, ...]]:
    """Return the name in lower case and the version of a terminal's answer: `kitty(0.41.1)`, `foot(1.16.2)`."""
    match = _NAME.match(answer)
    if match is None:
        return "", ()
    return match[1].lower(), tuple(int(part) for part in (match[2] or "").split(".") if part)
