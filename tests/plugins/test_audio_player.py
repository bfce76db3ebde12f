"""Sounds are played by what the machine has, or written where the user is told; and written where he says."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tbtui.cli.dashboard import _override_settings
from tbtui.cli.options.dashboard import parse as parse_dashboard
from tbtui.export.output import OutputError
from tbtui.plugins.audio.decode import Sound
from tbtui.plugins.audio.pane import player as files_module
from tbtui.plugins.audio.pane.forms import write_sound
from tbtui.plugins.audio.pane.player import (
    FILE,
    MAX_COMPLAINT_BYTES,
    Machine,
    NoPlayerError,
    Playback,
    choose_file_suffix,
    create_sounds_directory,
    describe_machine,
    find_player,
    write_temp_file,
)
from tbtui.plugins.audio.read import LoadedSound
from tbtui.plugins.audio.settings import PLAYER, SETTINGS, STYLE
from tbtui.settings.persistence import build_settings_document, read_settings
from tbtui.widgets import worker as worker_module
from tbtui.widgets.form_fields import FieldError
from tests.helpers.audio_logs import NO_SOUND, TONE, AudioLogs
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_text, until
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.helpers.pane_app import PaneApp


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


def machine(
    *installed: str,
    environ: Mapping[str, str] | None = None,
    platform: str = "linux",
    cards: bool = True,
    server: bool = False,
) -> Machine:
    def which(name: str) -> str | None:
        return f"/usr/bin/{name}" if name in installed else None

    return Machine(environ or {}, which, platform, has_cards=cards, has_server=server)


SSH = {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}

# Which player


@pytest.mark.parametrize(
    ("on", "name"),
    [
        (machine("ffplay", "aplay", "paplay"), "ffplay"),
        (machine("aplay", "paplay"), "aplay"),
        (machine("paplay", server=True, cards=False), "paplay"),
        (machine("afplay", platform="darwin", cards=False), "afplay"),
        (machine("aplay", environ={**SSH, "PULSE_SERVER": "tcp:10.0.0.1"}, server=True), "aplay"),
    ],
)
def test_player_for_selects_first_installed_with_device(on: Machine, name: str) -> None:
    player = find_player(on)
    assert player.name == name
    assert player.command("/tmp/a b.wav")[-1] == "/tmp/a b.wav"


@pytest.mark.parametrize(
    ("on", "why"),
    [
        (machine("ffplay", "aplay", cards=False), "this machine has no sound device"),
        (machine("ffplay", environ=SSH), "over SSH, sound would play on the remote machine"),
        (machine(), "none of ffplay, aplay, paplay and afplay is installed"),
        (machine("paplay"), "none of ffplay, aplay, paplay and afplay is installed"),
    ],
)
def test_player_for_no_player_gives_reason(on: Machine, why: str) -> None:
    with pytest.raises(NoPlayerError) as refusal:
        find_player(on)
    assert str(refusal.value) == why


def test_player_for_other_formats_skips_wav_players() -> None:
    assert find_player(machine("aplay", "ffplay"), is_wav=False).name == "ffplay"
    with pytest.raises(NoPlayerError, match="none of ffplay and afplay is installed"):
        find_player(machine("aplay"), is_wav=False)


def test_player_for_requested_command_is_always_taken() -> None:
    on = machine("mpv", "ffplay", environ=SSH, cards=False)
    assert find_player(on, "mpv --no-video 'a b'").command("x.wav") == ["mpv", "--no-video", "a b", "x.wav"]
    assert find_player(on, f"mpv file={FILE} --end").command("x.wav") == ["mpv", "file=x.wav", "--end"]
    for asked, why in (("vlc", "there is no command 'vlc'"), ("'mpv", "cannot be understood"), (" ", "no command")):
        with pytest.raises(NoPlayerError, match=why):
            find_player(on, asked)


def test_player_setting_is_neither_saved_nor_loaded() -> None:
    begun = _override_settings(settings_of(audio_look="spectrogram"), parse_dashboard(["--player", "mpv"]))
    assert (PLAYER.value(begun), STYLE.value(begun)) == ("mpv", "spectrogram")
    kept = build_settings_document(begun)
    assert kept["audio_look"] == "spectrogram"
    assert "player" not in kept
    assert PLAYER.value(read_settings({**kept, "player": "rm"}, SETTINGS)) == ""


def test_player_tests_run_no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PULSE_SERVER", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert not describe_machine().has_server
    (tmp_path / "pulse").mkdir()
    (tmp_path / "pulse" / "native").touch()
    assert describe_machine().has_server


# The program


class Ends:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.came = threading.Event()

    def __call__(self, complaint: str) -> None:
        self.said.append(complaint)
        self.came.set()


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_playback_success_reports_nothing() -> None:
    ends = Ends()
    playing = Playback(ends)
    playing.start(python("pass"))
    assert ends.came.wait(30)
    assert ends.said == [""]
    assert not playing.is_on
    assert not playing.stop()


def test_playback_failure_reports_first_line_only() -> None:
    ends = Ends()
    Playback(ends).start(python("import sys; sys.stderr.write('no device\\n' + 'x' * 10**6); sys.exit(3)"))
    assert ends.came.wait(30)
    assert ends.said == ["no device"]
    assert len(ends.said[0]) <= MAX_COMPLAINT_BYTES
    ends = Ends()
    Playback(ends).start(python("import sys; sys.exit(3)"))
    assert ends.came.wait(30)
    assert ends.said == ["it ended with 3"]


def test_playback_stopped_ends_and_reports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbtui.plugins.audio.pane.player.TERMINATE_SECONDS", 0.05)
    ends = Ends()
    playing = Playback(ends)
    ready = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    playing.start(python(ready))
    process = playing._process
    assert process is not None
    assert playing.is_on
    assert playing.stop()
    assert process.poll() is not None
    assert not playing.is_on
    assert not ends.said


def test_playback_missing_command_raises() -> None:
    with pytest.raises(OSError, match="nothing-like-this"):
        Playback(Ends()).start(["/nothing-like-this"])


# Files


def test_playable_files_are_private_and_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MAX_TEMP_FILES", 3)
    directory = create_sounds_directory()
    assert str(directory).startswith(os.environ["XDG_CACHE_HOME"])
    for step in range(6):
        path = write_temp_file(TONE + bytes([step]), step)
        os.utime(path, (step, step))
        assert path.read_bytes() == TONE + bytes([step])
        assert path.parent == directory
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert write_temp_file(TONE + bytes([5]), 5) == path
    assert len(list(directory.iterdir())) == 3


def test_playable_unwritable_directory_raises(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be written"):
        write_temp_file(TONE, 1, tmp_path / "file")
    heard = LoadedSound(Sound(TONE))
    with pytest.raises(FieldError, match="exists already") as refused:
        write_sound(heard, {"path": tmp_path / "file", "force": False})
    assert refused.value.name == "force"
    assert write_sound(heard, {"path": tmp_path / "file", "force": True}).read_bytes() == TONE
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(("data", "name"), [(TONE, ".wav"), (b"OggS", ".ogg"), (b"ID3", ".mp3"), (b"?", ".wav")])
def test_ending_matches_first_bytes(data: bytes, name: str) -> None:
    assert choose_file_suffix(data) == name


# By keys


@pytest.fixture
def logs(tmp_path: Path) -> AudioLogs:
    made = AudioLogs(tmp_path / "logs")
    made.add("run", {"../tone": {0: b"broken", 7: TONE}})
    return made


async def test_play_key_without_device_shows_path(logs: AudioLogs) -> None:
    before = sorted(logs.root.rglob("*"))
    app = logs.app(NO_SOUND)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "P")
        (said,) = app.said
        assert said.startswith("this machine has no sound device: the sound is in ")
        (path,) = create_sounds_directory().iterdir()
        assert said.endswith(f"(scp HOST:{path} .)")
        assert path.read_bytes() == TONE
        await pressed(pilot, "comma comma P")
        assert len(list(create_sounds_directory().iterdir())) == 2
    assert sorted(logs.root.rglob("*")) == before


async def test_play_key_plays_until_pressed_again(logs: AudioLogs, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    code = f"import shutil, sys, time; shutil.copy(sys.argv[1], {str(heard)!r}); time.sleep(60)"
    app = logs.app(Machine({}, lambda _: sys.executable), player=f'{sys.executable} -c "{code}"')
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "P")
        assert app.said == [f"../tone, step 7, by {Path(sys.executable).name}; P stops it"]
        await until(pilot, lambda: heard.exists() and heard.read_bytes() == TONE)
        playing = playing_of(app)
        assert playing.is_on
        await pressed(pilot, "P")
        assert app.said[-1] == "stopped"
        assert not playing.is_on
        await pressed(pilot, "P")
        assert playing.is_on
        process = playing._process
    assert process is not None
    assert process.poll() is not None


async def test_play_key_failing_player_shows_reason(logs: AudioLogs) -> None:
    code = "import sys; sys.exit('no \\x1b[31mdevice')"
    app = logs.app(Machine({}, lambda _: sys.executable), player=f'{sys.executable} -c "{code}"')
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "P")
        await until(pilot, lambda: len(app.said) > 1)
        assert "device" in app.said[1]
        assert "\x1b" not in app.said[1]


async def test_play_key_missing_command_keeps_file(logs: AudioLogs) -> None:
    app = logs.app(Machine({}, lambda name: name), player="/nothing-like-this")
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "P")
        assert "nothing-like-this cannot be run" in app.said[0]
        assert str(create_sounds_directory()) in app.said[0]


async def test_play_key_missing_sound_shows_reason(logs: AudioLogs) -> None:
    app = logs.app(NO_SOUND)
    logs.path("run").unlink()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "P w")
        assert app.said == ["the file is gone", "the file is gone"]


async def test_write_sound_writes_recorded_bytes(
    logs: AudioLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "w")
        assert "write ../tone, step 7" in screen_text(app)
        await pressed(pilot, "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert (tmp_path / "run-tone.wav").read_bytes() == TONE
        assert app.said == [str(tmp_path / "run-tone.wav")]
        await pressed(pilot, "w enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "run-tone.wav exists already" in screen_text(app)


def playing_of(app: PaneApp) -> Playback:
    playing = app.pane.playing
    assert isinstance(playing, Playback)
    return playing
