"""The captures of a run, and the analysis of one: each part is computed when it is first needed."""

from __future__ import annotations

import math
import os
import threading
from collections import Counter, OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.loading.asset_files import PROFILE_SUFFIXES, parse_worker
from tbtui.plugins.profile.advice import find_advice
from tbtui.plugins.profile.breakdown import break_down, measure_device_uses
from tbtui.plugins.profile.formats.chrome import ChromeReader
from tbtui.plugins.profile.formats.columns import TraceFormatError
from tbtui.plugins.profile.formats.memory_timeline import MemoryTimelineReader, is_memory_timeline
from tbtui.plugins.profile.formats.xspace import XSpaceReader
from tbtui.plugins.profile.groups import group_events
from tbtui.plugins.profile.launches import build_call_tree
from tbtui.plugins.profile.steps import find_steps
from tbtui.plugins.profile.tables import is_in_steps, list_kernels, list_operators
from tbtui.plugins.profile.timeline import build_timeline
from tbtui.plugins.profile.trace import EventTexts
from tbtui.store.run_series import find_plugin_names
from tbtui.store.snapshot import MIN_METADATA_BYTES, PROFILE, RUN_METADATA, AssetFile

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    import numpy.typing as npt

    from tbtui.plugins.graphs.read import GraphSource
    from tbtui.plugins.profile.advice import Advice
    from tbtui.plugins.profile.breakdown import Breakdown, DeviceUse
    from tbtui.plugins.profile.formats.step_stats import StepStatsReader
    from tbtui.plugins.profile.launches import CallTree
    from tbtui.plugins.profile.memory import DeviceMemory
    from tbtui.plugins.profile.steps import Steps
    from tbtui.plugins.profile.tables import Grouping, KernelRow, OperatorRow
    from tbtui.plugins.profile.timeline import TimelineIndex
    from tbtui.plugins.profile.trace import Trace
    from tbtui.store.snapshot import RunSnapshot

MAX_CACHED_BYTES = 512 << 20
"""Bytes of columns of the captures in the cache; the one that was read last always stays."""

_BYTES_PER_EVENT = 140
_XPLANE = ".xplane.pb"


class CaptureError(ValueError):
    """Raised if a capture cannot be read; the message is one plain clause."""


@frozen
class CaptureSource:
    """One file of a profiler: one process or host of one session."""

    run: str
    tag: str
    """Session, or worker of PyTorch."""

    worker: str
    """Host or worker."""

    asset: AssetFile
    number: int = 1
    """Position among the captures of the same worker, from 1."""

    count: int = 1
    """Captures of the same worker."""

    value: GraphSource | None = None
    """Run metadata in an event file, which `asset` names; None: the capture is a file of its own."""

    @property
    def identity(self) -> Hashable:
        """Equal for an unchanged capture."""
        return self.asset if self.value is None else self.value.key

    @property
    def key(self) -> str:
        """Identity among all captures."""
        return f"{self.run}\n{self.asset.path}\n{self.number if self.value is not None else 0}\n{self.tag}"

    @property
    def title(self) -> str:
        """Name within the run, safe for a terminal: `rank0`, `w0 (2 of 2)`, `2026_11_25 vm`."""
        name = self.tag if self.worker in {"", self.tag} else f"{self.tag} {self.worker}"
        return safe(f"{name} ({self.number} of {self.count})" if self.count > 1 else name)


def list_capture_sources(run: RunSnapshot) -> list[CaptureSource]:
    """Return the captures of a run in order of session, worker and time.

    Of the files of one host in one session, an XSpace counts: the other traces hold the same events.
    """
    groups: dict[tuple[str, str], list[AssetFile]] = {}
    for asset in run.assets:
        if asset.kind == PROFILE:
            groups.setdefault((asset.tag, _parse_worker(asset)), []).append(asset)
    sources = _run_metadata(run)
    for (tag, worker), assets in groups.items():
        if worker == "perfetto_trace" and len(groups) > 1:
            continue
        listed = [asset for asset in assets if asset.path.endswith(_XPLANE)] or assets
        sources += (
            CaptureSource(run.name, tag, worker, asset, number, len(listed)) for number, asset in enumerate(listed, 1)
        )
    return sources


