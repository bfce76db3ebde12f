"""Group the operators of a capture by their shapes, their module, or the Python function that calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.maths.intervals import nest
from tbtui.plugins.profile.trace import NOTHING, OPERATORS, EventTexts, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.tables import Grouping

_EVALUATION = "autograd::engine::evaluate_function"
_MODULE = "nn.Module: "


def group_events(analysis: Analysis, grouping: Grouping) -> Iterator[float | EventTexts]:
    """Yield the share of the work that is done, at last the shapes, the module or the function of each operator.

    Raises:
        OSError: The file of the capture cannot be read again.
        TraceFormatError: It is no trace any more.
    """
    if grouping == "shape":
        yield from _group_by_shape(analysis)
        return
    rows = find_modules(analysis) if grouping == "module" else find_innermost_python(analysis, modules=False)
    trace = analysis.trace
    if rows is None:
        yield EventTexts(np.zeros(len(trace), np.int32), ("(none)",))
        return
    ids = np.where(rows >= 0, trace.name_ids[rows], NOTHING)
    name_ids, numbers = np.unique(ids, return_inverse=True)
    texts = ("(none)" if name < 0 else trace.names[name].removeprefix(_MODULE) for name in name_ids.tolist())
    yield EventTexts(numbers.astype(np.int32), tuple(texts))


def _group_by_shape(analysis: Analysis) -> Iterator[float | EventTexts]:
    trace, numbers = analysis.trace, np.zeros(len(analysis.trace), np.int32)
    rows = np.flatnonzero(trace.is_of_kind(*OPERATORS))
    texts: tuple[str, ...] = ("",)
    if analysis.read_shapes is not None and len(rows):
        for update in analysis.read_shapes(trace.locators[rows]):
            if isinstance(update, EventTexts):
                numbers[rows], texts = update.numbers, update.texts
            else:
                yield update
    yield EventTexts(numbers, tuple(text or "(no shapes)" for text in texts))


def find_innermost_python(analysis: Analysis, *, modules: bool) -> npt.NDArray[np.int64] | None:
    """Return the row of the innermost module, or of another Python function, around each event, int64[n]; -1 for none.

    None if the capture has no Python functions.
    """
    trace = analysis.trace
    python = trace.is_of_kind(Kind.PYTHON)
    if not python.any():
        return None
    is_module = np.array([name.startswith(_MODULE) for name in trace.names], np.bool_)
    is_built_in = np.array([name.startswith("<built-in") for name in trace.names], np.bool_)
    is_candidate = python & (
        trace.match_names(is_module) if modules else ~trace.match_names(is_module) & ~trace.match_names(is_built_in)
    )
    innermost = np.full(len(trace), NOTHING, np.int64)
    for track in range(len(trace.tracks)):
        part = trace.track(track)
        outer = part.start + np.flatnonzero(is_candidate[part])
        if len(outer):
            innermost[part] = _find_innermost(trace.starts[part], trace.ends, part.start, outer, trace.starts[outer])
    return innermost


def _find_innermost(
    starts: npt.NDArray[np.float64],
    ends: npt.NDArray[np.float64],
    first: int,
    outer: npt.NDArray[np.int64],
    outer_starts: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Return for each event of a track the innermost of the rows `outer` that is open when it begins."""
    parents = nest(outer_starts, ends[outer]).parents
    index = np.searchsorted(outer, first + np.arange(len(starts))) - 1
    active = np.flatnonzero(index >= 0)
    while len(active):  # a row that has ended is replaced by the row around it
        active = active[ends[outer[index[active]]] <= starts[active]]
        index[active] = parents[index[active]]
        active = active[index[active] >= 0]
    innermost: npt.NDArray[np.int64] = np.where(index >= 0, outer[index], NOTHING)
    return innermost


def find_modules(analysis: Analysis) -> npt.NDArray[np.int64] | None:
    """Return the row of the module of each event, int64[n]; -1 for none. None if the capture has no modules.

    An operator of the backward pass has the module of its forward operator.
    """
    rows = find_innermost_python(analysis, modules=True)
    if rows is None:
        return None
    forward = find_forward_operators(analysis)
    joined = (rows < 0) & (forward >= 0)
    return np.where(joined, rows[forward], rows)


def find_forward_operators(analysis: Analysis) -> npt.NDArray[np.int64]:
    """Return for each event of the backward pass the forward operator that it belongs to, int64[n]; -1 for others.

    PyTorch links both by arrows; all that the backward operator calls belongs to it as well.
    """
    trace, flows, parents = analysis.trace, analysis.trace.flows, analysis.calls.parents
    linked = np.full(len(trace), NOTHING, np.int64)
    starts = {
        int(identity): (int(track), float(time))
        for identity, track, time, is_end in zip(flows.ids, flows.tracks, flows.times, flows.is_end, strict=True)
        if not is_end
    }
    find_operator = _build_operator_finder(analysis)
    for identity, track, time, is_end in zip(flows.ids, flows.tracks, flows.times, flows.is_end, strict=True):
        if is_end and int(identity) in starts:
            backward, forward = find_operator(int(track), float(time)), find_operator(*starts[int(identity)])
            if backward >= 0 and forward >= 0:
                linked[backward] = forward
                caller = int(parents[backward])
                if caller >= 0 and trace.name(caller).startswith(_EVALUATION):
                    linked[caller] = forward  # the engine of PyTorch calls the operator that the arrow leads to
    forward_rows: npt.NDArray[np.int64] = linked.copy()
    active = np.flatnonzero((linked < 0) & (parents >= 0))
    callers = parents[active]
    while len(active):  # the nearest caller with an arrow counts
        forward_rows[active] = linked[callers]
        continues = (linked[callers] < 0) & (parents[callers] >= 0)
        active, callers = active[continues], parents[callers[continues]]
    return forward_rows


def _build_operator_finder(analysis: Analysis) -> Callable[[int, float], int]:
    """Return a function from a track and a time to the innermost operator that begins or runs then; -1 for none."""
    trace, parents = analysis.trace, analysis.calls.parents
    is_operator = trace.kinds == Kind.OPERATOR
    track_rows: dict[int, npt.NDArray[np.int64]] = {}

    def find_operator(track: int, time: float) -> int:
        rows = track_rows.get(track)
        if rows is None:
            part = trace.track(track)
            rows = track_rows[track] = part.start + np.flatnonzero(is_operator[part])
        position = int(np.searchsorted(trace.starts[rows], time + 1e-3, "right")) - 1
        row = int(rows[position]) if position >= 0 else NOTHING
        while row >= 0 and trace.ends[row] < time:
            row = int(parents[row])
        return row

    return find_operator
