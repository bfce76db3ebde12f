"""What meshes cost: until an opened one is on the terminal, an orbit key, a page of cards, a second at rest.

    python tests/benchmarks/bench_mesh.py [FACES ...]

Without numbers: 200,000 and 1,000,000 faces with colours, as PyTorch writes them. The terminal is a model of 120x40
cells that reads as fast as it can and shows half blocks in true colours.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

import numpy as np  # noqa: E402 - found only now
from harness import EventFileWriter, environment, product  # noqa: E402

from tbtui.charts.mesh_camera import MeshCamera  # noqa: E402
from tbtui.charts.mesh_model import coarsen, prepare_mesh  # noqa: E402
from tbtui.charts.mesh_raster import MESH_MODES, MeshStyle, draw_mesh  # noqa: E402
from tbtui.events.schema import get_message_class  # noqa: E402
from tests.helpers.mesh_logs import mesh_value, sphere  # noqa: E402
from tests.helpers.pixel_terminal import ALACRITTY, PixelTerminal  # noqa: E402

SIZE = 120, 40
KEYS = 20
CARDS = 6
QUIET_SECONDS = 0.6
REST_SECONDS = 3.0


def ball(faces: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A ball with about so many faces, and a colour for each vertex."""
    rows = max(3, round((faces / 4) ** 0.5))
    points, found = sphere(2 * rows, rows)
    return points, found, ((points + 1) * 127).astype(np.uint8)


def write(directory: Path, faces: int, tags: int, steps: int) -> None:
    """Meshes as PyTorch writes them: all parts as packed floats in one event."""
    points, found, colours = ball(faces)
    with EventFileWriter(str(directory / "events.out.tfevents.1.bench"), wall_time=1.79e9) as writer:
        for tag in range(tags):
            for step in range(steps):
                event = get_message_class("Event")(wall_time=1.79e9 + step, step=step)
                for part, array in (("vertices", points), ("faces", found), ("colours", colours)):
                    value = mesh_value(f"m{tag}", part, array[None].astype(np.float32))
                    floats = np.frombuffer(value.tensor.tensor_content, np.float32)
                    value.tensor.tensor_content = b""
                    value.tensor.float_val.extend(floats.tolist())
                    event.summary.value.append(value)
                writer.event(event)


def come(app: PixelTerminal, quiet: float = QUIET_SECONDS) -> tuple[int, float]:
    """Bytes that are written until nothing more comes, and the seconds from now to the last of them."""
    began = last = time.perf_counter()
    count = 0
    while read := app.pump(quiet):
        count, last = count + read, time.perf_counter()
    return count, last - began


def first(app: PixelTerminal) -> tuple[int, float]:
    """Bytes of the first frame that comes, and the seconds until its last byte."""
    return come(app, 0.03)


def of_product(faces: int) -> None:
    """The whole product on one mesh, and on a page of them."""
    with tempfile.TemporaryDirectory() as name:  # one of six meshes alike, the others below it
        directory, logs = Path(name), Path(name) / "logs"
        logs.mkdir()
        write(logs, faces, CARDS, 1)
        with PixelTerminal(
            product("--fresh", "--tab", "mesh", str(logs)), ALACRITTY, size=SIZE, env=environment(directory)
        ) as app:
            app.until(" v ")
            come(app)
            app.send("enter")
            opened = come(app)[1]
            app.until("slanted")
            keys = []
            for _ in range(KEYS):
                app.send("right")
                while not (frame := first(app))[0]:
                    pass
                keys.append(frame)
                come(app)
            at_rest = come(app, REST_SECONDS)[0]
            app.send("escape")
            come(app)
            app.send("pagedown")
            page = come(app)[1]
            app.send("q")
            app.wait()
    bytes_of_key, seconds = (median(key[at] for key in keys) for at in (0, 1))
    print(
        f"{faces:>9,} faces: opened after {opened * 1e3:.0f} ms; a key {seconds * 1e3:.0f} ms, "
        f"{bytes_of_key / 1e3:.1f} kB; {at_rest} bytes in {REST_SECONDS:g} s at rest; next cards {page * 1e3:.0f} ms"
    )


def best(work: object, times: int = 5) -> float:
    """The least milliseconds of several."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()  # type: ignore[operator]
        found.append(time.process_time() - began)
    return min(found) * 1e3


def of_drawing(faces: int) -> None:
    """What drawing takes, in CPU milliseconds."""
    points, found, colours = ball(faces)
    model = prepare_mesh(points, found, colours)
    coarse = coarsen(model)
    print(
        f"{faces:>9,} faces: prepared in {best(lambda: prepare_mesh(points, found, colours), 2):.0f} ms, "
        f"coarse copy of {len(coarse.faces):,} in {best(lambda: coarsen(model), 2):.0f} ms"
    )
    for size in ((96, 68), (192, 136), (864, 612)):
        texts = [
            f"{mode} {best(partial(draw_mesh, model, MeshCamera(), *size, MeshStyle(mode)), 3):.1f}"
            for mode in MESH_MODES
        ]
        moving = best(partial(draw_mesh, coarse, MeshCamera(), *size, MeshStyle()), 3)
        print(f"          {size[0]}x{size[1]}: {', '.join(texts)} ms; coarse {moving:.1f} ms")


if __name__ == "__main__":
    for count in [int(word) for word in sys.argv[1:]] or [200_000, 1_000_000]:
        of_drawing(count)
        of_product(count)
