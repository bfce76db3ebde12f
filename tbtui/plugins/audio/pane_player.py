"""Play a sound: select a program, write the sound to a temporary file, run the program and stop it."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from tbtui.events.sound_formats import WAV, sound_format
from tbtui.export.output import OutputError, draft_name
from tbtui.frozen import frozen
from tbtui.own_directories import cache_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO


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


MOST_FILES = 32
"""Of those that were written to be played; the oldest go first."""


def ending(data: bytes) -> str:
    """What the name of a file of this sound ends in, `.mp3` say; `.wav` where nothing tells."""
    return (sound_format(data) or WAV).ending


def sounds_directory() -> Path:
    """Where files are that players are handed; never the log directory."""
    return cache_directory() / "sounds"


def playable(data: bytes, step: int, directory: Path | None = None) -> Path:
    """A file of a sound to be played. Nothing of its name is from the log directory but the number of the step.

    Raises:
        OutputError: It cannot be written.
    """
    directory = sounds_directory() if directory is None else directory
    path = directory / f"step{step}-{hashlib.sha256(data).hexdigest()[:16]}{ending(data)}"
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.is_file() or path.stat().st_size != len(data):
            _put(path, data)
        os.utime(path)
        _forget_oldest(directory)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _put(path: Path, data: bytes) -> None:
    """Write a file that its owner alone may read."""
    draft = path.with_name(draft_name())
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _forget_oldest(directory: Path) -> None:
    written: list[tuple[float, Path]] = []
    for path in directory.glob("step*"):
        with suppress(OSError):  # another dashboard may forget them, too
            written.append((path.stat().st_mtime, path))
    for _, path in sorted(written, reverse=True)[MOST_FILES:]:
        with suppress(OSError):
            path.unlink()


PATIENCE = 1.0
"""Seconds that a player has to end before it is killed."""

MOST_SAID = 400
"""Bytes kept of what a player complains of."""


class Playing:
    """Plays one sound at a time.

    Args:
        ended: Called on another thread when a player ends by itself, with what it complained of; empty where it did
            not.
    """

    def __init__(self, ended: Callable[[str], object]) -> None:
        self._ended = ended
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_on(self) -> bool:
        """Whether something is being played."""
        return self._process is not None

    def start(self, command: Sequence[str]) -> None:
        """Run a command. What was played before is stopped.

        Raises:
            OSError: It cannot be run.
        """
        self.stop()
        process = subprocess.Popen(  # noqa: S603 - no shell; the user asked for it, or has it installed
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # keys that interrupt tbtui are not meant for it
        )
        with self._lock:
            self._process = process
        Thread(target=self._wait, args=(process,), name="tbtui-player", daemon=True).start()

    def stop(self) -> bool:
        """End what is being played; whether there was something."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return False
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return True

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        said = _complaint(process.stderr)
        code = process.wait()
        with self._lock:
            by_itself = self._process is process
            if by_itself:
                self._process = None
        if by_itself:
            self._ended("" if code == 0 else said or f"it ended with {code}")


def _complaint(stream: IO[bytes] | None) -> str:
    """The first line of what a player says; all of it is read, so that it never waits for us."""
    if stream is None:
        return ""
    kept = b""
    with stream:
        for line in stream:
            kept = (kept + line)[:MOST_SAID]
    return kept.decode("utf-8", "replace").strip().split("\n", 1)[0]
