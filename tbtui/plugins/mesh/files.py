"""Write meshes as files: PLY (binary), OBJ and NPZ.

Sources: G. Turk, "The PLY Polygon File Format", 1994; Wavefront OBJ, with colours behind coordinates as MeshLab and
Blender read them; `numpy.savez_compressed`.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tbtui.plugins.mesh.read import Mesh

    Array: TypeAlias = npt.NDArray[Any]

PLY, OBJ, NPZ = "ply", "obj", "npz"


def valid_faces(mesh: Mesh) -> Array:
    """Return the faces whose indices all exist, int32[k, 3]: programs that read files trust them."""
    if mesh.faces is None:
        return np.zeros((0, 3), np.int32)
    is_valid = ((mesh.faces >= 0) & (mesh.faces < len(mesh.vertices))).all(axis=1)
    return np.asarray(mesh.faces[is_valid], np.int32)


def ply_bytes(mesh: Mesh) -> bytes:
    """Return a mesh as binary PLY, little-endian, with the coordinates as logged."""
    number = "double" if mesh.vertices.dtype.itemsize > 4 else "float"
    kind = "<f8" if number == "double" else "<f4"
    fields: list[tuple[str, str]] = [(axis, kind) for axis in "xyz"]
    if mesh.colours is not None:
        fields += [(channel, "u1") for channel in ("red", "green", "blue")]
    rows = np.empty(len(mesh.vertices), fields)
    for column, axis in enumerate("xyz"):
        rows[axis] = mesh.vertices[:, column]
    if mesh.colours is not None:
        for column, channel in enumerate(("red", "green", "blue")):
            rows[channel] = mesh.colours[:, column]
    faces = valid_faces(mesh)
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}"]
    header += [f"property {number} {axis}" for axis in "xyz"]
    if mesh.colours is not None:
        header += [f"property uchar {channel}" for channel in ("red", "green", "blue")]
    if mesh.faces is not None:
        header += [f"element face {len(faces)}", "property list uchar int vertex_indices"]
    listed = np.empty(len(faces), [("count", "u1"), ("corners", "<i4", 3)])
    listed["count"], listed["corners"] = 3, faces
    return "\n".join((*header, "end_header\n")).encode() + rows.tobytes() + listed.tobytes()


def obj_bytes(mesh: Mesh) -> bytes:
    """Return a mesh as OBJ; its numbers read back to the same floats."""
    digits = "%.17g" if mesh.vertices.dtype.itemsize > 4 else "%.9g"
    columns: Array = mesh.vertices.astype(np.float64)
    line = f"v {digits} {digits} {digits}\n"
    if mesh.colours is not None:
        columns = np.hstack([columns, mesh.colours / 255])
        line = f"v {digits} {digits} {digits} %.4g %.4g %.4g\n"
    faces = valid_faces(mesh).astype(np.int64) + 1
    text = (line * len(columns)) % tuple(columns.ravel().tolist())
    text += ("f %d %d %d\n" * len(faces)) % tuple(faces.ravel().tolist())
    return text.encode()


def npz_bytes(mesh: Mesh) -> bytes:
    """Return the arrays as logged, and the configuration, as compressed NPZ without pickle."""
    arrays: dict[str, Any] = {"vertices": mesh.vertices, "config": np.array(mesh.config_text)}
    if mesh.faces is not None:
        arrays["faces"] = mesh.faces
    if mesh.colours is not None:
        arrays["colours"] = mesh.colours
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


WRITERS: dict[str, Callable[[Mesh], bytes]] = {PLY: ply_bytes, OBJ: obj_bytes, NPZ: npz_bytes}
"""By the ending of the file, the default first."""
