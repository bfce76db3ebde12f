"""Test the rank analysis of variance against its definition, written down here once more without arrays."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths.rank_anova import (
    Levels,
    assign_word_levels,
    choose_bin_count,
    compute_chi2_tail,
    compute_mid_ranks,
    compute_q_values,
    measure_effect,
    measure_pairs,
    number_levels,
    pair_bin_count,
)


def shares(codes: list[int], ranks: list[float]) -> tuple[float, float]:
    """Return η² and ε²."""
    levels = {code: [rank for each, rank in zip(codes, ranks, strict=True) if each == code] for code in set(codes)}
    middle = mean(ranks)
    total = sum((rank - middle) ** 2 for rank in ranks)
    between = sum(len(part) * (mean(part) - middle) ** 2 for part in levels.values())
    eta2 = between / total
    chance = (len(levels) - 1) / (len(ranks) - 1)
    return eta2, (eta2 - chance) / (1 - chance)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=8, max_size=40))
def test_measure_effect_equals_the_definition(pairs: list[tuple[int, int]]) -> None:
    codes, values = [code for code, _ in pairs], [float(value) for _, value in pairs]
    ranks = compute_mid_ranks(np.array(values))
    if len(set(values)) < 2:
        assert measure_effect(Levels(np.array(codes), 5), ranks).eta2 == 0
        return
    effect = measure_effect(Levels(np.array(codes), 5), ranks)
    eta2, share = shares(codes, ranks.tolist())
    assert effect.eta2 == pytest.approx(eta2)
    assert effect.share == pytest.approx(share)
    assert effect.groups == len(set(codes))


def test_mid_ranks_diverged_results_are_last_and_equal() -> None:
    assert compute_mid_ranks(np.array([3.0, math.nan, 1.0, 3.0, math.inf])).tolist() == [1.5, 3.5, 0.0, 1.5, 3.5]


def test_number_levels_few_values_are_levels_and_missing_is_one() -> None:
    levels = number_levels(np.array([0.1, math.nan, 0.2, 0.1]), 3)
    assert (levels.codes.tolist(), levels.count) == ([0, 2, 1, 0], 3)


def test_number_levels_do_not_depend_on_the_scale() -> None:
    values = np.geomspace(1e-5, 1, 100)
    codes = number_levels(values, 8).codes
    assert all(a <= b for a, b in pairwise(codes.tolist()))
    assert np.bincount(codes).tolist() == np.bincount(number_levels(np.arange(100.0), 8).codes).tolist()


def test_number_levels_infinite_values_have_a_level() -> None:
    levels = number_levels(np.array([*range(20), math.inf, -math.inf], np.float64), 3)
    assert levels.codes.min() == 0
    assert levels.codes.max() == levels.count - 1


def test_word_levels_rare_words_share_a_level() -> None:
    levels = assign_word_levels(np.array([0, 0, 0, 1, 1, 2, 3, 4]), 3)
    assert levels.codes.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("value", "freedom", "tail"), [(3.841, 1, 0.05), (9.488, 4, 0.05), (15.507, 8, 0.05), (13.277, 4, 0.01), (0, 3, 1)]
)
def test_chi2_tail_equals_the_table(value: float, freedom: int, tail: float) -> None:
    assert compute_chi2_tail(value, freedom) == pytest.approx(tail, rel=0.06)


def test_q_values_are_those_of_benjamini_and_hochberg() -> None:
    assert compute_q_values([0.01, 0.04, 0.03, 0.5]).tolist() == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert compute_q_values([]).tolist() == []


def test_bin_counts_grow_with_the_number_of_results() -> None:
    assert [choose_bin_count(count) for count in (8, 30, 100, 5000)] == [3, 3, 6, 8]
    assert [pair_bin_count(count) for count in (8, 65, 5000)] == [2, 4, 5]


def test_measure_pairs_finds_a_pure_interaction_and_no_other() -> None:
    found = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        columns = [rng.random(140) for _ in range(6)]
        result = 1.5 * ((columns[0] > 0.5) ^ (columns[1] > 0.5)) + rng.normal(0, 0.5, 140)
        pairs = measure_pairs([number_levels(column, 5) for column in columns], compute_mid_ranks(result))
        q = compute_q_values([pair.p for pair in pairs])
        marked = [(pair.first, pair.second) for pair, each in zip(pairs, q.tolist(), strict=True) if each < 0.1]
        found += (0, 1) in marked
        assert len(marked) <= 2
    assert found >= 18


def test_measure_pairs_associates_settings_that_changed_together() -> None:
    rng = np.random.default_rng(0)
    rate = rng.random(60)
    levels = [number_levels(column, 4) for column in (rate, rate * 10, rng.random(60))]
    associations = [pair.association for pair in measure_pairs(levels, compute_mid_ranks(rng.random(60)))]
    assert associations[0] == pytest.approx(1)
    assert max(associations[1:]) < 0.5


def test_q_values_give_few_false_alarms_where_nothing_matters() -> None:
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        ranks = compute_mid_ranks(rng.random(50))
        effects = [measure_effect(number_levels(rng.random(50), choose_bin_count(50)), ranks) for _ in range(10)]
        alarms += bool((compute_q_values([effect.p for effect in effects]) < 0.1).any())
    assert alarms <= 15
