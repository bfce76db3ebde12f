"""Measure the Projector tab on the points of a vocabulary: 88,588 of 300 dimensions, and t-SNE of 10,000.

    python tests/benchmarks/bench_projector.py [ROUNDS]

Functions are run ROUNDS times (default 7), and the least times of wall and processor are shown, since other programs
only make them larger. Then the whole product runs in a model of a terminal of 120x40 cells, which reads at once.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

import numpy as np  # noqa: E402
import psutil  # noqa: E402
from harness import burst, cpu_seconds, environment, product  # noqa: E402

from tbtui.plugins.projector.catalog import find_embeddings  # noqa: E402
from tbtui.plugins.projector.files.metadata import Metadata  # noqa: E402
from tbtui.plugins.projector.layouts import LayoutChoice, choose_default_perplexity, run_layout  # noqa: E402
from tbtui.plugins.projector.map_picture import draw_map  # noqa: E402
from tbtui.plugins.projector.pane.point_table import PointTable  # noqa: E402
from tbtui.plugins.projector.points import Points, read_points  # noqa: E402
from tbtui.plugins.projector.scene import Scene  # noqa: E402
from tbtui.plugins.projector.session import MapSession  # noqa: E402
from tbtui.plugins.projector.sources import EmbeddingSource  # noqa: E402
from tests.helpers.pixel_terminal import ALACRITTY, PixelTerminal  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS, ROWS = 76, 34
SIZE = 120, 40
KEYS = 15
STARTS = 3
LAST_ITERATION = 500
REST_SECONDS = 10.0
WORDS, WORD_DIMENSIONS = 88_588, 300
LAID_OUT, LAID_OUT_DIMENSIONS = 10_000, 128


def show(what: str, wall: float, processor: float, wanted: str = "") -> None:
    """Print milliseconds."""
    print(f"{what:48} {1e3 * wall:9.1f} ms wall {1e3 * processor:9.1f} ms processor   {wanted}", flush=True)


def timed(what: str, rounds: int, work: Callable[[], object], wanted: str = "") -> None:
    """Run some times, and print the least milliseconds."""
    walls, processors = [], []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    show(what, min(walls), min(processors), wanted)


def clusters(points: int, dimensions: int, groups: int = 40) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return points around some centres."""
    random = np.random.default_rng(0)
    centres = random.normal(0, 1.5, (groups, dimensions))
    return (centres[random.integers(0, groups, points)] + random.normal(size=(points, dimensions))).astype("<f4")


def write_points(directory: Path, points: int, dimensions: int) -> None:
    """Write clusters as raw bytes with a label for each point."""
    directory.mkdir(exist_ok=True)
    clusters(points, dimensions).tofile(directory / "t.bytes")
    (directory / "words.tsv").write_text("".join(f"word{index}\n" for index in range(points)))
    (directory / "projector_config.pbtxt").write_text(
        f'embeddings {{ tensor_name: "words" tensor_path: "t.bytes" tensor_shape: [{points}, {dimensions}] '
        'metadata_path: "words.tsv" }'
    )


def scene_of(points: Points, choice: LayoutChoice, **session: object) -> Scene:
    """Return a scene of the first state of a layout."""
    state = next(run_layout(points, choice))
    chosen = MapSession(layout=choice, **session)  # type: ignore[arg-type]
    return Scene(EmbeddingSource("run", None, ()), 0, points, state, chosen)  # type: ignore[arg-type]


def of_functions(rounds: int) -> None:
    """Measure single functions."""
    with tempfile.TemporaryDirectory() as folder:
        write_points(Path(folder), WORDS, WORD_DIMENSIONS)
        held: list[Points] = []

        def first_picture() -> None:
            version = find_embeddings(folder, folder).embeddings[0].versions[0]
            held[:] = read_points(version)
            draw_map(scene_of(held[0], LayoutChoice()), COLUMNS, ROWS)

        timed("from bytes to the first picture", rounds, first_picture, "500 wanted")
        points = held[0]
    timed("components of all points", rounds, lambda: Points(points.values, Metadata()).components)
    for metric in ("cosine", "euclidean"):
        points.index.find_nearest(0, 100, metric)
        timed(
            f"100 nearest, {metric}",
            rounds,
            lambda metric=metric: points.index.find_nearest(7, 100, metric),
            "20 wanted",
        )
    scene = scene_of(points, LayoutChoice(dimensions=3))
    camera = scene.session.camera

    def rotated() -> None:
        session = replace(scene.session, camera=camera.turn(0.1, 0))
        draw_map(Scene(scene.source, 0, points, scene.state, session).reuse_caches(scene), COLUMNS, ROWS)

    timed("a rotation in three dimensions", rounds, rotated, "33 wanted")
    timed(
        "the table of all points, sorted by norm",
        rounds,
        lambda: PointTable(scene_of(points, LayoutChoice(), sort="norm")),
    )
    few = Points(clusters(LAID_OUT, LAID_OUT_DIMENSIONS), Metadata())
    for kind in ("tsne", "umap"):
        choice = LayoutChoice(kind, perplexity=choose_default_perplexity(LAID_OUT))
        states = run_layout(few, choice)
        timed(f"{kind}: nearest of 10,000 points", 1, lambda states=states: next(s for s in states if s.step == 1))
        timed(f"{kind}: 20 iterations", rounds, lambda states=states: list(islice(states, 20)), "1000 wanted")


