"""Random keys in every tab break nothing. Many more are pressed by `python -m tests.screens.monkey`."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.screens.acts import acts
from tests.screens.monkey import TABS, all_bound_keys, broken_by, shortest

ACTS, SEED = 20 + settings.default.max_examples, 7
"""What happens at random is asked for with the same profiles, whoever makes it up."""


@pytest.mark.parametrize("tab", TABS)
def test_monkey_random_keys_raise_no_error(tab: str) -> None:
    game = list(acts(SEED, tab, ACTS, all_bound_keys()))
    if error := broken_by(game):
        needed = shortest(game, lambda fewer: type(broken_by(fewer)) is type(error))
        pytest.fail(f"{error!r} after: python -m tests.screens.monkey --replay '{' '.join(needed)}'")


def test_monkey_knows_the_keys_of_every_tab_and_overlay() -> None:
    assert {"slash", "question_mark", "P", "left_square_bracket", "M", "w", "exclamation_mark"} <= {*all_bound_keys()}


def test_monkey_game_depends_only_on_its_seed() -> None:
    bound = all_bound_keys()
    one, same, other = (list(acts(seed, "text", 40, bound)) for seed in (1, 1, 2))
    assert one == same != other


def test_monkey_game_is_reduced_to_its_failing_part() -> None:
    assert shortest("abcdefghij", lambda acts: {"c", "h"} <= set(acts)) == ["c", "h"]
