"""Cards of the Mesh tab, one for each mesh of each run and for each of its samples, and their cameras."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from tbtui.charts.mesh_camera import SIDES, MeshCamera
from tbtui.charts.text import format_run_name
from tbtui.events.event_prefix import find_shape
from tbtui.frozen import frozen
from tbtui.plugins.mesh.series import PLUGIN_NAME, find_meshes
from tbtui.plugins.mesh.settings import OWN_STEPS
from tbtui.plugins.sample_cards import MAX_SAMPLES, SampleKind, count_newest_samples, sample_key
from tbtui.plugins.step_settings import OwnSteps
from tbtui.view.natural_order import make_natural_key
from tbtui.view.tag_tree import get_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.plugins.mesh.series import MeshSeries
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View


def _count_in(head: bytes, index: int) -> int | None:
    """Return the number of samples of a value from the first bytes of its event; None if they do not hold it."""
    shape = find_shape(head, index, -1)
    if shape is None or len(shape) not in (2, 3):
        return None
    return shape[0] if len(shape) == 3 else 1


MESHES = SampleKind(PLUGIN_NAME, lambda _content: False, _count_in)


CARD_STEPS = OwnSteps(OWN_STEPS)
"""Steps of single cards."""


@frozen
class MeshSample:
    """Sample of a mesh that a card shows."""

    run: str
    name: str
    tag: str
    """Tag of the series whose steps the card shows."""

    index: int = 0
    """Index of the sample in its step."""

    count: int = 1
    """Known number of samples per step."""

    @property
    def title(self) -> str:
        """Return the name, with the number of the sample if there are several."""
        name = format_run_name(self.name)
        return name if self.count == 1 else f"{name} · {self.index + 1} of {self.count}"


@frozen
class MeshCards:
    """Cards of one view."""

    keys: tuple[str, ...] = ()
    samples: Mapping[str, MeshSample] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    """Key of the first card by each tag of its mesh."""

    names: tuple[str, ...] = ()
    """Names of all meshes of the drawn runs, in natural order."""

    passing: tuple[str, ...] = ()
    """Names that pass the tag filter, also those of folded groups."""

    folded: frozenset[str] = frozenset()
    """Groups whose meshes have no card."""

    def tag_of(self, key: str) -> str:
        """Return the tag of a card; an unknown key is a tag."""
        sample = self.samples.get(key)
        return key if sample is None else sample.tag

    def key_of_name(self, name: str) -> str:
        """Return the key of the first card of a mesh."""
        return next((key for key in self.keys if self.samples[key].name == name), name)

    def key_of(self, tag: str) -> str:
        """Return the key of the first card of the mesh that a tag belongs to."""
        return self.tags.get(tag, tag)

    def title_of(self, key: str) -> str:
        """Return the title of a card, without its run; not yet safe for a terminal."""
        sample = self.samples.get(key)
        return format_run_name(key) if sample is None else sample.title

    def name_of(self, key: str) -> str:
        """Return the title of a card with its run; not yet safe for a terminal."""
        sample = self.samples.get(key)
        return self.title_of(key) if sample is None else f"{sample.title} of {sample.run}"


class ShownMeshCards:
    """Cards of the views so far; computed again only if runs, tags or settings changed. Used by one thread."""

    def __init__(self) -> None:
        self._meshes: dict[str, tuple[tuple[int, int], dict[str, MeshSeries]]] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._counted: dict[tuple[str, str], tuple[int, int]] = {}
        """Reading of the run, and revision of the series, whose newest step was counted."""

        self._inputs: tuple[object, ...] = ()
        self._cards = MeshCards()

    def meshes(self, run: RunSnapshot) -> dict[str, MeshSeries]:
        """Return the meshes of a run by name."""
        state, cached = (run.reading, run.revision), self._meshes.get(run.name)
        if cached is None or cached[0] != state:
            cached = self._meshes[run.name] = state, find_meshes(run)
        return cached[1]

    def learn(self, run: str, name: str, count: int) -> None:
        """Note the number of samples at a step: the next view has a card for each, and keeps them with fewer."""
        self._counts[run, name] = max(self._counts.get((run, name), 1), min(count, MAX_SAMPLES))

    def of(self, view: View) -> MeshCards:
        """Return the cards: pinned ones first, then by mesh, run and sample; the same object for the same cards."""
        hidden = view.settings.hidden_groups
        shown: dict[str, list[tuple[str, str]]] = {}
        tags: dict[str, tuple[str, str]] = {}
        names: set[str] = set()
        passing: set[str] = set()
        for run in view.runs:
            meshes = self.meshes(run)
            self._count(run, meshes)
            for name, mesh in meshes.items():
                names.add(name)
                if not (view.tag_matches(name) or any(map(view.tag_matches, mesh.tags))):
                    continue
                passing.add(name)
                if get_group(name) not in hidden:
                    shown.setdefault(name, []).append((run.name, mesh.main.tag))
                    for tag in mesh.tags:
                        tags.setdefault(tag, (run.name, mesh.main.tag))
        samples = tuple(
            MeshSample(run, name, tag, index, count)
            for name in sorted(shown, key=make_natural_key)
            for run, tag in shown[name]
            for count in (self._counts.get((run, name), 1),)
            for index in range(count)
        )
        inputs = samples, view.settings.pinned, tuple(tags.items()), names, passing, hidden
        if inputs != self._inputs:
            keyed = {sample_key(sample.run, sample.tag, sample.index): sample for sample in samples}
            first = [key for key in dict.fromkeys(view.settings.pinned) if key in keyed]
            firsts = {tag: sample_key(run_name, main_tag) for tag, (run_name, main_tag) in tags.items()}
            all_names, chosen = (tuple(sorted(some, key=make_natural_key)) for some in (names, passing))
            self._cards = MeshCards(tuple(dict.fromkeys([*first, *keyed])), keyed, firsts, all_names, chosen, hidden)
            self._inputs = inputs
        return self._cards

    def _count(self, run: RunSnapshot, meshes: Mapping[str, MeshSeries]) -> None:
        """Learn the number of samples in the newest step of each mesh, from a few bytes of its file."""
        changed = []
        for name, mesh in meshes.items():
            state, before = (run.reading, mesh.main.revision), self._counted.get((run.name, name))
            if before != state:
                if before is not None and before[0] != run.reading:
                    self._counts.pop((run.name, name), None)
                self._counted[run.name, name] = state
                changed.append((name, mesh.main))
        for (name, _), count in zip(
            changed, count_newest_samples(MESHES, run, [series for _, series in changed]), strict=True
        ):
            if count is not None:
                self.learn(run.name, name, count)


ORBIT_DEGREES, FINE_DEGREES = 10.0, 2.0
"""Turn of one key press, and of one that moves little."""

SHIFT_SHARE = 0.1
"""Part of the shorter side that one key press moves a mesh by."""

ZOOM_FACTOR = 1.25

_EVERY = ""
"""Key of the camera that all cards share."""


@frozen
class Cameras:
    """The cameras that were moved; a card without one shows the camera of the log, or the slanted one."""

    of_cards: Mapping[str, MeshCamera] = field(default_factory=dict)
    is_shared: bool = False
    """True if all cards are seen from the same side."""

    def of(self, key: str) -> MeshCamera | None:
        """Return the camera of a card; None if it was not moved."""
        return self.of_cards.get(_EVERY if self.is_shared else key)

    def with_camera(self, key: str, camera: MeshCamera | None) -> Cameras:
        """Return the cameras with that of a card moved; None: the initial one."""
        key = _EVERY if self.is_shared else key
        others = {known: each for known, each in self.of_cards.items() if known != key}
        return replace(self, of_cards=others if camera is None else {**others, key: camera})

    def with_sharing(self, *, is_shared: bool, camera: MeshCamera | None) -> Cameras:
        """Return the cameras after switching between one for each card and one for all, which begins with `camera`."""
        if is_shared == self.is_shared:
            return self
        cameras = replace(self, is_shared=is_shared)
        return cameras if camera is None or not is_shared else cameras.with_camera("", camera)


def cycle_side(camera: MeshCamera, logged: MeshCamera | None) -> MeshCamera:
    """Return the camera at the next side: front, side, top, slanted, then the camera of the log if there is one."""
    names = [*SIDES]
    if logged is not None and camera == logged:
        return MeshCamera(zoom=1.0).move_to_side(names[0])
    side = camera.side
    if not side:
        return replace(MeshCamera(), zoom=camera.zoom).move_to_side(names[0])
    if side == names[-1]:
        return logged or MeshCamera(zoom=camera.zoom).move_to_side(names[0])
    return replace(MeshCamera(), zoom=camera.zoom).move_to_side(names[names.index(side) + 1])