def written(app: PixelTerminal, quiet: float) -> int:
    """Return the bytes that are written until nothing comes for a while."""
    count = 0
    while read := app.pump(quiet):
        count += read
    return count


def opened(folder: Path) -> PixelTerminal:
    """Open the product on the points of a folder."""
    words = product("--fresh", "--tab", "projector", str(folder / "logs"))
    return PixelTerminal(words, ALACRITTY, size=SIZE, env=environment(folder))


def until_drawn(app: PixelTerminal) -> None:
    """Wait for the first picture."""
    while "PCA, axes" not in app.text:
        app.pump(0.01)


def close(app: PixelTerminal) -> None:
    """End the product."""
    app.send("q")
    app.wait()


def press(app: PixelTerminal, key: str, quiet: float = 0.06) -> tuple[float, float, int]:
    """Press a key. Return seconds of wall and processor until its last byte, and the bytes."""
    began, spent = time.perf_counter(), cpu_seconds(app)
    app.send(key)
    _, last, count = burst(app, quiet)
    return last - began, cpu_seconds(app) - spent, count


def least(keys: list[tuple[float, float, int]]) -> tuple[float, float]:
    """Return the least seconds of wall and of processor."""
    return min(key[0] for key in keys), min(key[1] for key in keys)


def of_words() -> None:
    """Measure the product on 88,588 points."""
    with tempfile.TemporaryDirectory() as folder:
        write_points(Path(folder) / "logs", WORDS, WORD_DIMENSIONS)
        starts = []
        for _ in range(STARTS):  # the first one compiles the modules
            began = time.perf_counter()
            with opened(Path(folder)) as app:
                until_drawn(app)
                starts.append(time.perf_counter() - began)
                close(app)
        print(f"product: start to the first picture {1e3 * min(starts):.0f} ms wall")
        with opened(Path(folder)) as app:
            until_drawn(app)
            written(app, 8.0)  # until neighbours of the sample are known
            app.send("V")
            written(app, 1.0)
            keys = [press(app, "L") for _ in range(KEYS)]
            show(f"product: a rotation key, {keys[0][2]:,} bytes", *least(keys), "33 wanted")
            app.send("right")
            written(app, 1.0)
            keys = [press(app, "right") for _ in range(KEYS)]
            show("product: the next point with its 100 nearest", *least(keys))
            written(app, 2.0)
            spent = cpu_seconds(app)
            count = written(app, REST_SECONDS)
            idle = cpu_seconds(app) - spent
            resident = psutil.Process(app.process.pid).memory_info().rss
            print(f"product: {REST_SECONDS:g} s at rest: {count} bytes, {100 * idle / REST_SECONDS:.1f} % processor")
            print(
                f"product: {resident / 1e6:,.0f} MB resident; the points have {4 * WORDS * WORD_DIMENSIONS / 1e6:.0f}"
            )
            close(app)


def of_layout() -> None:
    """Measure the product while t-SNE of 10,000 points is drawn."""
    with tempfile.TemporaryDirectory() as folder:
        write_points(Path(folder) / "logs", LAID_OUT, LAID_OUT_DIMENSIONS)
        with opened(Path(folder)) as app:
            until_drawn(app)
            written(app, 5.0)
            app.send("m")
            seen: list[tuple[float, float, int]] = []
            while not seen or seen[-1][2] < LAST_ITERATION:
                app.pump(0.25)
                if found := re.search(r"iteration (\d+) of", app.text):
                    seen.append((time.perf_counter(), cpu_seconds(app), int(found[1])))
            wall, processor, steps = (last - first for first, last in zip(seen[0], seen[-1], strict=True))
            print(
                f"product: t-SNE {steps / wall:.0f} iterations a second of wall, {steps / processor:.0f} a second of "
                "processor with all that is drawn (20 wanted)"
            )
            close(app)


if __name__ == "__main__":
    of_functions(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    of_words()
    of_layout()
