"""Names without what all of them share."""

from __future__ import annotations

import pytest

from tbtui.viewstate.run_names import distinct_names


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("exp/adam/seed0", "exp/adam/seed1"), ("seed0", "seed1")),
        (("lr1e-3_seed0", "lr1e-3_seed11"), ("seed0", "seed11")),
        (("train", "validation"), ("train", "validation")),
        (("exp/a",), ("exp/a",)),
        (("exp", "exp/a"), ("exp", "exp/a")),
        ((), ()),
    ],
)
def test_what_all_names_begin_with_is_left_out(names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert distinct_names(names) == expected
