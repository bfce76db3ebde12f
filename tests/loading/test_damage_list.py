from __future__ import annotations

from tbtui.loading.file_problems import MAX_LISTED_DAMAGE, DamageList, truncated_problem
from tbtui.store.snapshot import Problem
from tbtui.tfrecord.file import Damage


def test_damage_list_keeps_the_order_of_detection() -> None:
    damage = DamageList()
    assert not damage
    damage.add([Damage("length_checksum", 5, 10, "first")])
    damage.add([Damage("undecodable", 50, 1, "second")])
    assert damage
    assert damage.problems() == (
        Problem("length_checksum", 5, 10, "first"),
        Problem("undecodable", 50, 1, "second"),
    )


def test_damage_list_beyond_100_entries_is_summarised() -> None:
    damage = DamageList()
    damage.add(Damage("length_checksum", place * 10, 3, "bad") for place in range(MAX_LISTED_DAMAGE + 2_500))
    listed = damage.problems()
    assert len(listed) == MAX_LISTED_DAMAGE + 1
    assert listed[-1].message == "and 2,500 more damaged places from here on"
    assert (listed[-1].offset, listed[-1].bytes_skipped) == (MAX_LISTED_DAMAGE * 10, 2_500 * 3)


def test_damage_list_of_101_entries_summarises_one() -> None:
    damage = DamageList()
    damage.add(Damage("length_checksum", place * 10, 3, "bad") for place in range(MAX_LISTED_DAMAGE + 1))
    assert damage.problems()[-1].message == "and 1 more damaged place from here on"


def test_damage_list_truncated_record_missing_bytes_are_not_negative() -> None:
    assert truncated_problem(100, 90).bytes_skipped == 0
    assert truncated_problem(100, 1_200).message == "the last record is incomplete (1,100 bytes so far)"
    assert truncated_problem(100, 101).message == "the last record is incomplete (1 byte so far)"
