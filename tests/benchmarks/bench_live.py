"""How soon a flushed value is on the screen, and what it costs to draw it: one chart of one tag is visible."""

from __future__ import annotations

import random
import time

from bench_start import DOTS
from harness import EventFileWriter, PtyApp, burst, environment, figure, product, temporary, write_run

UPDATES = 40
HISTORY = 400


def main() -> None:
    """Flush values at uneven moments; each burst of output is one update."""
    noise = random.Random(1)
    first, whole, sizes = [], [], []
    charts = 0
    with temporary() as directory:
        run = directory / "logs" / "run"
        write_run(run, ["loss/train"], HISTORY)
        writer = EventFileWriter(str(run / f"events.out.tfevents.{int(time.time()) + 1}.more"))
        with PtyApp(product(str(directory / "logs")), env=environment(directory)) as app:
            app.until("loss/train")
            burst(app, quiet=2.0, patience=2.0)
            for step in range(HISTORY, HISTORY + UPDATES):
                burst(app, quiet=0.5 + noise.random(), patience=0.5 + noise.random())
                writer.scalar("loss/train", 0.1 + noise.random() / 10, step, time.time())
                flushed = time.perf_counter()
                writer.flush()
                written = len(app.raw)
                began, ended, size = burst(app, quiet=0.25)
                charts += DOTS.search(app.raw, written) is not None
                first.append(1000 * (began - flushed))
                whole.append(1000 * (ended - flushed))
                sizes.append(size)
            app.send("q")
            app.wait()
        writer.close()
    figure("flush to the first byte on the terminal", first, "ms")
    figure("flush to the last byte of that update", whole, "ms", "200 at most")
    figure("bytes an update", sizes, "bytes", "2,000 at most")
    print(f"{charts} of {UPDATES} updates drew dots")


if __name__ == "__main__":
    main()
