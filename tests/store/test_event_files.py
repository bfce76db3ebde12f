"""Files as columns equal the same files as objects."""

from __future__ import annotations

import pytest

from tbtui.store.event_files import (
    EventFiles,
    FileColumns,
    collect_first_wall_times,
    collect_last_wall_times,
    find_last_modification,
    select_troubled,
)
from tbtui.store.snapshot import EventFile

COLUMNS = FileColumns(
    ["a", "b", "c"], [10, 20, 30], [1, 2, 3], [None, "w", None], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7_000_000_000, 0, 1]
)
BROKEN = EventFile("b", 20, 2, "w", 2.5, 5.5, "corrupt", (), 9.0)
PLAIN = (
    EventFile("a", 10, 1, None, 1.0, 4.0, "ok", (), 7.0),
    EventFile("b", 20, 2, "w", 2.0, 5.0, "ok", (), None),
    EventFile("c", 30, 3, None, 3.0, 6.0, "ok", (), 1e-9),
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (EventFiles(COLUMNS, {}), PLAIN),
        (EventFiles(COLUMNS, {1: BROKEN}), (PLAIN[0], BROKEN, PLAIN[2])),
    ],
)
def test_event_files_equal_a_tuple_of_them(files: EventFiles, expected: tuple[EventFile, ...]) -> None:
    assert files == expected
    assert expected == files
    assert hash(files) == hash(expected)
    assert tuple(files) == expected
    assert files[-1] == expected[-1]
    assert files[:2] == expected[:2]
    assert len(files) == 3
    assert list(collect_first_wall_times(files)) == [file.first_wall_time for file in expected]
    assert list(collect_last_wall_times(files)) == [file.last_wall_time for file in expected]
    assert find_last_modification(files) == find_last_modification(expected)


def test_event_files_that_differ_are_not_equal() -> None:
    assert EventFiles(COLUMNS, {}) != EventFiles(COLUMNS, {1: BROKEN})
    assert EventFiles(COLUMNS, {}) != PLAIN[:2]


def test_troubled_files_are_none_of_columns_that_are_well() -> None:
    assert not select_troubled(EventFiles(COLUMNS, {}))
    assert BROKEN in select_troubled(EventFiles(COLUMNS, {1: BROKEN}))
    assert len(select_troubled(PLAIN)) == 3
