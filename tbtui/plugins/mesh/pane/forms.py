"""Forms of the Mesh tab: options, the figures of a mesh, and writing it to a file. Imports no Textual."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.text import safe
from tbtui.export.output import OutputError, OutputExistsError, StepNames, write_file
from tbtui.frozen import frozen
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.display import DISPLAY_SETTINGS
from tbtui.plugins.mesh.figures import mesh_figures
from tbtui.plugins.mesh.files import PLY, WRITERS
from tbtui.plugins.mesh.labels import config_lines, figure_lines
from tbtui.plugins.mesh.painter import MESH_ERRORS
from tbtui.plugins.mesh.read import read_mesh
from tbtui.plugins.mesh.series import PLUGIN_NAME, mesh_series
from tbtui.plugins.mesh.transitions import shown_at
from tbtui.plugins.sample_steps import sample_steps
from tbtui.view.descriptions import points_summary, tag_details
from tbtui.widgets import form_fields
from tbtui.widgets.form_fields import Choice, FieldError, columns_field, grouped, setting_field, setting_fields
from tbtui.widgets.save_dialog import check_no_stream, path_field, proposed_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.mesh.cards import MeshPlace
    from tbtui.plugins.mesh.data import MeshData
    from tbtui.plugins.mesh.read import Mesh
    from tbtui.plugins.sample_steps import SampleStep
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


def options_fields(settings: Settings) -> tuple[Field, ...]:
    """Return the fields of all options of meshes."""
    return (
        *grouped(
            "Meshes",
            *setting_fields(settings, *DISPLAY_SETTINGS),
            setting_field(settings, "images", label="drawn in", hint="pixels, half blocks, or dots if off"),
        ),
        *grouped(
            "Steps",
            setting_field(settings, "x_axis", hint="unit of the cursor that all tabs share"),
            setting_field(settings, "skip_steps", hint="hide meshes before this step"),
            setting_field(settings, "superseded", hint="show meshes overwritten by a restart"),
        ),
        *grouped("Cards", setting_field(settings, "overview", hint="small cards"), columns_field(settings)),
    )


def with_options(settings: Settings, entered: dict[str, Any]) -> Settings:
    """Return the settings with the entered options."""
    return form_fields.with_options(settings, entered, DISPLAY_SETTINGS)


def about(data: MeshData, view: View, key: str, place: MeshPlace) -> tuple[str, ...]:
    """Return the figures of the mesh that a card shows, then the details of its tags."""
    mesh = data.series(view, place)
    all_series = [] if mesh is None else [*mesh.parts.values(), *mesh.others]
    return (
        *map(safe, _shown(data, view, key, place)),
        "",
        *tag_details(view, PLUGIN_NAME, place.tag, all_series, _series_details),
        f"{numbers.size(data.nbytes)} of prepared meshes in memory",
    )


def _series_details(series: ReferenceSeries) -> Iterator[str]:
    yield safe(series.tag)
    yield points_summary(series, "step")
    yield f"{numbers.size(int(series.lengths.sum()))} in all, as stored"


def _shown(data: MeshData, view: View, key: str, place: MeshPlace) -> Iterator[str]:
    """Yield the shown step and the figures of the mesh."""
    try:
        stop = data.shown(view, key, place)
        yield f"{stop.label}, logged {numbers.clock(stop.wall_time)}"
        mesh = data.read(stop, place.name, place.sample)
        if mesh.samples > 1:
            yield f"sample {place.sample + 1} of {mesh.samples}"
        yield from figure_lines(mesh_figures(mesh))
        yield "colours as logged" if mesh.colours is not None else "no colours"
        yield from config_lines(mesh)
        yield f"{numbers.size(mesh.nbytes)} stored"
    except MESH_ERRORS as error:
        yield f"✗ {error}"


@frozen
class WrittenMeshes:
    """The files that were written."""

    path: Path
    """Path of the only file, or of the first one."""

    count: int
    nbytes: int


def written_text(written: WrittenMeshes) -> str:
    """Return what was written, and where."""
    if written.count == 1:
        return f"{numbers.size(written.nbytes)}: {written.path}"
    return f"{written.count:,} meshes, {numbers.size(written.nbytes)}, from {written.path} on"


def write_fields(place: MeshPlace) -> tuple[Field, ...]:
    """Return the fields of the form that writes meshes."""
    steps = ((False, "the one shown"), (True, "all"))
    formats = ((None, "by the file's name"), *((name, name.upper()) for name in WRITERS))
    return (
        path_field(proposed_name("mesh.ply", place.run, place.title), "of all steps, each has its number in its name"),
        Choice("format", "format", formats, None, "PLY binary with colours, OBJ text, NPZ arrays for numpy"),
        Choice("all", "steps", steps, False, "every stored step in a file of its own, or one"),
        Choice("force", "replace", ((False, "no"), (True, "yes")), False, "replace existing files"),
    )


class MeshWriter:
    """Write the meshes that one form asks for; runs on a thread of its own.

    Args:
        payloads: Reader of the event files.
        view: The shown view.
        key: The card.
        place: Run, mesh and sample of the card.
    """

    def __init__(self, payloads: Payloads, view: View, key: str, place: MeshPlace) -> None:
        self._payloads, self._view, self._key, self._place = payloads, view, key, place
        self._stopped = Event()

    def stop(self) -> None:
        """Write no further file."""
        self._stopped.set()

    def __call__(self, entered: dict[str, Any]) -> WrittenMeshes | None:
        """Write the meshes that the form asks for.

        Returns:
            None when it was stopped before anything was written.

        Raises:
            FieldError: They cannot be written.
        """
        first, count, nbytes = None, 0, 0
        named: Path = entered["path"]
        ending = named.suffix.lstrip(".").lower()
        kind = entered["format"] or (ending if ending in WRITERS else PLY)
        suffix = named.suffix or f".{kind}"
        try:
            stops = self._stops(every=entered["all"])
            names = StepNames(named.stem, np.array([stop.step for stop in stops]))
            for index, stop in enumerate(stops):
                if self._stopped.is_set():
                    break
                data = WRITERS[kind](self._mesh(stop))
                path = named.with_name(names.name(index, suffix) if entered["all"] else f"{named.stem}{suffix}")
                check_no_stream(path)
                write_file(path, [data], force=entered["force"])
                first, count, nbytes = first or path.absolute(), count + 1, nbytes + len(data)
        except OutputExistsError as error:
            raise FieldError("force", str(error)) from None
        except OutputError as error:
            raise FieldError("path", str(error)) from None
        except MESH_ERRORS as error:
            raise FieldError("all", str(error)) from None
        return None if first is None else WrittenMeshes(first, count, nbytes)

    def _stops(self, *, every: bool) -> list[SampleStep]:
        stored = sample_steps(self._view, self._place.run, self._place.tag, PLUGIN_NAME, "mesh")
        return list(stored) if every else [stored.nearest(shown_at(self._view.settings, self._key))]

    def _mesh(self, stop: SampleStep) -> Mesh:
        mesh = mesh_series(stop.steps.run).get(self._place.name)
        if mesh is None:
            raise MeshError("the run no longer holds this mesh")
        return read_mesh(self._payloads, stop.steps.run, mesh, stop.step, stop.wall_time, self._place.sample)
