"""Texts of the Mesh tab: titles, notes, figures and the status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.card import SEPARATOR
from tbtui.charts.numbers import format_count
from tbtui.plugins.mesh.cards import CARD_STEPS
from tbtui.plugins.mesh.drawing import format_protocol
from tbtui.plugins.mesh.settings import display_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.mesh_camera import MeshCamera
    from tbtui.plugins.mesh.figures import MeshFigures, Movement
    from tbtui.plugins.mesh.read import Mesh
    from tbtui.settings.settings import Settings
    from tbtui.view.image_renderer import RenderTarget

NO_MESH = "✗ no mesh"
NO_POINTS = "no points at this step"
NOTHING_TO_SHOW = "no vertex has finite coordinates"
CLOUD_SIDE_NOTE = "no faces: drawn as points"


def format_mesh_size(size: Sequence[float] | None) -> str:
    """Return the sides of the box: `2.0 x 2.1 x 1.9`."""
    return "" if size is None else " x ".join(numbers.format_brief(side) for side in size)


def point_text(point: Sequence[float] | None) -> str:
    """Return coordinates: `0.5, -1, 3`."""
    return "–" if point is None else ", ".join(numbers.format_number(each) for each in point)


def format_camera(camera: MeshCamera, logged: MeshCamera | None) -> str:
    """Return the position of the camera: `yaw 30° pitch 20°`, `top`, with the magnification."""
    where = "camera of the log" if camera == logged else camera.side or _format_angles(camera)
    zoom = f"{camera.zoom:.3g}×" if camera.zoom != 1 else ""
    return SEPARATOR.join(filter(None, (where, zoom)))


def _format_angles(camera: MeshCamera) -> str:
    return f"yaw {camera.yaw:.0f}° pitch {camera.pitch:.0f}°"


def format_movement(movement: Movement, subject: str) -> str:
    """Return the distances of a mesh that moved: `moved since step 10: mean 0.031, 95 % within 0.1, greatest 0.104`.

    Args:
        movement: The distances.
        subject: Meaning of the distances: `moved since step 10`, `distance to run b, step 20`.
    """
    nearest = "" if movement.references is None else f", nearest of {movement.references:,} points"
    figures = (
        f"mean {numbers.format_brief(movement.mean)}, 95 % within {numbers.format_brief(movement.high)}, "
        f"greatest {numbers.format_brief(movement.greatest)}"
    )
    return f"{subject}{nearest}: {figures}"


def format_status(settings: Settings, target: RenderTarget, *, is_drawn_in: bool = True) -> str:
    """Return the status of the tab: the shown steps, and settings that are not the default."""
    where = "step: newest" if settings.cursor is None else "step: at the cursor"
    count = CARD_STEPS.count(settings)
    alone = f"{count} alone" if count else ""
    superseded = "superseded too" if settings.superseded else ""
    protocol = format_protocol(target) if is_drawn_in else ""
    return SEPARATOR.join(filter(None, (where, alone, *display_labels(settings), superseded, protocol)))


def format_warnings(warnings: Sequence[str]) -> str:
    """Return `⚠ 3 degenerate faces · colours from 0 to 1`; empty without any."""
    return f"⚠ {SEPARATOR.join(warnings)}" if warnings else ""


def format_figures(figures: MeshFigures) -> Iterator[str]:
    """Yield the figures of a mesh without its defects, one line each."""
    vertices = format_count(figures.vertices, "vertex", "vertices")
    yield f"{vertices}, {format_count(figures.faces, 'face')}" if figures.faces else f"{vertices}, no faces"
    if figures.size is not None:
        yield f"box {format_mesh_size(figures.size)}, from {point_text(figures.low)} to {point_text(figures.high)}"
        yield f"centre {point_text(figures.centre)}"
    if figures.area is not None:
        yield f"area {numbers.format_number(figures.area)}"
        volume = "not closed" if figures.volume is None else f"volume {numbers.format_number(figures.volume)}, closed"
        edges = (
            f"{format_count(figures.open_edges, 'edge')} of one face" if figures.open_edges else "",
            f"{format_count(figures.crowded_edges, 'edge')} of more than two" if figures.crowded_edges else "",
        )
        yield ", ".join(filter(None, (volume, *edges)))
        yield format_count(figures.parts, "part")


def format_defects(figures: MeshFigures) -> Iterator[str]:
    """Yield a warning for each kind of defect of a mesh."""
    defects = figures.defects
    for count, defect in (
        (defects.degenerate, "degenerate: a corner twice, or no area"),
        (figures.repeated, "repeated"),
        (defects.out_of_range, "with an index that no vertex has"),
        (defects.with_nonfinite_vertex, "with a vertex that is not finite"),
    ):
        if count:
            yield f"⚠ {format_count(count, 'face')} {defect}"
    if defects.not_finite:
        yield f"⚠ {format_count(defects.not_finite, 'vertex', 'vertices')} not finite"


def format_config(mesh: Mesh) -> Iterator[str]:
    """Yield lines about the logged camera, lights and material."""
    config = mesh.config
    if config.position is not None:
        yield f"camera at {point_text(config.position)}, looks at {point_text(config.look_at)}"
    if config.lights:
        yield format_count(len(config.lights), "light")
    if config.colour is not None:
        yield "material #{:02x}{:02x}{:02x}".format(*config.colour) + (", wireframe" if config.is_wireframe else "")
    elif config.is_wireframe:
        yield "material wireframe"


def note_lines(mesh: Mesh) -> Iterator[str]:
    """Yield a warning for each note of the reader."""
    for note in mesh.notes:
        yield f"⚠ {note}"
