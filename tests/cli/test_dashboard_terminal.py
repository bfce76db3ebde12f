"""Test the dashboard process in a terminal, from exec to the shell's prompt."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tbtui.events.writer import EventFileWriter
from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

DOTS = r"[\u2801-\u28ff]{3}"
WRAP_AND_CURSOR = {7, 25}
PASTING_OF_BASH = {2004}
TAKEN = b"\x1b[?1049h"
"""Sequence before the first output in the alternate screen."""


def write_run(directory: Path, tags: Sequence[str], steps: int = 50) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(directory / "events.out.tfevents.1790000000.test")) as writer:
        for step in range(steps):
            for tag in tags:
                writer.scalar(tag, 1 / (1 + step), step, 1_790_000_000 + step)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for run in ("adam", "sgd"):
        write_run(tmp_path / "logs" / run, ["loss/train", "acc"])
    return tmp_path / "logs"


def assert_given_back(app: PtyApp) -> None:
    assert app.attributes() == app.attributes_before
    assert app.modes_left_on() <= WRAP_AND_CURSOR


@pytest.mark.parametrize(("overlay", "key", "code"), [("", "q", 0), ("?", "ctrl+c", 0)])
def test_dashboard_draws_charts_and_quits_by_key(logs: Path, overlay: str, key: str, code: int) -> None:
    with PtyApp(product(str(logs))) as app:
        app.until("loss/train")
        app.until(DOTS)
        app.until("adam")
        app.send(*overlay)
        app.until("keys of" if overlay else "quit")
        app.send(key)
        assert app.wait() == code
        assert app.family_ended()
        assert_given_back(app)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_dashboard_signal_restores_the_terminal(logs: Path, number: signal.Signals) -> None:
    with PtyApp(product(str(logs))) as app:
        app.until(DOTS)
        app.signal(number)
        assert app.wait() == 128 + number
        assert_given_back(app)


COUNTED = """
import sys
from tbtui.loading.workers import pool, process
pool.MIN_TOTAL_BYTES = pool.MIN_RUN_BYTES = 1
begin = process.WorkerProcess.__init__

def counted(self, **how):
    begin(self, **how)
    with open(sys.argv[1], "a") as file:
        file.write(f"{self.pid}\\n")

process.WorkerProcess.__init__ = counted
from tbtui.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


def test_dashboard_ends_its_worker_processes(tmp_path: Path) -> None:
    for run in range(60):
        write_run(tmp_path / "logs" / f"{run}", ["loss"], 200)
    started = tmp_path / "started"
    words = ["--jobs", "2", "--no-cache", str(tmp_path / "logs")]
    with PtyApp([product()[0], "-c", COUNTED, str(started), *words]) as app:
        app.until_true(lambda: started.exists() and started.read_text().endswith("\n"), "second process")
        app.signal(signal.SIGTERM)
        assert app.wait() == 128 + signal.SIGTERM
        assert_given_back(app)
    for pid in started.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def wait_until_stopped(app: PtyApp) -> None:
    """Wait until the process is stopped."""
    pid = app.process.pid
    app.until_true(lambda: os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG) is not None, "stop")
    while app.pump(0):
        pass


def test_dashboard_stop_and_continue_restore_the_terminal(logs: Path) -> None:
    with PtyApp(product(str(logs)), job=True) as app:
        app.until(DOTS)

        def resume() -> None:
            begin = len(app.raw)
            app.signal(signal.SIGCONT)
            # Output before the terminal is taken again answers the last key; a key pressed then would be lost.
            app.until_true(lambda: b"loss/train" in app.raw[begin:].partition(TAKEN)[2], "picture of its own")
            app.send("?")
            app.until("keys of")
            app.send("q")
            app.until(DOTS)

        for _ in range(2):
            app.signal(signal.SIGTSTP)  # sent by another process
            wait_until_stopped(app)
            assert_given_back(app)
            resume()
        resume()  # no effect: it was running
        app.signal(signal.SIGSTOP)  # cannot be caught
        wait_until_stopped(app)
        resume()
        app.send("?")
        app.until("keys of")
        app.signal(signal.SIGTSTP)
        wait_until_stopped(app)
        assert_given_back(app)
        app.signal(signal.SIGTERM)
        app.signal(signal.SIGCONT)
        assert app.wait() == 128 + signal.SIGTERM
        assert app.family_ended()
        assert_given_back(app)


