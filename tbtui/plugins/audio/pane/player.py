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

from tbtui.export.output import OutputError, create_draft_name
from tbtui.frozen import frozen
from tbtui.paths import cache_directory
from tbtui.plugins.audio.decode import WAV, detect_format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO


FILE = "{}"
"""Placeholder of the file in a command."""

CARDS = Path("/proc/asound/cards")
"""List of sound cards by Linux."""

NO_CARDS = "no soundcards"

SOCKETS = ("pulse/native", "pipewire-0")
"""Sockets of sound servers below the runtime directory of the user."""


class NoPlayerError(LookupError):
    """A sound cannot be played; the message is the reason, as part of a sentence."""


@frozen
class Player:
    """A program and its arguments."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the program."""
        return Path(self.words[0]).name

    def command(self, path: str) -> list[str]:
        """Return the command that plays a file. No shell reads it."""
        if any(FILE in word for word in self.words):
            return [word.replace(FILE, path) for word in self.words]
        return [*self.words, path]


@frozen
class Machine:
    """Properties of a machine that decide whether sounds can be played there."""

    environ: Mapping[str, str]
    which: Callable[[str], str | None] = shutil.which
    """Return the path of a command if it is installed."""

    platform: str = sys.platform
    has_cards: bool = False
    """True if the kernel has a sound card."""

    has_server: bool = False
    """True if a sound server runs, such as PulseAudio or PipeWire."""

    players: tuple[tuple[str, ...], ...] = field(
        default=(
            ("ffplay", "-nodisp", "-autoexit", "-hide_banner", "-loglevel", "error"),
            ("aplay", "-q"),
            ("paplay",),
            ("afplay",),
        )
    )
    """Known players in order of preference."""


def describe_machine() -> Machine:
    """Return the properties of this machine."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    try:
        has_cards = NO_CARDS not in CARDS.read_text("utf-8", "replace")
    except OSError:
        has_cards = False
    has_server = "PULSE_SERVER" in os.environ or (
        runtime is not None and any(Path(runtime, socket).exists() for socket in SOCKETS)
    )
    return Machine(os.environ, has_cards=has_cards, has_server=has_server)


def find_player(machine: Machine, command: str = "", *, is_wav: bool = True) -> Player:
    """Select the player of a sound.

    Args:
        machine: The machine that plays it.
        command: Command of the user, which is used on any machine.
        is_wav: True for a WAV; simple players make noise of other formats.

    Raises:
        NoPlayerError: No player is available, or the session is remote.
    """
    if command:
        return _create_user_player(machine, command)
    if machine.platform != "darwin" and not (machine.has_cards or machine.has_server):
        raise NoPlayerError("this machine has no sound device")
    if _is_remote(machine):
        raise NoPlayerError("over SSH, sound would play on the remote machine")
    able = [player for player in machine.players if is_wav or player[0] in ("ffplay", "afplay")]
    for words in able:
        if (words[0] != "paplay" or machine.has_server) and machine.which(words[0]) is not None:
            return Player(words)
    *names, last = (words[0] for words in able)
    raise NoPlayerError(f"none of {', '.join(names)} and {last} is installed")


def _is_remote(machine: Machine) -> bool:
    """Return True if the user works over SSH and no sound is forwarded."""
    is_ssh = any(machine.environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))
    return is_ssh and not machine.environ.get("PULSE_SERVER")


def _create_user_player(machine: Machine, command: str) -> Player:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise NoPlayerError(f"--player cannot be understood: {str(error).lower()}") from error
    if not words:
        raise NoPlayerError("--player names no command")
    if machine.which(words[0]) is None:
        raise NoPlayerError(f"there is no command {words[0]!r}, which --player asks for")
    return Player(words)


MAX_TEMP_FILES = 32
"""Temporary files that are kept; the oldest are removed first."""


def choose_file_suffix(data: bytes) -> str:
    """Return the suffix of a file of this sound, such as `.mp3`; `.wav` if the format is unknown."""
    return (detect_format(data) or WAV).ending


def create_sounds_directory() -> Path:
    """Return the directory of temporary files for players; never the log directory."""
    return cache_directory() / "sounds"


def write_temp_file(data: bytes, step: int, directory: Path | None = None) -> Path:
    """Write a sound to a temporary file. Of the log only the step number is part of its name.

    Raises:
        OutputError: It cannot be written.
    """
    directory = create_sounds_directory() if directory is None else directory
    path = directory / f"step{step}-{hashlib.sha256(data).hexdigest()[:16]}{choose_file_suffix(data)}"
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
    """Write a file that only its owner may read."""
    draft = path.with_name(create_draft_name())
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
    for _, path in sorted(written, reverse=True)[MAX_TEMP_FILES:]:
        with suppress(OSError):
            path.unlink()


TERMINATE_SECONDS = 1.0
"""Seconds that a player has to end before it is killed."""

MAX_COMPLAINT_BYTES = 400
"""Bytes kept of a player's standard error."""


class Playback:
    """Play one sound at a time in another program.

    Args:
        ended: Callback with the error message of a player that ended by itself, or with an empty text. Called on
            another thread.
    """

    def __init__(self, ended: Callable[[str], object]) -> None:
        self._ended = ended
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_on(self) -> bool:
        """True while a sound is played."""
        return self._process is not None

    def start(self, command: Sequence[str]) -> None:
        """Run a command; the player before is stopped.

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
        """Stop the player; return False if there was none."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return False
        process.terminate()
        try:
            process.wait(TERMINATE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return True

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        complaint = _read_first_line(process.stderr)
        code = process.wait()
        with self._lock:
            by_itself = self._process is process
            if by_itself:
                self._process = None
        if by_itself:
            self._ended("" if code == 0 else complaint or f"it ended with {code}")


def _read_first_line(stream: IO[bytes] | None) -> str:
    """Return the first line of a player's standard error; all is read, so that the player never blocks."""
    if stream is None:
        return ""
    output = b""
    with stream:
        for line in stream:
            output = (output + line)[:MAX_COMPLAINT_BYTES]
    return output.decode("utf-8", "replace").strip().split("\n", 1)[0]
