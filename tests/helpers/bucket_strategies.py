"""Generate histograms with Hypothesis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from tests.helpers.buckets import buckets_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.maths.histograms import Buckets

VALUES = st.integers(-20, 20).map(float) | st.floats(-1e3, 1e3) | st.floats(allow_nan=False, allow_infinity=False)
COUNTS = st.integers(0, 9).map(float) | st.floats(0, 1e6, allow_subnormal=False)


@st.composite
def rows(draw: st.DrawFn, *, most: int = 12) -> npt.NDArray[np.float64]:
    """Generate ascending buckets, adjacent or with gaps; some have no width or no count."""
    size, touching = draw(st.integers(0, most)), draw(st.booleans())
    edges = sorted(draw(st.lists(VALUES, min_size=2 * size + 1, max_size=2 * size + 1)))
    lefts, rights = (
        (edges[:size], edges[1 : size + 1]) if touching else (edges[: 2 * size : 2], edges[1 : 2 * size : 2])
    )
    return np.array([lefts, rights, draw(st.lists(COUNTS, min_size=size, max_size=size))]).T.reshape(-1, 3)


@st.composite
def histograms(draw: st.DrawFn) -> Buckets:
    """Generate histograms of a tag, some of them unreadable."""
    tables = draw(st.lists(rows() | st.none(), max_size=6))
    refused = [index for index, table in enumerate(tables) if table is None]
    return buckets_of([() if table is None else table for table in tables], refused=refused)


@st.composite
def ascending(draw: st.DrawFn, *, least: int = 2, most: int = 12) -> npt.NDArray[np.float64]:
    """Generate distinct edges."""
    return np.array(sorted(draw(st.sets(VALUES.filter(math.isfinite), min_size=least, max_size=most))))
