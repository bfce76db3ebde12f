"""What watching 300 quiet runs costs: bytes to the terminal and CPU."""

from __future__ import annotations

import time

from harness import PtyApp, burst, cpu_seconds, environment, figure, product, temporary, write_run

RUNS = 300
SECONDS = 20


def main() -> None:
    """Wait until everything is loaded and drawn, then watch."""
    with temporary() as directory:
        for number in range(RUNS):
            write_run(directory / "logs" / f"sweep/run{number:03d}", ("loss/train", "loss/val", "lr"), 50, number)
        with PtyApp(product(str(directory / "logs")), env=environment(directory)) as app:
            app.until(f"{RUNS} runs")
            burst(app, quiet=3.0, patience=3.0)
            written, spent = len(app.raw), cpu_seconds(app)
            end = time.perf_counter() + SECONDS
            while (left := end - time.perf_counter()) > 0:
                app.pump(left)
            figure(f"bytes written in {SECONDS} s, {RUNS} runs", [len(app.raw) - written], "bytes", "0")
            figure("CPU", [100 * (cpu_seconds(app) - spent) / SECONDS], "%", "under 1")
            app.send("q")
            app.wait()


if __name__ == "__main__":
    main()
