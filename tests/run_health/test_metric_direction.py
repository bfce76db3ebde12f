from __future__ import annotations

import pytest

from tbtui.run_health.anomalies import find_metric_direction, guess_metric_direction
from tbtui.settings.settings import ChartSettings, Settings


@pytest.mark.parametrize(
    ("tag", "best"),
    [
        ("lr", None),
        ("grad/norm", None),
        ("weights/mean", None),
        ("loss/train", "min"),
        ("acc/val", "max"),
        ("epoch_accuracy", "max"),
        ("eval/meanReward", "max"),
        ("rollout/ep_rew_mean", "max"),
        ("valAcc", "max"),
        ("mAP", "max"),
        ("metrics/mAP50(B)", "max"),
        ("F1", "max"),
        ("reward_loss", "min"),
        ("accident/rate", None),
        ("perf/MFU", "max"),
        ("exact_match", "max"),
        ("", None),
    ],
)
def test_words_of_a_tag_tell_or_do_not(tag: str, best: str | None) -> None:
    assert guess_metric_direction(tag) == best


def test_the_users_word_counts_for_more() -> None:
    settings = Settings(charts={"acc": ChartSettings(best="min")})
    assert find_metric_direction("acc", settings) == "min"
    assert find_metric_direction("acc/val", settings) == "max"
    assert find_metric_direction("lr", settings) is None
    assert find_metric_direction("lr", Settings(charts={"lr": ChartSettings(best="max")})) == "max"
