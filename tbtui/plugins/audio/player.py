"""Which program plays a sound on this machine, if any: told from what is installed, and from where the user sits."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE = "{}"
"""Stands for the file in a command."""

CARDS = Path("/proc/asound/cards")
"""The sound cards that Linux knows."""

NO_CARDS = "no soundcards"

SOCKETS = ("pulse/native", "pipewire-0")
"""Of servers of sound, below the user's runtime directory."""


class NoPlayerError(LookupError):
    """A sound cannot be played; the message says why, in a part of a sentence."""


@frozen
class Player:
    """A program and its arguments."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of the program."""
        return Path(self.words[0]).name

    def command(self, path: str) -> list[str]:
        """What plays a file. It is run as it is: no shell reads it."""
        if any(FILE in word for word in self.words):
            return [word.replace(FILE, path) for word in self.words]
        return [*self.words, path]


@frozen
class Machine:
    """What of a machine decides whether sounds can be heard."""

    environ: Mapping[str, str]
    which: Callable[[str], str | None] = shutil.which
    """Where a command is, if it is installed."""

    platform: str = sys.platform
    has_cards: bool = False
    """Whether the kernel has a sound card."""

    has_server: bool = False
    """Whether a server of sound runs, such as PulseAudio or PipeWire."""

    players: tuple[tuple[str, ...], ...] = field(
        default=(
            ("ffplay", "-nodisp", "-autoexit", "-hide_banner", "-loglevel", "error"),
            ("aplay", "-q"),
            ("paplay",),
            ("afplay",),
        )
    )
    """In the order in which they are looked for."""


def this_machine() -> Machine:
    """The machine that this runs on."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    try:
        has_cards = NO_CARDS not in CARDS.read_text("utf-8", "replace")
    except OSError:
        has_cards = False
    has_server = "PULSE_SERVER" in os.environ or (
        runtime is not None and any(Path(runtime, socket).exists() for socket in SOCKETS)
    )
    return Machine(os.environ, has_cards=has_cards, has_server=has_server)


def player_for(machine: Machine, asked: str = "", *, is_wav: bool = True) -> Player:
    """The player of a sound.

    Args:
        machine: Where it is to be heard.
        asked: What the user asked for; it is taken whatever the machine is like.
        is_wav: Whether the sound is a WAV; of others simple players would make noise.

    Raises:
        NoPlayerError: There is none, or nobody would hear it.
    """
    if asked:
        return _asked_for(machine, asked)
    if machine.platform != "darwin" and not (machine.has_cards or machine.has_server):
        raise NoPlayerError("this machine has no sound device")
    if _is_remote(machine):
        raise NoPlayerError("over SSH nobody hears what this machine plays")
    able = [player for player in machine.players if is_wav or player[0] in ("ffplay", "afplay")]
    for words in able:
        if (words[0] != "paplay" or machine.has_server) and machine.which(words[0]) is not None:
            return Player(words)
    *names, last = (words[0] for words in able)
    raise NoPlayerError(f"none of {', '.join(names)} and {last} is installed")


def _is_remote(machine: Machine) -> bool:
    """Whether the user sits elsewhere, and sound is not sent there."""
    is_ssh = any(machine.environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))
    return is_ssh and not machine.environ.get("PULSE_SERVER")


def _asked_for(machine: Machine, asked: str) -> Player:
    try:
        words = tuple(shlex.split(asked))
    except ValueError as error:
        raise NoPlayerError(f"--player cannot be understood: {str(error).lower()}") from error
    if not words:
        raise NoPlayerError("--player names no command")
    if machine.which(words[0]) is None:
        raise NoPlayerError(f"there is no command {words[0]!r}, which --player asks for")
    return Player(words)
