"""Run a small app for the tests of `tbtui.cli.session`; its argument names the failure."""

from __future__ import annotations

import signal
import sys
import threading
from random import choices

from textual.app import App, ComposeResult
from textual.widgets import Static

import tbtui.cli.shutdown
from tbtui.cli.session import run_app


class SessionApp(App[int]):
    def compose(self) -> ComposeResult:
        yield Static("ready when you are", markup=False)

    def on_mount(self) -> None:
        if "broken" in sys.argv:
            raise LookupError("a part that\x1b[2J breaks while it is made")
        self.mount(Static("all drawn", markup=False))
        if "flood" in sys.argv:
            self.set_interval(0.02, lambda: self.query(Static).first().update("".join(choices("abcdefghijk", k=4000))))

    def key_q(self) -> None:
        self.exit()

    def key_c(self) -> None:
        raise LookupError("a key that breaks things")

    def key_p(self) -> None:
        self.panic("a panic in some thread of Textual's")

    def key_t(self) -> None:
        threading.Thread(target=self.break_thread).start()

    def break_thread(self) -> None:
        raise LookupError("a thread that breaks")

    def key_s(self) -> None:
        sys.__stderr__.write("stuck now")
        sys.__stderr__.flush()
        threading.Event().wait()


if __name__ == "__main__":
    if "nohup" in sys.argv:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if "impatient" in sys.argv:
        tbtui.cli.shutdown.GRACE_SECONDS = 0.2
    sys.exit(run_app(SessionApp(), titled="titled" in sys.argv))
