"""Which nodes are drawn small beside another one: constants at what reads them, summaries at what they are of."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from tbtui.graphs.edges import Edges

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]

_CONSTANT = "Const"
"""In the name of the operation; `prim::Constant` too."""

_SUMMARY = re.compile(r"[a-zA-Z]+Summary")
_LONGEST_CHAIN = 32
"""Constants of summaries of constants …: what is further away is embedded nowhere."""

MOST_MOVED = 1_000_000
"""Edges; more are not made of the inputs of constants."""


def constants_and_summaries(ops: Sequence[str], never: Collection[int]) -> tuple[Flags, Flags]:
    """Which nodes are one and which the other, except those of `never`."""
    kinds = {op: 1 if _CONSTANT in op else 2 if _SUMMARY.fullmatch(op) else 0 for op in set(ops)}
    kind = np.array([kinds[op] for op in ops], np.int8)
    kind[list(never)] = 0
    return kind == 1, kind == 2


def hosts(edges: Edges, constant: Flags, summary: Flags) -> Ints:
    """In which node each is embedded; -1 of all others, itself of one that has no place.

    A constant is embedded in the first node that reads it, a summary in its last input that is none of these itself,
    before which there are its name, a writer, a step; where there are only such, in what these are embedded in.
    """
    host = np.full(len(constant), -1, np.int32)
    embedded = constant | summary
    if not embedded.any():
        return host
    # Of several edges the last one decides: one that flows, if there is any.
    waits, flows = np.flatnonzero(edges.control), np.flatnonzero(~edges.control)
    reads = np.concatenate((waits[::-1], flows[::-1]))
    reads = reads[constant[edges.source[reads]]]
    is_of = np.concatenate((waits, flows))
    is_of = is_of[summary[edges.target[is_of]]]
    small = np.concatenate((edges.source[reads], edges.target[is_of]))
    other = np.concatenate((edges.target[reads], edges.source[is_of]))
    for _ in range(_LONGEST_CHAIN):
        place = np.where(embedded[other], host[other], other)
        found = place >= 0
        if not found.any():
            break
        host[small[found]] = place[found]
        open_still = ~found & (host[small] < 0)
        small, other = small[open_still], other[open_still]
    alone = embedded & (host < 0)
    host[alone] = np.flatnonzero(alone)
    return host


def flowing(edges: Edges, constant: Flags, embedded: Flags) -> tuple[Edges, bool]:
    """Edges between nodes that are not embedded, and whether that is all: False where it would be too many.

    What a constant waits for, the nodes that read it wait for.
    """
    plain = edges.at(~embedded[edges.source] & ~embedded[edges.target])
    into = edges.at(constant[edges.target] & ~embedded[edges.source])
    out_of = edges.at(constant[edges.source] & ~embedded[edges.target])
    if not len(into) or not len(out_of):
        return plain, True
    out_of = out_of.at(np.argsort(out_of.source, kind="stable"))
    first = np.searchsorted(out_of.source, into.target, "left")
    count = np.searchsorted(out_of.source, into.target, "right") - first
    total = int(count.sum())
    if total > MOST_MOVED:
        return plain, False
    which = np.repeat(np.arange(len(into)), count)
    readers = np.arange(total) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    moved = replace(into.at(which), target=out_of.target[readers])
    return plain.and_also(moved.at(moved.source != moved.target)), True
