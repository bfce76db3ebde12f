"""Profiles of a run in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tbtui.api.errors import PayloadError
from tbtui.plugins.profile.breakdown import CLASSES
from tbtui.plugins.profile.capture import SHARED, CaptureError, list_capture_sources

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.capture import Analysis, CaptureSource
    from tbtui.plugins.profile.steps import Step
    from tbtui.plugins.profile.tables import KernelRow, OperatorRow
    from tbtui.store.snapshot import RunSnapshot


class Profile:
    """One capture of a profiler; its file is read on first use."""

    def __init__(self, source: CaptureSource) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """Session or worker, as the dashboard names it."""
        return self._source.title

    @property
    def path(self) -> str:
        """Path of its file."""
        return self._source.asset.path

    @property
    def analysis(self) -> Analysis:
        """The analysis of the capture that the dashboard uses.

        Raises:
            PayloadError: The file cannot be read.
        """
        try:
            return SHARED.load(self._source)
        except CaptureError as error:
            raise PayloadError(str(error), self._source.run, self._source.tag, path=self.path) from error

    @property
    def steps(self) -> tuple[Step, ...]:
        """Steps with `number`, `start`, `end` and `duration` in µs; the whole capture is one if none is marked."""
        return self.analysis.steps.steps

    @property
    def breakdown(self) -> dict[str, npt.NDArray[np.float64]]:
        """Time in µs of each class in each step; the classes of a step add up to its duration."""
        times = self.analysis.breakdown.times
        return {kind.key: times[:, index] for index, kind in enumerate(CLASSES)}

    @property
    def advice(self) -> tuple[str, ...]:
        """Findings and advice, the most promising first."""
        return tuple(
            f"{advice.finding}: {advice.change}" if advice.change else advice.finding for advice in self.analysis.advice
        )

    def operators(self) -> list[OperatorRow]:
        """Return the operators of all steps, those with most device time first."""
        return list(self.analysis.operators)

    def kernels(self) -> list[KernelRow]:
        """Return kernels, copies and fills of all steps, those with most time first."""
        return list(self.analysis.kernels)

    def events(self, name: str | None = None) -> dict[str, npt.NDArray[Any]]:
        """Return `name`, `start`, `duration` (µs) and `track` of all ranges, or of those with a name, as columns."""
        trace = self.analysis.trace
        rows = np.argsort(trace.starts, kind="stable")
        if name is not None:
            matches = np.array([other == name for other in trace.names], np.bool_)
            rows = rows[trace.match_names(matches)[rows]]
        names = np.array(trace.names, object)
        tracks = np.array([track.title for track in trace.tracks], object)
        return {
            "name": names[trace.name_ids[rows]],
            "start": trace.starts[rows],
            "duration": trace.durations[rows],
            "track": tracks[trace.track_ids[rows]],
        }

    def __repr__(self) -> str:
        return f"<Profile {self.name!r}>"


class Profiles(Sequence[Profile]):
    """The profiles of a run, in order of session, worker and time."""

    def __init__(self, run: RunSnapshot) -> None:
        self._profiles = tuple(map(Profile, list_capture_sources(run)))

    @overload
    def __getitem__(self, index: int) -> Profile: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Profile]: ...
    def __getitem__(self, index: int | slice) -> Profile | Sequence[Profile]:
        return self._profiles[index]

    def __len__(self) -> int:
        return len(self._profiles)

    def __repr__(self) -> str:
        return f"<Profiles {[profile.name for profile in self._profiles]}>"
