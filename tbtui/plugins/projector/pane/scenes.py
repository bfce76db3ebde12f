"""Scenes of the pane: requests to the loader for a session, and scenes of its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.projector.scene import Scene
from tbtui.plugins.projector.session import ALL_STEPS

if TYPE_CHECKING:
    from tbtui.plugins.projector.pane.loader import ProjectorLoader
    from tbtui.plugins.projector.session import MapSession


class SceneBuilder:
    """Requests the results that a session shows, and builds scenes. All methods are called on the UI thread.

    Args:
        loader: Reads and computes.
    """

    def __init__(self, loader: ProjectorLoader) -> None:
        self._loader = loader
        self._last: Scene | None = None
        """The last scene, whose caches the next one uses."""

        self._comparison_request: object = None
        """The request of the last comparison; None: there was none."""

    def scene(self, session: MapSession, run_ink: int) -> Scene | None:
        """Return the scene of a session; None while there are no points."""
        loader = self._loader
        if loader.source is None or loader.points is None or loader.state is None:
            return None
        if len(loader.state.positions) != loader.points.count:
            return None
        scene = Scene(
            loader.source,
            loader.version,
            loader.points,
            loader.state,
            session,
            run_ink,
            loader.neighbours,
            loader.matches,
            loader.agreement,
            loader.comparison if session.baseline is not None else None,
            loader.nearest,
        )
        self._last = scene.reuse_caches(self._last)
        return scene

    def request(self, session: MapSession) -> None:
        """Request the results that a session shows and that are not computed yet."""
        point = session.centre if session.centre is not None else session.cursor
        if point is not None:
            self._loader.find_neighbours(point, session)
        self._loader.find_agreement(session.colour)
        self.request_comparison(session)

    def request_comparison(self, session: MapSession) -> None:
        """Request the comparison with the baseline again once the points or their layout have changed."""
        loader = self._loader
        baseline, listed, state = session.baseline, loader.listed, loader.state
        if baseline is None or listed is None or loader.points is None or state is None:
            self._comparison_request = None
            return
        request = loader.key, baseline, session.layout.identity
        if request == self._comparison_request or not state.is_done or not loader.points.is_complete:
            return
        self._comparison_request = request
        key, version = baseline
        other = listed.find(key)
        if version == ALL_STEPS:
            loader.compare_steps(session)
        elif other is not None:
            loader.compare_with(other, version, session)

    def forget_comparison(self) -> None:
        """Request the next comparison also if it is the same: the points have changed."""
        self._comparison_request = None
