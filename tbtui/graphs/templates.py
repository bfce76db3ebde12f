"""Which scopes look alike inside, such as the blocks of a deep network."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy

    Ints: TypeAlias = npt.NDArray[np.int32]

UNIQUE = -1


def templates(hierarchy: Hierarchy) -> Ints:
    """For each item that is no copy, the number of its template; `UNIQUE` where no other scope has the same.

    Two scopes look alike if the same operations, series and scopes are in them, these again alike, and the same number
    of links leads from each sort to each other; names do not matter. TensorBoard compares depth, counts of nodes, links
    and operations, and the links of each node; this is at least as strict.
    """
    form = _forms(hierarchy)
    scopes: npt.NDArray[np.int64] = np.arange(hierarchy.nodes, hierarchy.items, dtype=np.int64)
    scopes = scopes[[hierarchy.kind(int(scope)) == "scope" for scope in scopes]]
    scopes = scopes[scopes != hierarchy.root]
    template = np.full(hierarchy.items, UNIQUE, np.int32)
    occurs = Counter(form[scope] for scope in scopes)
    size = {form[scope]: int(hierarchy.inside[scope]) for scope in scopes}
    alike = sorted((kind for kind, count in occurs.items() if count > 1), key=lambda kind: (-size[kind], kind))
    numbers = {kind: number for number, kind in enumerate(alike)}
    template[scopes] = [numbers.get(form[scope], UNIQUE) for scope in scopes]
    return template


def _forms(hierarchy: Hierarchy) -> list[int]:
    """A number for each item; those that look alike have the same."""
    graph = hierarchy.graph
    known: dict[object, int] = {}
    forms = [known.setdefault(("op", op), len(known)) for op in graph.ops] + [0] * (hierarchy.items - hierarchy.nodes)
    inside: list[list[int]] = [[] for _ in forms]
    links = _links_by_scope(hierarchy)
    embedded = graph.embedded.tolist()
    above = hierarchy.parent.tolist()
    # From the inside out: what is in an item has a higher place.
    for item in hierarchy.order.items[::-1].tolist():
        if item >= hierarchy.nodes:
            between = sorted((forms[source], forms[target]) for source, target in links.get(item, ()))
            form = (hierarchy.kind(item), tuple(sorted(inside[item])), tuple(between))
            forms[item] = known.setdefault(form, len(known))
        elif embedded[item]:
            continue
        inside[above[item]].append(forms[item])
    return forms


def _links_by_scope(hierarchy: Hierarchy) -> dict[int, list[tuple[int, int]]]:
    """For each scope or series, between which two items directly in it something flows; each pair once."""
    flow = hierarchy.graph.flow
    parent, places, ends = hierarchy.parent, hierarchy.order.places, hierarchy.order.ends
    source, target = flow.source.astype(np.int64), flow.target.astype(np.int64)
    for moving, other in ((source, target), (target, source)):
        fixed = places[other]
        climbing = np.arange(len(flow))
        while climbing.size:  # up to what is directly in an item that holds both ends
            above = parent[moving[climbing]]
            apart = (above >= 0) & ((fixed[climbing] < places[above]) | (fixed[climbing] >= ends[above]))
            climbing = climbing[apart]
            moving[climbing] = above[apart]
    pairs = np.unique(source * hierarchy.items + target)
    links: dict[int, list[tuple[int, int]]] = {}
    first, second = np.divmod(pairs, hierarchy.items)
    for scope, one, other in zip(parent[first].tolist(), first.tolist(), second.tolist(), strict=True):
        links.setdefault(scope, []).append((one, other))
    return links