def _run_metadata(run: RunSnapshot) -> list[CaptureSource]:
    """Return the run metadata of TensorFlow 1 that hold times."""
    if RUN_METADATA not in find_plugin_names(run.series):
        return []
    from tbtui.plugins.graphs.read import list_graph_sources

    graphs = [
        source
        for source in list_graph_sources(run)
        if source.plugin == RUN_METADATA
        and not source.is_superseded
        and source.series.lengths[source.point] >= MIN_METADATA_BYTES
    ]
    counts = Counter(source.tag for source in graphs)
    numbers: Counter[str] = Counter()
    captures = []
    for source in sorted(graphs, key=lambda source: (source.step, source.wall_time)):
        series, point = source.series, source.point
        path = run.files[int(series.files[point])].path
        modified = int(source.wall_time * 1e9) if math.isfinite(source.wall_time) else 0
        asset = AssetFile(PROFILE, source.tag, path, int(series.lengths[point]), modified)
        numbers[source.tag] += 1
        captures.append(CaptureSource(run.name, source.tag, "", asset, numbers[source.tag], counts[source.tag], source))
    return captures


def _parse_worker(asset: AssetFile) -> str:
    name = os.path.basename(asset.path)  # noqa: PTH119
    if name.endswith((".pt.trace.json", ".pt.trace.json.gz")):
        return parse_worker(name)[0]
    suffix = next((suffix for suffix in PROFILE_SUFFIXES if name.endswith(suffix)), "")
    return name.removesuffix(suffix) if suffix else asset.tag


@frozen(slots=False, eq=False)
class Analysis:
    """Contents of a capture. The parts are computed on first use, by the thread that asks."""

    source: CaptureSource
    trace: Trace
    read_arguments: Callable[[int], dict[str, Any]]
    """Returns the arguments of the event with a locator (`Trace.locators`)."""

    read_shapes: Callable[[npt.NDArray[np.int32 | np.int64]], Iterator[float | EventTexts]] | None = None
    """Yields the share of the file that was read, at last the shapes of the events with some locators; None: no shapes
    are recorded."""

    @cached_property
    def calls(self) -> CallTree:
        """Calls with their nesting, and device events with their launches."""
        return build_call_tree(self.trace)

    @cached_property
    def steps(self) -> Steps:
        """The steps."""
        return find_steps(self.trace, self.calls)

    @cached_property
    def breakdown(self) -> Breakdown:
        """Breakdown of the time of each step."""
        return break_down(self.trace, self.steps)

    @cached_property
    def devices(self) -> tuple[DeviceUse, ...]:
        """The use of each device."""
        return measure_device_uses(self.trace, self.calls, self.steps)

    @cached_property
    def within(self) -> npt.NDArray[np.bool_] | None:
        """bool[n]: events of the steps, device events by their launch; None: all events count."""
        if self.steps.source == "whole":
            return None
        trace = self.trace
        rows = np.arange(len(trace))
        inside = is_in_steps(trace, self.steps, rows)
        self._move_to_launches(inside)
        return inside

    def _move_to_launches(self, inside: npt.NDArray[np.bool_]) -> None:
        """Replace the values of device events by those of their launches, bool[n]."""
        has_launch = self.calls.launches >= 0
        inside[self.calls.device_rows[has_launch]] = inside[self.calls.launches[has_launch]]

    @cached_property
    def operators(self) -> list[OperatorRow]:
        """Operators by name, of all steps; of the whole capture if none runs within a step, as in JAX."""
        return self._operators_of_steps or list_operators(self.trace, self.calls)

    @cached_property
    def _operators_of_steps(self) -> list[OperatorRow]:
        return list_operators(self.trace, self.calls, self.within)

    @property
    def are_operators_of_steps(self) -> bool:
        """True if `operators` are those of the steps; False: of the whole capture."""
        return bool(self._operators_of_steps)

    @cached_property
    def _groups(self) -> dict[Grouping, EventTexts]:
        return {}

    def group(self, grouping: Grouping) -> Iterator[float | EventTexts]:
        """Yield the share of the work that is done, at last the group of each operator.

        Raises:
            CaptureError: The file cannot be read again.
        """
        groups = self._groups.get(grouping)
        if groups is not None:
            yield groups
            return
        try:
            for update in group_events(self, grouping):
                if isinstance(update, EventTexts):
                    self._groups[grouping] = update
                yield update
        except (OSError, TraceFormatError) as error:
            name = os.path.basename(self.source.asset.path)  # noqa: PTH119
            raise CaptureError(f"{name} cannot be read again: {error}") from error

    @cached_property
    def kernels(self) -> list[KernelRow]:
        """Kernels, copies and fills by name, of all steps."""
        return list_kernels(self.trace, self.calls, self.within)

    def select_step(self, step: int) -> npt.NDArray[np.bool_] | None:
        """Return True for each event of a step by its index, bool[n]; all steps for -1, None: all events count."""
        within = self.within
        if step < 0 or within is None:
            return within
        window = self.steps.steps[step]
        inside = (self.trace.starts >= window.start) & (self.trace.starts < window.end)
        self._move_to_launches(inside)
        return inside

    @cached_property
    def advice(self) -> tuple[Advice, ...]:
        """Advice, the most promising first."""
        return find_advice(self)

    @cached_property
    def memory(self) -> tuple[DeviceMemory, ...]:
        """Memory of each device; none if it was not recorded."""
        from tbtui.plugins.profile.memory import build_memory

        return build_memory(self)

    @cached_property
    def timeline(self) -> TimelineIndex:
        """All events in rows, to be drawn at any zoom."""
        return build_timeline(self)

    def arguments(self, row: int) -> dict[str, Any]:
        """Return the arguments of an event, read from its file."""
        return self.read_arguments(int(self.trace.locators[row]))


