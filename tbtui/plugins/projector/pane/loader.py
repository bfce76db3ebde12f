"""Read, lay out and compare points on worker threads, and keep the results.

All methods belong to the UI thread. Points, neighbours and searches share the worker of the pane; layouts of neighbours
have a worker of their own, so that a key never waits for an iteration.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

import numpy as np

from tbtui.plugins.projector.agreement import NearestPoints, compare_labels, find_nearest_points
from tbtui.plugins.projector.comparison import choose_path_versions, compare, compare_steps
from tbtui.plugins.projector.files.tensor_file import TensorFileError
from tbtui.plugins.projector.layouts import LayoutChoice, LayoutState, match_points, run_layout
from tbtui.plugins.projector.points import PointCache, Points, load_sprite
from tbtui.plugins.projector.scene import Comparison, Neighbours
from tbtui.plugins.projector.sources import Catalogs, SourceList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.maths.components import Components
    from tbtui.maths.neighbours import LabelAgreement, Metric
    from tbtui.plugins.projector.files.sprite import Sprite
    from tbtui.plugins.projector.session import MapSession
    from tbtui.plugins.projector.sources import EmbeddingSource
    from tbtui.view.view import View
    from tbtui.widgets.worker import Worker

FRAME_SECONDS = 0.1
"""A running layout is drawn at most ten times a second."""

MAX_CACHED_LAYOUTS = 32
NICENESS = 10


class LoaderHost(Protocol):
    """The part of the pane that receives results."""

    def show_points(self) -> None:
        """Show other points, or more of them."""

    def show_layout(self) -> None:
        """Show another state of the layout."""

    def show_results(self) -> None:
        """Show neighbours, matches, agreement or a comparison."""

    def show_failure(self, reason: str) -> None:
        """Show the reason for which points cannot be read."""

    def toast_error(self, error: Exception) -> None:
        """Notify the user of an error that leaves the map as it is."""


LayoutKey: TypeAlias = "tuple[object, LayoutChoice]"
"""Identity of the points, and the parameters that alter positions."""


class _RunningLayout(NamedTuple):
    """A layout that has not ended; it may be stopped."""

    key: LayoutKey
    states: Iterator[LayoutState]


class _Loaded(NamedTuple):
    points: Points
    state: LayoutState


class ProjectorLoader:
    """Holds the points of the chosen embedding and everything computed from them.

    Args:
        worker: Worker of the pane.
        layouts: Worker of running layouts.
        host: Receives results.
    """

    def __init__(self, worker: Worker, layouts: Worker, host: LoaderHost) -> None:
        self._worker, self._layouts, self._host = worker, layouts, host
        self._catalogs, self._cache = Catalogs(), PointCache()
        self.listed: SourceList | None = None
        self.source: EmbeddingSource | None = None
        self.version = 0
        self.points: Points | None = None
        self.state: LayoutState | None = None
        self.neighbours: Neighbours | None = None
        self.matches: tuple[int, ...] = ()
        self.nearest: NearestPoints | None = None
        self.agreement: LabelAgreement | None = None
        self.comparison: Comparison | None = None
        self.sprite: Sprite | None = None
        self.is_paused = False
        self.choice = LayoutChoice()
        self._finished_layouts: dict[LayoutKey, LayoutState] = {}
        self._running: _RunningLayout | None = None
        self._stop = threading.Event()
        self._neighbours_request: tuple[int, int, Metric, frozenset[int] | None] | None = None
        self._agreement_request: tuple[object, str | None] | None = None

    # Sources

    def list_sources(self, view: View, *, with_variables: bool) -> SourceList:
        """Return the embeddings of a view. Runs on the worker thread."""
        return self._catalogs.list_sources(view.runs, view.tag_matches, with_variables=with_variables)

    @property
    def key(self) -> object:
        """Identity of the shown points; another one once a file has changed."""
        return None if self.source is None else self.source.build_version_key(self.version)

    def open(self, source: EmbeddingSource, version: int, choose_layout: Callable[[Points], LayoutChoice]) -> None:
        """Read a version of an embedding and lay it out.

        Args:
            source: The embedding.
            version: Index of the version.
            choose_layout: Returns the layout of the points that were read; runs on the worker thread.
        """
        if self.source is not None and (self.source, self.version) == (source, version) and self.points is not None:
            return
        is_same_embedding = self.source is not None and self.source.key == source.key
        self.stop_layout()
        self.source, self.version = source, version
        self._forget(keep_points=is_same_embedding)
        key, cache = source.build_version_key(version), self._cache

        def work() -> Iterator[_Loaded]:
            for points in cache.read(*key):
                choice = choose_layout(points)
                if choice.is_iterative:
                    finished = self._finished_layouts.get((key, choice.identity))
                    yield _Loaded(points, finished or self._start_state(source, version, points, choice))
                    continue
                for state in run_layout(points, choice, basis=self._find_basis(source, version, points, choice)):
                    yield _Loaded(points, state)

        def deliver(loaded: _Loaded) -> None:
            if self.key != key:
                return
            is_new = loaded.points is not self.points
            self.points, self.state = loaded.points, loaded.state
            if is_new:
                self._host.show_points()
            else:
                self._host.show_layout()

        def fail(error: Exception) -> None:
            if self.key == key:
                self.points = self.state = None
                self._host.show_failure(str(error))

        self._worker.ask("points", work, deliver, fail)

    def close(self) -> None:
        """Forget the embedding."""
        self.stop_layout()
        self.source = None
        self._forget(keep_points=False)

    def _forget(self, *, keep_points: bool) -> None:
        if not keep_points:
            self.points = self.state = None
        self.neighbours = self.nearest = self.agreement = self.comparison = self.sprite = self._agreement_request = None
        self.matches = ()

    def _find_basis(
        self, source: EmbeddingSource, version: int, points: Points, choice: LayoutChoice
    ) -> Components | None:
        """Return the components of the last step, so that points move only as far as they did in training."""
        last = len(source.embedding.versions) - 1
        if choice.kind != "pca" or version == last or not last:
            return None
        newest = None
        with suppress(Exception):  # the last step may be damaged; each step then has components of its own
            *_, newest = self._cache.read(*source.build_version_key(last))
        if newest is None or newest.dimensions != points.dimensions or not bool(newest.finite.any()):
            return None
        return (newest.sphereised if choice.is_sphereised else newest).components

    def _start_state(self, source: EmbeddingSource, version: int, points: Points, choice: LayoutChoice) -> LayoutState:
        """Return the state that is drawn before a layout runs: the layout of the step before, or components."""
        start = self._start_positions(source, version, points, choice)
        if start is not None:
            return LayoutState(start, phase="neighbours", part=0.0)
        components = LayoutChoice(dimensions=choice.dimensions, is_sphereised=choice.is_sphereised)
        state = next(run_layout(points, components))
        return LayoutState(state.positions, phase="neighbours", part=0.0)

    def _start_positions(
        self, source: EmbeddingSource, version: int, points: Points, choice: LayoutChoice
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None:
        for other in (version - 1, version + 1):
            if 0 <= other < len(source.embedding.versions):
                finished = self._finished_layouts.get((source.build_version_key(other), choice.identity))
                if finished is not None and len(finished.positions) == points.count:
                    return finished.positions
        return None

    # Layouts

    def lay_out(self, choice: LayoutChoice) -> None:
        """Lay the points out; a layout that was computed before is shown at once, a stopped one goes on."""
        self.choice = choice
        source, points = self.source, self.points
        if source is None or points is None:
            return
        layout_key = self.key, choice.identity
        if choice.is_iterative:
            finished = self._finished_layouts.get(layout_key)
            if finished is not None:
                self.stop_layout()
                self.state = finished
                self._host.show_layout()
            elif points.is_complete:
                self._run_layout(layout_key, choice)
            return
        self.stop_layout()
        version = self.version

        def work() -> Iterator[LayoutState]:
            yield from run_layout(points, choice, basis=self._find_basis(source, version, points, choice))

        self._worker.ask("layout", work, self._build_state_receiver(layout_key), self._host.toast_error)

    def _run_layout(self, layout_key: LayoutKey, choice: LayoutChoice) -> None:
        source, points = self.source, self.points
        if source is None or points is None:
            return
        if self._running is None or self._running.key != layout_key:
            self.stop_layout()
            start = self._start_positions(source, self.version, points, choice)
            self._running = _RunningLayout(layout_key, run_layout(points, choice, start=start))
            self.is_paused = False
        if self.is_paused:
            return
        self._stop = stop = threading.Event()
        states = self._running.states
        self._layouts.ask(
            "layout", lambda: _advance(states, stop), self._build_state_receiver(layout_key), self._host.toast_error
        )

    def _build_state_receiver(self, layout_key: LayoutKey) -> Callable[[LayoutState], None]:
        """Return the function that shows states of a layout, unless another one is shown."""

        def receive(state: LayoutState) -> None:
            if (self.key, self.choice.identity) != layout_key:
                return
            self.state = state
            if state.is_done and layout_key[1].is_iterative:
                if len(self._finished_layouts) >= MAX_CACHED_LAYOUTS:
                    self._finished_layouts.pop(next(iter(self._finished_layouts)))
                self._finished_layouts[layout_key] = state
                self._running = None
            self._host.show_layout()

        return receive

    def stop_layout(self) -> None:
        """Stop a running layout after its present iteration; it goes on when it is shown again."""
        self._stop.set()

    def toggle_layout(self) -> bool:
        """Pause a running layout, or go on with it. Return False if none runs."""
        if self._running is None:
            return False
        self.is_paused = not self.is_paused
        if self.is_paused:
            self.stop_layout()
        else:
            self._run_layout(self._running.key, self.choice)
        return True

    def restart_layout(self) -> None:
        """Forget the layout and compute it again."""
        self._running = None
        self._finished_layouts.pop((self.key, self.choice.identity), None)
        self.is_paused = False
        self.lay_out(self.choice)

    @property
    def is_running(self) -> bool:
        """True while a layout is computed, also if it is paused."""
        return self._running is not None

    # Neighbours, labels, search

    def find_neighbours(self, point: int, session: MapSession) -> None:
        """Find the nearest points of a point among the shown points."""
        points, key = self.points, self.key
        request = point, session.count, session.metric, session.isolated
        is_known = (
            self.neighbours is not None and self.neighbours.point == point and self._neighbours_request == request
        )
        if points is None or is_known:
            return
        self._neighbours_request = request
        among = None if session.isolated is None else session.visible(points)

        def work() -> Iterator[Neighbours]:
            yield Neighbours(point, *points.index.find_nearest(point, session.count, session.metric, among))

        def deliver(result: Neighbours) -> None:
            if self.key == key:
                self.neighbours = result
                self._host.show_results()

        self._worker.ask("neighbours", work, deliver, self._host.toast_error)

    def find_agreement(self, column_name: str | None) -> None:
        """Find the nearest points of all points, and compare their labels of a column."""
        points, key = self.points, self.key
        if points is None or not points.is_complete:
            return
        column = None if column_name is None else points.metadata.column(column_name)
        if column is not None and not column.is_categorical:
            column = None
        request = key, None if column is None else column.name
        if self._agreement_request == request:
            return
        self.agreement, self._agreement_request, known_nearest = None, request, self.nearest

        def work() -> Iterator[tuple[NearestPoints, LabelAgreement | None]]:
            nearest = known_nearest if known_nearest is not None else next(find_nearest_points(points), None)
            if nearest is not None:
                yield nearest, None if column is None else compare_labels(nearest, column, points.count)

        def deliver(result: tuple[NearestPoints, LabelAgreement | None]) -> None:
            if self.key == key:
                self.nearest = result[0]
            if self._agreement_request == request:
                self.agreement = result[1]
                self._host.show_results()

        self._layouts.ask("agreement", work, deliver, self._host.toast_error)

    def search(self, session: MapSession, on_done: Callable[[str | None], None]) -> None:
        """Find the points whose text matches; `on_done` receives an error, or None."""
        points, key, query = self.points, self.key, session.query
        if points is None or not query:
            self.matches = ()
            on_done(None)
            return

        def work() -> Iterator[tuple[int, ...]]:
            name = session.search_column or session.label
            is_match = match_points(points, query, name) & session.visible(points)
            yield tuple(np.flatnonzero(is_match).tolist())

        def deliver(result: tuple[int, ...]) -> None:
            if self.key == key:
                self.matches = result
                on_done(None)

        self._worker.ask("search", work, deliver, lambda error: on_done(str(error)))

    def compare_with(self, other: EmbeddingSource, version: int, session: MapSession) -> None:
        """Compare with another version, or with an embedding of another run."""
        points, state, key, source, shown = self.points, self.state, self.key, self.source, self.version
        if points is None or state is None or source is None:
            return
        find_basis = self._find_basis

        def work() -> Iterator[Comparison]:
            *_, others = self._cache.read(*other.build_version_key(version))
            basis = find_basis(source, shown, points, session.layout)
            is_same_run = other.key == source.key
            yield from compare(points, state, session.layout, basis, other, version, others, is_aligned=not is_same_run)

        self._layouts.ask("comparison", work, self._build_comparison_receiver(key), self._host.toast_error)

    def compare_steps(self, session: MapSession) -> None:
        """Find the paths of all points through the steps of the embedding."""
        points, state, key, source, shown = self.points, self.state, self.key, self.source, self.version
        if points is None or state is None or source is None:
            return
        find_basis, cache = self._find_basis, self._cache

        def work() -> Iterator[Comparison]:
            versions = []
            for version in choose_path_versions(len(source.embedding.versions), shown):
                with suppress(TensorFileError):  # a damaged step has no part in the paths
                    *_, read = cache.read(*source.build_version_key(version))
                    versions.append((version, read))
            if len(versions) > 1:
                basis = find_basis(source, shown, points, session.layout)
                yield from compare_steps(points, state, session.layout, basis, source, shown, versions)

        self._layouts.ask("comparison", work, self._build_comparison_receiver(key), self._host.toast_error)

    def _build_comparison_receiver(self, key: object) -> Callable[[Comparison], None]:
        def receive(result: Comparison) -> None:
            if self.key == key:
                self.comparison = result
                self._host.show_results()

        return receive

    def load_sprite(self) -> None:
        """Read the pictures of the points."""
        points, key = self.points, self.key
        if points is None or not points.is_complete or points.version is None or not points.version.entry.image_path:
            return
        version = points.version

        def work() -> Iterator[Sprite | None]:
            yield load_sprite(version, points.count)

        def deliver(sprite: Sprite | None) -> None:
            if self.key == key:
                self.sprite = sprite
                self._host.show_results()

        self._worker.ask("sprite", work, deliver, self._host.toast_error)


def _advance(states: Iterator[LayoutState], stop: threading.Event) -> Iterator[LayoutState]:
    """Yield a state at most ten times a second, and the last one; stop between two iterations.

    The generator of states is not closed with this one, so that a stopped layout goes on later.
    """
    _lower_priority()
    pending: LayoutState | None = None
    last_yield = 0.0
    while not stop.is_set():
        state = next(states, None)
        if state is None:
            break
        now = time.monotonic()
        pending = state
        if now - last_yield >= FRAME_SECONDS or state.is_done:
            last_yield, pending = now, None
            yield state
    if pending is not None:
        yield pending


def _lower_priority() -> None:
    """Give the thread a low priority: the training on the same machine goes first. Other systems have no such call."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
