"""Saved views, in the form of TensorBoard's bookmarks, so that both programs read them.

Format: a JSON list of states (TensorBoard `vz_projector/data.ts`, class `State`). The camera of TensorBoard has no
meaning here; fields that TensorBoard does not know begin with `tbtui`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.point_cloud import Camera
from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.plugins.projector.files.config import MissingFileError
from tbtui.plugins.projector.layouts import (
    MAX_NEIGHBOURS,
    MAX_PERPLEXITY,
    MIN_NEIGHBOURS,
    MIN_PERPLEXITY,
    AxisQuery,
    LayoutChoice,
    round_min_distance,
)
from tbtui.plugins.projector.session import MapSession, choose_first_camera
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.projector.catalog import Version
    from tbtui.plugins.projector.layouts import LayoutKind
    from tbtui.plugins.projector.points import Points

MAX_BOOKMARK_BYTES = 64 << 20
MAX_VIEWS = 100
_KINDS: dict[str, LayoutKind] = {"pca": "pca", "tsne": "tsne", "umap": "umap", "custom": "axes"}


@frozen
class Bookmark:
    """A saved view."""

    label: str
    state: Mapping[str, Any]


def read_bookmarks(version: Version) -> tuple[list[Bookmark], str]:
    """Return the bookmarks that the configuration of a version names, and the reason if they cannot be read."""
    path_as_written = version.entry.bookmarks_path
    if not path_as_written:
        return [], ""
    try:
        path = version.locator.find(path_as_written, "file of bookmarks")
        with open_file(path) as file:
            data = file.read(0, MAX_BOOKMARK_BYTES).tobytes()
        return parse_bookmarks(data.decode("utf-8", "replace")), ""
    except MissingFileError as error:
        return [], str(error)
    except OSError as error:
        return [], f"the bookmarks {safe(path_as_written)} cannot be read: {error.strerror or error}"
    except ValueError as error:
        return [], f"the bookmarks {safe(path_as_written)} are damaged: {error}"


def parse_bookmarks(text: str) -> list[Bookmark]:
    """Return the views in the text of a file.

    Raises:
        ValueError: It is not a list of states; the text is the reason.
    """
    try:
        states = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if not isinstance(states, list):
        raise ValueError("they are no list")
    views = [state for state in states if isinstance(state, dict)]
    return [
        Bookmark(str(state.get("label") or f"view {number}"), state)
        for number, state in enumerate(views[:MAX_VIEWS], 1)
    ]


def save_state(session: MapSession, points: Points, label: str) -> dict[str, Any]:
    """Return a session as a state."""
    layout = session.layout
    names = {kind: name for name, kind in _KINDS.items()}
    state: dict[str, Any] = {
        "label": label,
        "isSelected": False,
        "selectedProjection": names.get(layout.kind, "pca"),
        "dataSetDimensions": [points.count, points.dimensions],
        "pcaComponentDimensions": list(layout.components[: layout.dimensions]),
        "tSNEIteration": layout.iterations,
        "tSNEPerplexity": layout.perplexity,
        "tSNEis3d": layout.dimensions == 3,
        "umapIs3d": layout.dimensions == 3,
        "umapNeighbors": layout.neighbours,
        "umapMinDist": layout.min_distance,
        "selectedPoints": sorted(session.selected),
        "filteredPoints": None if session.isolated is None else sorted(session.isolated),
        "selectedColorOptionName": session.colour,
        "selectedLabelOption": session.label,
        "tbtuiLayout": layout.kind,
        "tbtuiDimensions": layout.dimensions,
        "tbtuiSeed": layout.seed,
        "tbtuiEpochs": layout.epochs,
        "tbtuiSphereised": layout.is_sphereised,
        "tbtuiMetric": layout.metric,
        "tbtuiDensity": session.density,
        "tbtuiCursor": session.cursor,
        "tbtuiCentre": session.centre,
        "tbtuiCamera": [
            session.camera.yaw,
            session.camera.pitch,
            session.camera.zoom,
            session.camera.x,
            session.camera.y,
        ],
        "tbtuiSelectedLabels": [points.label(point, session.label) for point in sorted(session.selected)],
    }
    axes = {
        "X": {"Left": layout.axes.left, "Right": layout.axes.right},
        "Y": {"Up": layout.axes.up, "Down": layout.axes.down},
    }
    for axis, ends in axes.items():
        for end, pattern in ends.items():
            state[f"custom{axis}{end}Text"], state[f"custom{axis}{end}Regex"] = pattern, True
    return state


def restore_session(state: Mapping[str, Any], points: Points, present: MapSession) -> MapSession:
    """Return the session that a state describes.

    Parameters that the state lacks, or that do not exist here, stay those of the present session.
    """
    layout = _restore_layout(state, present.layout)
    camera = _parse_numbers(state.get("tbtuiCamera"), 5)
    shown = state.get("filteredPoints")
    isolated = _parse_rows(shown, points.count) if isinstance(shown, list) else frozenset()
    session = replace(
        MapSession(),
        layout=layout,
        camera=Camera(*camera) if camera is not None and camera[2] > 0 else choose_first_camera(layout),
        colour=_parse_column(state.get("selectedColorOptionName"), points),
        label=_parse_column(state.get("selectedLabelOption"), points),
        metric=present.metric,
        count=present.count,
        selected=_parse_rows(state.get("selectedPoints"), points.count),
        isolated=isolated or None,
        cursor=_parse_row(state.get("tbtuiCursor"), points.count),
        centre=_parse_row(state.get("tbtuiCentre"), points.count),
    )
    density = state.get("tbtuiDensity")
    return replace(session, density=density) if density in ("auto", "on", "off") else session


def _restore_layout(state: Mapping[str, Any], present: LayoutChoice) -> LayoutChoice:
    name = state.get("tbtuiLayout")
    kind: LayoutKind
    kind = (
        name
        if name in ("pca", "tsne", "umap", "axes", "raw")
        else _KINDS.get(str(state.get("selectedProjection")), "pca")
    )
    components = [
        value for value in state.get("pcaComponentDimensions") or () if isinstance(value, int) and 0 <= value < 1000
    ]
    is_3d = {"tsne": state.get("tSNEis3d"), "umap": state.get("umapIs3d"), "pca": len(components) == 3}.get(kind, False)
    dimensions = state.get("tbtuiDimensions", 3 if is_3d else 2)
    completed = [*components, *(index for index in range(len(components) + 3) if index not in components)]
    query = {name: str(state.get(f"custom{axis}{end}Text") or "") for axis, ends in _ENDS.items() for end, name in ends}
    return replace(
        present,
        kind=kind,
        dimensions=3 if dimensions == 3 else 2,
        components=(completed[0], completed[1], completed[2]),
        perplexity=_parse_integer(state.get("tSNEPerplexity"), MIN_PERPLEXITY, MAX_PERPLEXITY, present.perplexity),
        iterations=_parse_integer(state.get("tSNEIteration") or None, 1, 100_000, present.iterations),
        neighbours=_parse_integer(state.get("umapNeighbors"), MIN_NEIGHBOURS, MAX_NEIGHBOURS, present.neighbours),
        min_distance=round_min_distance(
            float(_parse_numbers([state.get("umapMinDist")], 1, (present.min_distance,))[0])
        ),
        seed=_parse_integer(state.get("tbtuiSeed"), 0, (1 << 31) - 1, present.seed),
        epochs=_parse_integer(state.get("tbtuiEpochs"), 1, 100_000, present.epochs),
        is_sphereised=bool(state.get("tbtuiSphereised", False)),
        metric="cosine" if state.get("tbtuiMetric") == "cosine" else "euclidean",
        axes=AxisQuery(**query) if any(query.values()) else present.axes,
    )


_ENDS = {"X": (("Left", "left"), ("Right", "right")), "Y": (("Up", "up"), ("Down", "down"))}


def _parse_integer(value: object, low: int, high: int, default: int) -> int:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)
    return int(np.clip(value, low, high)) if is_number else default  # type: ignore[call-overload]


def _parse_numbers(values: object, count: int, default: tuple[float, ...] | None = None) -> Any:
    is_list = isinstance(values, list) and len(values) == count
    if is_list and all(isinstance(value, (int, float)) and np.isfinite(value) for value in values):  # type: ignore[attr-defined]
        return tuple(map(float, values))  # type: ignore[call-overload]
    return default


def _parse_rows(values: object, count: int) -> frozenset[int]:
    rows = values if isinstance(values, list) else ()
    return frozenset(value for value in rows if isinstance(value, int) and 0 <= value < count)


def _parse_row(value: object, count: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count else None


def _parse_column(name: object, points: Points) -> str | None:
    return name if isinstance(name, str) and points.metadata.column(name) is not None else None


def encode_bookmarks(states: Sequence[Mapping[str, Any]]) -> str:
    """Return states as the text of a file."""
    return json.dumps(list(states), indent=1, ensure_ascii=False) + "\n"