def read_capture(source: CaptureSource) -> Iterator[Analysis | None]:
    """Yield the analysis of growing parts of a capture, at last of all of it; None while there is nothing new to show.

    Raises:
        CaptureError: It cannot be read.
    """
    try:
        reader = _choose_reader(source)
        for trace in reader.read():
            shapes = reader.iter_shapes if isinstance(reader, ChromeReader) else None
            yield None if trace is None else Analysis(source, trace, reader.arguments, shapes)
    except TraceFormatError as error:
        raise CaptureError(f"{os.path.basename(source.asset.path)} {error}") from error  # noqa: PTH119
    except ImportError as error:
        raise CaptureError(f"JSON traces need the package msgspec: {error}") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CaptureError(f"{os.path.basename(source.asset.path)} cannot be read: {reason}") from error  # noqa: PTH119
    except MemoryError as error:
        raise CaptureError(f"{os.path.basename(source.asset.path)} needs more memory than there is") from error  # noqa: PTH119


_Reader: TypeAlias = "ChromeReader | XSpaceReader | StepStatsReader | MemoryTimelineReader"


def _choose_reader(source: CaptureSource) -> _Reader:
    path = source.asset.path
    if source.value is None:
        if path.endswith(".pb"):
            return XSpaceReader(path)
        if not path.endswith((".trace.json", ".trace.json.gz")) and is_memory_timeline(path):
            return MemoryTimelineReader(path, source.worker or source.tag)
        return ChromeReader(path)
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.formats.salvage import GraphError
    from tbtui.plugins.graphs.read import GraphReader
    from tbtui.plugins.profile.formats.step_stats import StepStatsReader

    try:
        data = GraphReader(Payloads(), max_bytes=0).metadata(source.value)
    except GraphError as error:
        raise TraceFormatError(f"cannot be read: {error}") from error
    return StepStatsReader(data, source.value.step)


def load_capture(source: CaptureSource) -> Analysis:
    """Return the analysis of a whole capture.

    Raises:
        CaptureError: It cannot be read.
    """
    analysis = None
    for update in read_capture(source):
        analysis = update or analysis
    if analysis is None:
        raise CaptureError(f"{os.path.basename(source.asset.path)} holds no events")  # noqa: PTH119
    return analysis


class CaptureCache:
    """Analyses of captures that were read, up to a limit of memory. Thread-safe."""

    def __init__(self) -> None:
        self._analyses: OrderedDict[Hashable, Analysis] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, source: CaptureSource) -> Analysis | None:
        """Return the analysis of an unchanged file; None if it was not read."""
        with self._lock:
            analysis = self._analyses.get(source.identity)
            if analysis is not None:
                self._analyses.move_to_end(source.identity)
            return analysis

    def add(self, analysis: Analysis) -> None:
        """Add the analysis of a whole capture; the ones that were used least recently may leave."""
        with self._lock:
            self._analyses[analysis.source.identity] = analysis
            self._analyses.move_to_end(analysis.source.identity)
            while len(self._analyses) > 1 and self._sum_bytes() > MAX_CACHED_BYTES:
                self._analyses.popitem(last=False)

    def read(self, source: CaptureSource) -> Iterator[Analysis | None]:
        """Yield the analysis, of growing parts if the capture has to be read; None while there is nothing new to show.

        Raises:
            CaptureError: It cannot be read.
        """
        cached = self.find(source)
        if cached is not None:
            yield cached
            return
        for analysis in read_capture(source):
            if analysis is not None and analysis.trace.is_complete:
                self.add(analysis)
            yield analysis

    def load(self, source: CaptureSource) -> Analysis:
        """Return the analysis of the whole capture.

        Raises:
            CaptureError: It cannot be read.
        """
        analysis = self.find(source)
        if analysis is None:
            analysis = load_capture(source)
            self.add(analysis)
        return analysis

    def _sum_bytes(self) -> int:
        return sum(len(analysis.trace) * _BYTES_PER_EVENT for analysis in self._analyses.values())


SHARED = CaptureCache()
"""The captures that commands and the Python API read: one file is the source of several tables."""
