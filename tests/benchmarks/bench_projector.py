"""Measure the Projector tab on the points of a vocabulary: 88,588 of 300 dimensions, and t-SNE of 10,000.

Times of the wall and of the processor are shown, because BLAS waits for its threads on a busy machine.
Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_projector.py`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.plugins.projector.catalog import find_embeddings
from tbtui.plugins.projector.files.metadata import Metadata
from tbtui.plugins.projector.layouts import LayoutChoice, run_layout
from tbtui.plugins.projector.map_picture import draw_map
from tbtui.plugins.projector.points import Points, read_points
from tbtui.plugins.projector.scene import Scene
from tbtui.plugins.projector.session import MapSession
from tbtui.plugins.projector.sources import EmbeddingSource

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS, ROWS = 76, 34


def timed(what: str, work: Callable[[], object], wanted: str = "") -> None:
    """Run once, and print the milliseconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"{what:44} {1e3 * wall:9.1f} ms wall {1e3 * processor:9.1f} ms processor   {wanted}")


def write_words(directory: Path, points: int = 88_588, dimensions: int = 300) -> None:
    """Write clusters as raw bytes with a label for each point."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 40, points)
    centres = random.normal(0, 1.5, (40, dimensions))
    (centres[codes] + random.normal(size=(points, dimensions))).astype("<f4").tofile(directory / "t.bytes")
    (directory / "words.tsv").write_text("".join(f"word{index}\n" for index in range(points)))
    (directory / "projector_config.pbtxt").write_text(
        f'embeddings {{ tensor_name: "words" tensor_path: "t.bytes" tensor_shape: [{points}, {dimensions}] '
        'metadata_path: "words.tsv" }'
    )


def scene_of(points: Points, choice: LayoutChoice) -> Scene:
    """Return a scene of the first state of a layout."""
    state = next(run_layout(points, choice))
    return Scene(EmbeddingSource("run", None, ()), 0, points, state, MapSession(layout=choice))  # type: ignore[arg-type]


def main() -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder:
        write_words(Path(folder))
        held: list[Points] = []

        def first_picture() -> None:
            version = find_embeddings(folder, folder).embeddings[0].versions[0]
            held.extend(read_points(version))
            draw_map(scene_of(held[0], LayoutChoice()), COLUMNS, ROWS)

        timed("from bytes to the first picture", first_picture, "500 wanted")
        points = held[0]
    timed("components of all points", lambda: points.components)
    for metric in ("cosine", "euclidean"):
        points.index.nearest(0, 100, metric)
        timed(f"100 nearest, {metric}", lambda metric=metric: points.index.nearest(7, 100, metric), "20 wanted")
    scene = scene_of(points, LayoutChoice(dimensions=3))
    camera = scene.session.camera

    def rotated() -> None:
        session = replace(scene.session, camera=camera.turned(0.1, 0))
        draw_map(Scene(scene.source, 0, points, scene.state, session), COLUMNS, ROWS)

    timed("a rotation in three dimensions", rotated, "33 wanted")
    few = Points(np.ascontiguousarray(points.values[:10_000, :128]), Metadata())
    states = run_layout(few, LayoutChoice("tsne", perplexity=10))
    timed("neighbours of 10,000 points for t-SNE", lambda: next(state for state in states if state.step == 1))
    timed("20 iterations of t-SNE on 10,000 points", lambda: list(islice(states, 20)), "1000 wanted")


if __name__ == "__main__":
    main()
