from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tbtui.loading import payloads as byte_cache
from tbtui.loading.payloads import ByteCache

if TYPE_CHECKING:
    import pytest


def test_byte_cache_evicts_the_least_recently_used_value() -> None:
    cache: ByteCache[str] = ByteCache(100)
    for key in "abc":
        cache.put(key, key, 30)
    assert cache.get("a") == "a"
    cache.put("d", "d", 30)
    assert [cache.get(key) for key in "acd"] == ["a", "c", "d"]
    assert cache.get("b") is None
    assert cache.nbytes == 90


def test_byte_cache_growing_value_evicts_others() -> None:
    cache: ByteCache[str] = ByteCache(100)
    cache.put("a", "a", 40)
    cache.put("b", "b", 40)
    cache.put("a", "a", 61)
    assert cache.nbytes == 61
    assert cache.get("b") is None


def test_byte_cache_oversized_value_is_not_cached_and_evicts_nothing() -> None:
    cache: ByteCache[str] = ByteCache(100)
    cache.put("a", "a", 90)
    cache.put("b", "b", 101)
    assert cache.get("a") == "a"
    assert cache.get("b") is None
    cache.put("a", "a", 101)
    assert cache.nbytes == 0


def test_byte_cache_creates_a_value_once() -> None:
    cache: ByteCache[list[int]] = ByteCache(100)
    first = cache.get_or_create("a", list)
    assert cache.get_or_create("a", list) is first
    assert cache.nbytes == 0


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 60), st.booleans()), max_size=40))
def test_byte_cache_stays_within_its_bytes(actions: list[tuple[int, int, bool]]) -> None:
    cache: ByteCache[int] = ByteCache(100)
    sizes: dict[int, int] = {}
    for key, size, is_put in actions:
        if is_put:
            cache.put(key, size, size)
            sizes[key] = size
        elif cache.get_or_create(key, lambda: -1) == -1:
            sizes[key] = 0
        assert cache.nbytes <= 100
    cached = [key for key in sizes if cache.get(key) is not None]
    assert cache.nbytes == sum(sizes[key] for key in cached)


def test_byte_cache_evicts_empty_values_above_the_entry_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_cache, "MAX_VALUES", 3)
    cache: ByteCache[str] = ByteCache(100)
    cache.put("first", "first", 10)
    for key in "abc":
        cache.get_or_create(key, lambda: "none")
    assert (len(cache), cache.nbytes) == (3, 0)
    cache.put("last", "last", 10)
    assert (len(cache), cache.nbytes) == (3, 10)
