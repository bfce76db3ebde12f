"""Read the configuration of a mesh: camera, lights and material in the words of three.js.

Source: TensorBoard `plugins/mesh/summary_v2.py` and `array-buffer-data-provider.js`, which look every class up in
three.js. Here the classes that say something about a still picture are read, and the names of the others kept.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from tbtui.charts.mesh_shading import Light
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LIGHTS = 16
MAX_CONFIG_CHARS = 1 << 20

DEFAULT_VIEW_ANGLE = 75.0
"""Vertical angle of view of TensorBoard's camera, in degrees."""

_AMBIENT, _DIRECTIONAL = "AmbientLight", "DirectionalLight"
_CAMERA = "PerspectiveCamera"
_MATERIALS = frozenset(
    {f"Mesh{kind}Material" for kind in ("Basic", "Lambert", "Phong", "Physical", "Standard", "Toon")}
    | {"PointsMaterial"}
)
_UNLIT = "MeshBasicMaterial"


@frozen
class MeshConfig:
    """The writer's configuration of camera, lights and material; everything is optional."""

    position: tuple[float, float, float] | None = None
    """Place of the camera, in the units of the log."""

    look_at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    view_angle: float = DEFAULT_VIEW_ANGLE
    lights: tuple[Light, ...] = ()
    colour: tuple[int, int, int] | None = None
    """Colour of the material."""

    is_wireframe: bool = False
    point_size: float = 0.0
    """Side of a point in the units of the log; 0: unknown."""

    unknown: tuple[str, ...] = ()
    """Names of classes that have no effect here."""

    problem: str = ""
    """Reason why the configuration cannot be read."""

    @property
    def is_empty(self) -> bool:
        """Return True if it says nothing."""
        return self == MeshConfig()


def parse_config(text: str) -> MeshConfig:
    """Return the configuration in a JSON text; `{}`, `null` and an empty text say nothing."""
    if not text.strip():
        return MeshConfig()
    if len(text) > MAX_CONFIG_CHARS:
        return MeshConfig(problem=f"the configuration of {len(text):,} characters is too long")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return MeshConfig(problem="the configuration is no JSON")
    if document is None:
        return MeshConfig()
    if not isinstance(document, dict):
        return MeshConfig(problem="the configuration is no JSON object")
    unknown: list[str] = []
    camera, material = _read_record(document, "camera"), _read_record(document, "material")
    _check_class(camera, {_CAMERA}, unknown)
    lights = _read_lights(document.get("lights"), unknown)
    _check_class(material, _MATERIALS, unknown)
    if material.get("cls") == _UNLIT:
        lights = (Light((1.0, 1.0, 1.0)),)
    is_known_camera = camera.get("cls", _CAMERA) == _CAMERA
    angle = _read_number(camera.get("fov"), DEFAULT_VIEW_ANGLE)
    return MeshConfig(
        _read_point(camera.get("position")) if is_known_camera else None,
        _read_point(camera.get("lookAt")) or (0.0, 0.0, 0.0),
        angle if 1 <= angle <= 170 else DEFAULT_VIEW_ANGLE,
        lights,
        _read_colour(material.get("color")),
        material.get("wireframe") is True,
        max(_read_number(material.get("size"), 0.0), 0.0),
        tuple(unknown),
    )


def _read_record(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _check_class(record: Mapping[str, Any], known: set[str] | frozenset[str], unknown: list[str]) -> None:
    name = record.get("cls")
    if name is not None and not (isinstance(name, str) and name in known):
        unknown.append(str(name))


def _read_lights(value: Any, unknown: list[str]) -> tuple[Light, ...]:
    lights = []
    for each in value[:MAX_LIGHTS] if isinstance(value, list) else ():
        if not isinstance(each, dict):
            continue
        name, colour = each.get("cls"), _read_colour(each.get("color")) or (255, 255, 255)
        strength = min(max(_read_number(each.get("intensity"), 1.0), 0.0), 100.0)
        channels = (colour[0] / 255 * strength, colour[1] / 255 * strength, colour[2] / 255 * strength)
        if name == _AMBIENT:
            lights.append(Light(channels))
        elif name == _DIRECTIONAL:
            lights.append(Light(channels, _read_point(each.get("position")) or (0.0, 1.0, 0.0)))
        else:
            unknown.append(str(name))
    return tuple(lights)


def _read_number(value: Any, otherwise: float) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    try:
        return float(value) if is_number and math.isfinite(value) else otherwise
    except OverflowError:
        return otherwise


def _read_point(value: Any) -> tuple[float, float, float] | None:
    if not isinstance(value, list) or len(value) != 3:
        return None
    x, y, z = (_read_number(each, math.nan) for each in value)
    return None if math.isnan(x + y + z) else (x, y, z)


def _read_colour(value: Any) -> tuple[int, int, int] | None:
    """Return a colour of three.js: a number, or a text such as `#4488cc`, `red` or `rgb(1, 2, 3)`."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 0xFFFFFF:
        return value >> 16, value >> 8 & 0xFF, value & 0xFF
    if isinstance(value, str) and len(value) < 64:
        from PIL import ImageColor

        text = value.strip()
        try:
            rgb = ImageColor.getrgb(f"#{text[2:]}" if text[:2].lower() == "0x" else text)
        except ValueError:
            return None
        return rgb[0], rgb[1], rgb[2]
    return None
