"""Forms of the Mesh tab: options, the figures of a mesh, and writing it to a file. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.charts import numbers
from tbtui.charts.text import safe
from tbtui.plugins.mesh.cards import CARD_STEPS
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.export import PLY, WRITERS
from tbtui.plugins.mesh.figures import measure_mesh
from tbtui.plugins.mesh.labels import format_config, format_defects, format_figures, note_lines
from tbtui.plugins.mesh.painter import MESH_ERRORS
from tbtui.plugins.mesh.read import read_mesh
from tbtui.plugins.mesh.series import PLUGIN_NAME, find_meshes
from tbtui.plugins.mesh.settings import DISPLAY_SETTINGS
from tbtui.plugins.shown_steps import list_shown_steps
from tbtui.view.descriptions import describe_tag, summarize_points
from tbtui.widgets.file_saver import StepFilesSaver, create_path_field, create_step_files_fields, propose_name
from tbtui.widgets.form_fields import (
    Choice,
    create_grid_fields,
    create_setting_field,
    create_setting_fields,
    group_fields,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.mesh.cards import MeshSample
    from tbtui.plugins.mesh.data import MeshData
    from tbtui.plugins.shown_steps import ShownStep
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


def build_options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all options of meshes."""
    return (
        *group_fields(
            "Meshes",
            *create_setting_fields(settings, *DISPLAY_SETTINGS),
            create_setting_field(settings, "images", label="drawn in", hint="pixels, half blocks, or dots if off"),
        ),
        *group_fields(
            "Steps",
            create_setting_field(settings, "x_axis", hint="unit of the cursor that all tabs share"),
            create_setting_field(settings, "skip_steps", hint="hide meshes before this step"),
            create_setting_field(settings, "superseded", hint="show meshes overwritten by a restart"),
        ),
        *group_fields(
            "Cards", create_setting_field(settings, "overview", hint="small cards"), *create_grid_fields(settings)
        ),
    )


def format_about_lines(data: MeshData, view: View, key: str, sample: MeshSample) -> tuple[str, ...]:
    """Return the figures of the mesh that a card shows, then the details of its tags."""
    mesh = data.series(view, sample)
    all_series = [] if mesh is None else [*mesh.tensors.values(), *mesh.others]
    return (
        *map(safe, _format_shown_mesh_lines(data, view, key, sample)),
        "",
        *describe_tag(view, PLUGIN_NAME, sample.tag, all_series, _format_series_details),
        f"{numbers.format_size(data.nbytes)} of prepared meshes in memory",
    )


def _format_series_details(series: ReferenceSeries) -> Iterator[str]:
    yield safe(series.tag)
    yield summarize_points(series, "step")
    yield f"{numbers.format_size(int(series.lengths.sum()))} in all, as stored"


def _format_shown_mesh_lines(data: MeshData, view: View, key: str, sample: MeshSample) -> Iterator[str]:
    """Yield the shown step and the figures of the mesh."""
    try:
        stop = data.find_shown_step(view, key, sample)
        yield f"{stop.label}, logged {numbers.format_clock(stop.wall_time)}"
        mesh = data.read(stop, sample)
        if mesh.samples > 1:
            yield f"sample {sample.index + 1} of {mesh.samples}"
        figures = measure_mesh(mesh)
        yield from format_figures(figures)
        yield from format_defects(figures)
        yield "colours as logged" if mesh.colours is not None else "no colours"
        yield from format_config(mesh)
        yield from note_lines(mesh)
        yield f"{numbers.format_size(mesh.nbytes)} stored"
    except MESH_ERRORS as error:
        yield f"✗ {error}"


def write_fields(sample: MeshSample) -> tuple[Field, ...]:
    """Return the fields of the form that writes meshes."""
    formats = ((None, "by the file's name"), *((name, name.upper()) for name in WRITERS))
    return create_step_files_fields(
        create_path_field(
            propose_name("mesh.ply", sample.run, sample.title), "of all steps, each has its number in its name"
        ),
        Choice("format", "format", formats, None, "PLY binary with colours, OBJ text, NPZ arrays for numpy"),
    )


def create_mesh_saver(payloads: Payloads, view: View, key: str, sample: MeshSample) -> StepFilesSaver[ShownStep]:
    """Return the saver of the meshes that a form selects.

    Args:
        payloads: Reader of the event files.
        view: The shown view.
        key: The card.
        sample: Run, mesh and sample of the card.
    """

    def select(every: bool) -> list[ShownStep]:
        stored = list_shown_steps(view, sample.run, sample.tag, PLUGIN_NAME, "mesh")
        return list(stored) if every else [stored.nearest(CARD_STEPS.position(view.settings, key))]

    def encode(step: ShownStep, entered: dict[str, Any]) -> tuple[bytes, str]:
        ending = entered["path"].suffix.lstrip(".").lower()
        kind = entered["format"] or (ending if ending in WRITERS else PLY)
        mesh = find_meshes(step.steps.run).get(sample.name)
        if mesh is None:
            raise MeshError("the run no longer holds this mesh")
        logged = read_mesh(payloads, step.steps.run, mesh, step.step, step.wall_time, sample.index)
        return WRITERS[kind](logged), f".{kind}"

    return StepFilesSaver(select, encode, MESH_ERRORS)