INTERRUPTED = """
import os, queue, signal, sys
put = queue.Queue._put

def interrupted(self, item):  # which is called with the lock of the queue held
    put(self, item)
    if isinstance(item, str) and "keys of" in item:
        queue.Queue._put = put
        for _ in range(2):  # it stops once all the same
            os.kill(os.getpid(), signal.SIGTSTP)

queue.Queue._put = interrupted
from tbtui.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_dashboard_can_be_stopped_while_drawing(logs: Path) -> None:
    with PtyApp([product()[0], "-c", INTERRUPTED, str(logs)], job=True) as app:
        app.until(DOTS)
        app.send("?")
        wait_until_stopped(app)
        assert_given_back(app)
        app.signal(signal.SIGCONT)
        app.until("keys of")
        app.send("q")
        app.until(DOTS)


def test_dashboard_without_a_job_control_shell_is_not_stopped(logs: Path) -> None:
    with PtyApp(product(str(logs))) as app:
        app.until(DOTS)
        begin = len(app.raw)
        app.send("\x1a")
        app.until_true(lambda: b"loss/train" in app.raw[begin:].partition(TAKEN)[2], "picture of its own")
        app.send("?")
        app.until("keys of")


@pytest.fixture
def shell(logs: Path) -> Iterator[PtyApp]:
    """Start a shell with job control."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    command = shlex.join(product(str(logs)))
    environment = {"PS1": "its prompt$ ", "begin": command}
    with PtyApp(["bash", "--norc", "--noprofile", "-i"], env=environment) as app:
        app.until("its prompt")
        yield app
        app.send("kill -KILL %1\r")


def test_dashboard_started_in_the_background_waits(shell: PtyApp) -> None:
    shell.send("$begin &\r")
    shell.until(r"\[1\]")
    shell.until_true(lambda: jobs_output(shell, "Stopped"), "stop")
    shell.send("fg\r")
    shell.until(DOTS)
    shell.send("q")
    shell.until_true(lambda: shell.modes_left_on() <= WRAP_AND_CURSOR | PASTING_OF_BASH, "end")


def jobs_output(shell: PtyApp, word: str) -> bool:
    begin = len(shell.raw)
    shell.send("jobs; echo that was$((1))all\r")
    shell.until_true(lambda: b"that was1all" in shell.raw[begin:], "list of jobs")
    return word.encode() in shell.raw[begin:]


@pytest.mark.parametrize("how", ["kill %1", "kill -HUP %1"])
def test_dashboard_can_be_ended_while_suspended(shell: PtyApp, how: str) -> None:
    shell.send("$begin\r")
    shell.until(DOTS)
    shell.send("\x1a")
    shell.until("Stopped")
    shell.send(f"{how}\r")
    shell.until_true(lambda: jobs_output(shell, "Exit 1"), "end")  # 128 plus the signal number
    shell.until_true(lambda: not jobs_output(shell, "[1]"), "end of all jobs")


def test_dashboard_lost_terminal_ends_the_process(logs: Path) -> None:
    with PtyApp(product(str(logs))) as app:
        app.until(DOTS)
        app.hang_up()
        assert app.wait() == 128 + signal.SIGHUP
        assert app.family_ended()


def test_dashboard_ctrl_c_while_starting_is_silent(logs: Path) -> None:
    with PtyApp(product(str(logs))) as app:
        app.signal(signal.SIGINT)
        code = app.wait()
        # Before the first line of tbtui the signal ends the process or interrupts the start of Python.
        assert code in (130, -signal.SIGINT) or b"Fatal Python error: init" in app.raw
        assert b"tbtui" not in app.raw


def test_dashboard_draws_a_value_written_later(tmp_path: Path) -> None:
    with PtyApp(product(str(tmp_path))) as app:
        app.until("event file")  # waits for the first run and says so
        write_run(tmp_path / "late", ["loss/train"])
        app.until("loss/train")
        app.until(DOTS)
        app.send("q")
        assert app.wait() == 0


def test_dashboard_tiny_terminal_shows_text_until_it_grows(logs: Path) -> None:
    with PtyApp(product(str(logs)), size=(20, 5)) as app:
        app.until(r"\w{3}")
        app.resize(80, 24)
        app.until("loss/train")
        app.send("q")
        assert app.wait() == 0


def test_dashboard_manual_settings_are_saved_until_reset(logs: Path) -> None:
    def shows(*texts: str, options: Sequence[str] = (), keys: str = "") -> None:
        with PtyApp(product(str(logs), *options)) as app:
            app.until(DOTS)
            app.send(*keys)
            for text in texts:
                app.until(re.escape(text))
            app.send("q")
            assert app.wait() == 0

    shows("smooth .60")
    shows("smooth .70", keys="++")
    options = "--smoothing", ".9", "--x-axis", "relative", "--tags", "acc", "--runs", "sgd"
    shows("smooth .90", "x relative", options=options)
    shows("smooth .70", "x step", "2 runs")  # options of the command line applied to that session only
    shows("smooth .95", options=("--smoothing", ".9"), keys="+")
    shows("smooth .95")  # and this choice was made by key
    shows("smooth .60", options=("--fresh",))


def test_dashboard_applies_command_line_filters(logs: Path) -> None:
    with PtyApp(product(str(logs), "--runs", "adam", "--tags", "^ACC$")) as app:
        app.until(DOTS)
        app.until("1 of 2 (runs|tags)")
        assert "╭ acc" in app.text
        assert "╭ loss/train" not in app.text
        app.send("q")
        app.wait()


TITLE = re.compile(rb"\x1b\]0;([^\x07]*)\x07")


