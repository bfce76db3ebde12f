"""Histograms as short as JSON can say them, and back: README.md tells how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

Json: TypeAlias = Any


def packed(rows: Floats, ladder: list[float]) -> Json:
    """Rows `[left, right, count]`; inner edges that follow one another in the ladder are its indices."""
    lefts, rights, counts = rows.T.tolist() if len(rows) else ([], [], [])
    inner, entry = rights[:-1], {"counts": with_runs(counts)}
    if inner != lefts[1:]:
        return {"lefts": lefts, "rights": rights, **entry}
    if len(inner) > 1 and inner[0] in ladder:
        first = ladder.index(inner[0])
        if ladder[first : first + len(inner)] == inner:
            return {"ends": [lefts[0], rights[-1]], "inner": [first, first + len(inner)], **entry}
    return {"edges": lefts + rights[-1:], **entry}


def unpacked(entry: Json, ladder: list[float]) -> Floats:
    """The inverse of `packed`, float64[k, 3]."""
    if "lefts" in entry:
        lefts, rights = entry["lefts"], entry["rights"]
    else:
        edges = entry.get("edges")
        if edges is None:
            edges = [entry["ends"][0], *ladder[slice(*entry["inner"])], entry["ends"][1]]
        lefts, rights = edges[:-1], edges[1:]
    counts = [count for told in entry["counts"] for count in ([told] if told >= 0 else [0.0] * -told)]
    return np.array([lefts, rights, counts], np.float64).T.reshape(-1, 3)


def with_runs(counts: list[float]) -> list[float]:
    """Counts with -k for k empty buckets in a row, whole ones as integers."""
    told: list[float] = []
    for count in counts:
        if count == 0:
            if told and told[-1] < 0:
                told[-1] -= 1
            else:
                told.append(-1)
        else:
            told.append(int(count) if count == int(count) else count)
    return told
