"""Write meshes into event files, and open the Mesh tab on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tbtui.loading.payloads import Payloads
from tbtui.plugins.mesh.pane.pane import MeshPane
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import FILE, START
from tests.helpers.pane_app import PaneApp

if TYPE_CHECKING:
    from collections.abc import Mapping

Array = np.ndarray[Any, Any]

PARTS = {"vertices": 1, "faces": 2, "colours": 3}


def sphere(columns: int = 16, rows: int = 8) -> tuple[Array, Array]:
    """Vertices float32[n, 3] and faces int32[m, 3] of a sphere; those of both poles are the same point many times."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, columns, endpoint=False), np.linspace(0, np.pi, rows), indexing="ij")
    points = np.stack([np.sin(v) * np.cos(u), np.cos(v), np.sin(v) * np.sin(u)], -1).reshape(-1, 3)
    a, b = (axis.ravel() for axis in np.meshgrid(np.arange(columns), np.arange(rows - 1), indexing="ij"))
    here, beside = a * rows + b, (a + 1) % columns * rows + b
    faces = np.concatenate([np.stack([here, here + 1, beside], 1), np.stack([beside, here + 1, beside + 1], 1)])
    return points.astype(np.float32), faces.astype(np.int32)


def cube() -> tuple[Array, Array]:
    """Vertices and faces of a cube with sides of 2 about the origin, in two parts of one face each way."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return corners, np.array(faces, np.int32)


def mesh_value(name: str, part: str, array: Array, config: str = "{}") -> Any:
    """A `SummaryValue` as TensorFlow's `mesh` writes it: bytes of the array as it is."""
    tensor = make_tensor(np.zeros(array.shape, np.float32))
    numbers = {"f4": 1, "f8": 2, "i4": 3, "u1": 4, "i8": 9, "b1": 10}
    tensor.dtype = numbers[array.dtype.str[1:]]
    tensor.tensor_content = array.tobytes()
    value = get_message_class("SummaryValue")(tag=f"{name}_{part}", tensor=tensor)
    value.metadata.plugin_data.plugin_name = "mesh"
    content = get_message_class("MeshPluginData")(
        name=name, content_type=PARTS[part], json_config=config, shape=list(array.shape), components=14
    )
    value.metadata.plugin_data.content = content.SerializeToString()
    return value


class MeshLogs(LoadedLogs):
    """Writes meshes into event files below a directory, and loads them."""

    def add(
        self,
        run: str,
        name: str,
        steps: Mapping[int, Mapping[str, Array]],
        *,
        config: str = "{}",
        file: str = FILE,
    ) -> None:
        """Append to a run: of each step, its parts by name; arrays [points, 3] are one sample."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START) as writer:
            for step, parts in steps.items():
                event = get_message_class("Event")(wall_time=START + step, step=step)
                for part, array in parts.items():
                    batch = array[None] if array.ndim == 2 else array
                    event.summary.value.append(mesh_value(name, part, batch, config))
                writer.event(event)

    def app(self, **settings: Any) -> PaneApp:
        """The tab that shows them."""
        return PaneApp(MeshPane(Payloads()), self.load(), **settings)