def test_dashboard_alert_rings_and_stays_in_the_title(tmp_path: Path) -> None:
    directory = tmp_path / "logs" / "run\x1b]0;owned\x07"
    directory.mkdir(parents=True)
    with EventFileWriter(str(directory / "events.out.tfevents.1790000000.test")) as writer:
        for step in range(50):
            writer.scalar("loss\x07\x1b[2J", 1.0, step, 1_790_000_000 + step)
        writer.flush()
        with PtyApp(product(str(tmp_path / "logs"), "--alert")) as app:
            app.until(DOTS)
            assert TITLE.search(app.raw) is None
            writer.scalar("loss\x07\x1b[2J", math.nan, 50, 1_790_000_050)
            writer.flush()
            app.until("NaN from step 50 in loss")
            app.until_true(lambda: TITLE.search(app.raw) is not None, "title")
            app.send("q")
            assert app.wait() == 0
    (title,) = TITLE.findall(bytes(app.raw))
    assert title.decode() == "tbtui ✗ run·]0;owned·: NaN from step 50 in loss··[2J"
    assert b"\a" in TITLE.sub(b"", app.raw)
    assert app.raw.index(b"\x1b[22;0t") < app.raw.index(title) < app.raw.index(b"\x1b[23;0t")
    assert b"\x1b[2J" not in app.raw


def test_dashboard_without_alerts_keeps_the_title(logs: Path) -> None:
    with PtyApp(product(str(logs))) as app:
        app.until(DOTS)
        app.send("q")
        assert app.wait() == 0
    for sequence in (b"\x1b]0;", b"\x1b]2;", b"\x1b[22;0t", b"\x1b[23;0t"):
        assert sequence not in app.raw


HUNG = """
import sys, threading
from tbtui.widgets import file_saver

def never(*_, **__):
    threading.Event().wait()

file_saver.write_file = never
from tbtui.cli.main import program
program()
"""


def test_dashboard_quits_with_a_blocked_file_system(logs: Path) -> None:
    with PtyApp([product()[0], "-c", HUNG, str(logs)]) as app:
        app.until(DOTS)
        app.send("w")
        app.until("write the data")
        app.send("enter")
        app.until("working")
        app.send("ctrl+c")
        assert app.wait() == 0
        assert_given_back(app)


HOSTILE = (
    "a\x1b]0;owned\x07b",
    "c\x1b[2J\x1b[31;7;5md",
    "e\x9b5nf",
    "g[red]h[/red]",
    "i\nj\tk\rl",
    "m\u202en",
    "x" * 4000,
)


def test_dashboard_escapes_names_from_files(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "run\x1b]0;owned\x07\x1b[5m", HOSTILE)
    with PtyApp(product(str(tmp_path / "logs"))) as app:
        app.until("h\\[/red\\]")  # literally, not as markup
        app.until(DOTS)
        app.send("q")
        assert app.wait() == 0
    for sequence in (b"\x1b]0;", b"owned\x07", b"\x1b[2J", b"\x1b[5m", b"\x1b[31;7;5m", b"\xc2\x9b", "\u202e".encode()):
        assert sequence not in app.raw


@pytest.mark.parametrize(
    ("words", "env", "message"),
    [
        (["."], {"TERM": "dumb"}, "TERM is dumb"),
        (["."], {"TERM": None}, "TERM is not set"),
        (["."], {"PYTHONIOENCODING": "latin-1"}, "not UTF-8"),
        (["--demo"], {"TERM": "dumb"}, "tbtui print"),
        (["nowhere"], {}, "nowhere: no such file or directory"),
        (["plain.txt"], {}, "plain.txt: not an event file"),
        (["no*thing"], {}, "no*thing: matches no"),
        ([".", "--theme", "loud"], {}, "unknown theme 'loud'; choose from tbtui-dark, "),
        ([".", "--tab", "tables"], {}, "unknown dashboard 'tables'; choose from scalars"),
    ],
)
def test_dashboard_invalid_path_prints_one_line_and_returns_2(
    tmp_path: Path, words: list[str], env: dict[str, str | None], message: str
) -> None:
    (tmp_path / "plain.txt").write_text("words")
    with PtyApp(product(*words), size=(200, 10), env=env, cwd=tmp_path) as app:
        assert app.wait() == 2
        written = app.raw.decode()
        assert written.startswith("tbtui: ")
        assert message in written
        assert written.count("\n") == 1
        assert "\x1b" not in written


@pytest.mark.parametrize("words", [["."], ["--demo"]])
def test_dashboard_without_a_terminal_names_the_print_commands(words: list[str]) -> None:
    ended = subprocess.run(
        product(*words),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("tbtui: stdin is not a terminal")
    assert "tbtui print" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_dashboard_works_in_a_deleted_working_directory(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with PtyApp(["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", *product()], size=(200, 10), cwd=gone) as app:
        assert app.wait() == 2
        assert app.raw.startswith(b"tbtui: .: ")
        assert app.raw.count(b"\n") == 1


def test_dashboard_on_a_light_background_is_light(logs: Path) -> None:
    with PtyApp(product(str(logs)), env={"COLORTERM": "truecolor"}) as app:
        app.until_true(lambda: b"\x1b]11;?\x1b\\" in app.raw, "the query")
        app.send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
        app.until(DOTS)
        app.until_true(lambda: b"48;2;251;250;247" in app.raw, "the light background")
        assert "rgb" not in app.text
