"""Measure the HParams tab on 5,000 sessions of 40 hyperparameters, and the shares where the truth is known.

python -m tests.benchmarks.bench_hparams [SESSIONS]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.maths.rank_anova import choose_bin_count, compute_mid_ranks, compute_q_values, measure_effect, number_levels
from tbtui.plugins.hparams.grid import CellCache, build_table_rows
from tbtui.plugins.hparams.importance import measure_importance
from tbtui.plugins.hparams.parallel import ParallelCache, ParallelState, draw_parallel
from tbtui.plugins.hparams.session_cache import SessionCache
from tbtui.plugins.hparams.settings import SESSIONS, SessionSettings
from tbtui.plugins.hparams.slices import SliceState, draw_slices
from tbtui.plugins.hparams.table_builder import SessionTables, share_tables
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tbtui.view.terms import match_rows
from tbtui.view.view import build_view
from tests.helpers.session_logs import log_session

if TYPE_CHECKING:
    from collections.abc import Callable

HPARAMS = 40


def search_columns(count: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return 40 hyperparameters, of which lr, dropout and opt matter."""
    columns: dict[str, Any] = {
        "lr": 10 ** rng.uniform(-5, 0, count),
        "dropout": rng.uniform(0, 0.6, count),
        "opt": rng.choice(["adam", "sgd", "lion"], count),
        "layers": rng.integers(1, 9, count).astype(float),
    }
    for number in range(HPARAMS - len(columns)):
        columns[f"noise{number}"] = rng.random(count) if number % 2 else rng.integers(0, 3, count).astype(float)
    return columns


def losses(columns: dict[str, Any], rng: np.random.Generator) -> Any:
    """Return the losses; a learning rate above a quarter diverges."""
    rate = np.log10(columns["lr"])
    loss = 0.3 + 0.12 * (rate + 3) ** 2 + 0.25 * (columns["dropout"] - 0.2) ** 2 + 0.1 * (columns["opt"] == "lion")
    loss = loss + rng.normal(0, 0.05, len(rate))
    loss[rate > -0.6] = np.nan
    return loss


def timed(name: str, work: Callable[[], Any], times: int = 5) -> Any:
    """Print the best of some wall and CPU times in milliseconds, and return the result."""
    best, cpu, result = float("inf"), float("inf"), None
    for _ in range(times):
        began, busy = time.perf_counter(), time.process_time()
        result = work()
        best, cpu = min(best, time.perf_counter() - began), min(cpu, time.process_time() - busy)
    print(f"{name:56s} {best * 1e3:9.1f} ms, CPU {cpu * 1e3:9.1f} ms")
    return result


def measure(folder: Path, count: int) -> None:
    """Write the logs, and time what the tab does."""
    rng = np.random.default_rng(0)
    columns = search_columns(count, rng)
    loss = losses(columns, rng)
    metrics = ("val/loss", "val/acc", "time")
    for row in range(count):
        hparams = {name: str(c[row]) if name == "opt" else float(c[row]) for name, c in columns.items()}
        curves = {"val/loss": [loss[row] + 0.2, loss[row] + 0.1, loss[row]], "val/acc": [0.1, 0.2, 1 / (1 + loss[row])]}
        log_session(folder, f"t{row:05}", hparams, {**curves, "time": [1.0, 2.0, 3.0]}, metrics=metrics)
    began = time.perf_counter()
    snapshot = Loader(parse_sources([str(folder)]), reload_seconds=0).load_all().snapshot
    print(f"{'loading (not of this dashboard)':56s} {(time.perf_counter() - began) * 1e3:9.1f} ms")
    table = timed("table of sessions, first", lambda: SessionTables(Payloads()).build(snapshot.runs), 1)
    payloads = Payloads()
    share_tables(payloads).build(snapshot.runs)
    cache = SessionCache(payloads)
    facts, colours = SummaryCache(), RunColours()
    attributes = timed("columns as attributes of runs", table.attributes, 1)

    def view(**changes: Any) -> Any:
        text = changes.pop("text", "")
        settings = SESSIONS.with_value(Settings(run_filter=text), SessionSettings(**changes))
        return build_view(snapshot, settings, colours, facts, attributes)

    timed("view with attributes", view, 1)
    shown = timed("first preparation: table, values, shares, order", lambda: cache.prepare(view()), 1)
    timed("again, nothing changed", lambda: cache.prepare(view()))
    keys = iter(["h/lr", "h/dropout", "h/opt", "m/val/acc", "h/layers"])
    cells = CellCache()
    build_table_rows(shown, cells)
    timed("sorted by another column", lambda: build_table_rows(cache.prepare(view(sort=next(keys))), cells))
    timed("filter of three terms", lambda: match_rows("lr>=1e-4 opt=adam|sgd dropout<.3", attributes))
    timed("filtered: preparation with shares", lambda: cache.prepare(view(text="lr>=1e-4 opt=adam")), 1)
    values = table.figures.values(table.metrics[0], "last", "min").values
    timed("shares, profiles, pairs and regions", lambda: measure_importance(table, "val/loss", values, "min"))
    timed("cells of one column of 5,000 rows", lambda: CellCache().cells(shown.rows, "h/lr"))
    for key in shown.rows.keys[:8]:
        cells.cells(shown.rows, key)
    timed("parallel coordinates, 96 x 34 cells", lambda: draw_parallel(shown, ParallelState(), 96, 34))
    lines, bounds = ParallelCache(), iter(f"lr>={rate:.1e}" for rate in np.logspace(-3, -1, 20))
    draw_parallel(shown, ParallelState(), 96, 34, lines)

    def answer(place: str) -> None:
        found = cache.prepare(view(text=next(bounds), view=place), keeps_shares=True)
        build_table_rows(found, cells)
        if place == "parallel":
            draw_parallel(found, ParallelState(), 96, 34, lines)

    timed("a brush in parallel coordinates: view, rows, lines", lambda: answer("parallel"))
    cache.prepare(view())
    timed("a filter in the first look, before its shares", lambda: answer("matters"))
    timed("slices, 96 x 34 cells", lambda: draw_slices(shown, SliceState(), 96, 34))


def false_alarms() -> None:
    """Print how often something is marked where nothing matters, and how often a true effect is found."""
    for count in (12, 20, 50, 200):
        alarms = found = 0
        bins = choose_bin_count(count)
        for seed in range(200):
            rng = np.random.default_rng(seed)
            columns = [rng.random(count) for _ in range(10)]
            ranks = compute_mid_ranks(rng.normal(size=count))
            alarms += bool(
                (compute_q_values([measure_effect(number_levels(c, bins), ranks).p for c in columns]) < 0.1).any()
            )
            ranks = compute_mid_ranks(columns[0] * 12**0.5 + rng.normal(size=count))
            found += bool(compute_q_values([measure_effect(number_levels(c, bins), ranks).p for c in columns])[0] < 0.1)
        print(f"{count:5d} sessions: false alarms {alarms / 200:.0%}, an effect of half found in {found / 200:.0%}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        measure(Path(directory), int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
    false_alarms()
