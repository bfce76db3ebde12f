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
    scopes = np.arange(hierarchy.nodes, hierarchy.items)
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
    forms = [known.setdefault(("op", op), len(known)) for op in graph.ops]
    forms += [-1] * (hierarchy.items - hierarchy.nodes)
    links = _links_by_scope(hierarchy)
    # From the inside out: what is in an item has a higher place.
    outer = hierarchy.order.items[hierarchy.order.items >= hierarchy.nodes]
    for item in outer[::-1].tolist():
        inside = Counter(forms[child] for child in hierarchy.children(item).tolist())
        between = Counter((forms[source], forms[target]) for source, target in links.get(item, ()))
        form = (hierarchy.kind(item), tuple(sorted(inside.items())), tuple(sorted(between.items())))
        forms[item] = known.setdefault(form, len(known))
    return forms


def _links_by_scope(hierarchy: Hierarchy) -> dict[int, list[tuple[int, int]]]:
    """For each scope or series, between which two items directly in it something flows; each pair once."""
    flow = hierarchy.graph.flow
    parent, places, ends = hierarchy.parent, hierarchy.order.places, hierarchy.order.ends
    source, target = flow.source.astype(np.int64), flow.target.astype(np.int64)
    for moving, other in ((source, target), (target, source)):
        fixed = places[other].copy()
        while True:
            above = parent[moving]
            apart = (above >= 0) & ((fixed < places[above]) | (fixed >= ends[above]))
            if not apart.any():
                break
            moving[apart] = above[apart]
    pairs = (
        np.unique(np.stack((parent[source], source, target), axis=1), axis=0) if len(flow) else np.zeros((0, 3), int)
    )
    links: dict[int, list[tuple[int, int]]] = {}
    for scope, first, second in pairs.tolist():
        links.setdefault(scope, []).append((first, second))
    return links
