"""Bytes that an overlay takes to open and to close, and a tab to show, at 120x40 in true colours."""

from __future__ import annotations

from harness import PtyApp, environment, figure, product, temporary, write_run

TAGS = ("loss/train", "loss/val", "acc/val", "grad/norm", "lr", "time")
RUNS = 7
SETTLED_SECONDS = 0.6
"""Time without output after which an answer is complete."""

OVERLAYS = {"help": "?", "palette": ":", "options": "o", "one chart": "e", "about the chart": "i", "damage": "!"}
TABS = {"Compare": "2", "Scalars": "1"}


def written(app: PtyApp, key: str) -> int:
    """Press a key, and return how many bytes the program writes for it."""
    before = len(app.raw)
    app.send(key)
    while app.pump(SETTLED_SECONDS):
        pass
    return len(app.raw) - before


def main() -> None:
    """Open and close each overlay over six charts of seven runs."""
    with temporary() as directory:
        logs = directory / "logs"
        for number in range(RUNS):
            write_run(logs / f"run{number}", TAGS, 400)
        with PtyApp(product(str(logs), "--fresh"), env=environment(directory)) as app:
            app.until("grad/norm")
            while app.pump(2):
                pass
            for name, key in OVERLAYS.items():
                figure(f"open {name}", [written(app, key) / 1000], "kB")
                figure(f"close {name}", [written(app, "escape") / 1000], "kB")
            for name, key in TABS.items():
                figure(f"tab {name}", [written(app, key) / 1000], "kB")
            app.send("q")
            app.wait()


if __name__ == "__main__":
    main()
