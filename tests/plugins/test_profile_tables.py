"""Tables of the Profile tab: the numbers of a column stand in line."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.plugins.profile.pane.tables import ProfileTable
from tbtui.plugins.profile.summary import format_change, format_milliseconds
from tbtui.plugins.profile.tables import OperatorRow


def column(times: list[float]) -> list[str]:
    """Return the cells of the column of own time, for operators of these times in µs."""
    rows = [
        OperatorRow(f"aten::op{index}", "", 1, time, time, 0.0, 0.0, 0, np.zeros(1, np.int64))
        for index, time in enumerate(times)
    ]
    table = ProfileTable("operators", rows, "key", has_device=False, noun="operator")
    ((_, cells),) = table.cells(["own"], [])
    return [cell[0][0] for cell in cells.values()]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([257.0, 508_250.0], ["   0.257", " 508.250"]),
        ([257.0, 508_250.0, 11_918_400.0], ["     0.257", "   508.250", "11,918.4  "]),
        ([508_250.0, 123_456_789.0], ["    508.250", "123,457    "]),
    ],
)
def test_times_of_a_column_have_their_points_in_line(times: list[float], expected: list[str]) -> None:
    assert column(times) == expected


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(0.0, "0"), (0.4, "<0.001"), (0.5, "0.001"), (46_876.0, "46.876"), (1_234_567.0, "1,234.6"), (2e8, "200,000")],
)
def test_milliseconds_of_a_table_are_never_rounded_to_nothing(microseconds: float, text: str) -> None:
    assert format_milliseconds(microseconds) == text


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(0.0, "0"), (-1.2, "0.00"), (1.2, "0.00"), (912.0, "+0.91"), (-30_830.0, "-30.83"), (6.0, "+0.01")],
)
def test_differences_have_a_sign_unless_they_round_to_nothing(microseconds: float, text: str) -> None:
    assert format_change(microseconds) == text
