"""What random keys have broken once, in as few acts as it takes."""

from __future__ import annotations

import pytest

from tests.screens.monkey import broken_by

FOUND = {
    "a search in a graph that cannot be shown is left for a hidden tree": "tab:graphs idle key:] idle key:s key:f idle",
}


@pytest.mark.parametrize("replay", FOUND.values(), ids=FOUND)
def test_monkey_findings_stay_fixed(replay: str) -> None:
    assert broken_by(replay.split()) is None
