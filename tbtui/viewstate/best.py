"""Which end of a tag's values is the good one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Best, Choices

MORE_IS_BETTER = frozenset(
    "acc accuracy precision recall f1 fscore auc auroc auprc ap map iou miou dice jaccard bleu rouge meteor chrf cider "
    "rew reward rewards return returns score success win winrate wins psnr ssim r2 likelihood elbo correlation corr em "
    "throughput fps utilization mfu hit hits ndcg mrr top1 top5".split()
)
"""Words of tags whose greatest value is the best one; of all others it is the least."""

LESS_IS_BETTER = frozenset("loss losses error err mse mae rmse nll perplexity ppl cost wer cer fid regret".split())
"""Words that decide against the ones above: `loss/accuracy_head`, `reward_loss`."""

_WORD = re.compile(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*(?![a-z])")


def best_of(tag: str, choices: Choices) -> Best:
    """Whether the least or the greatest value of a tag is the best: as chosen for its chart, or by its name."""
    return choices.chart(tag).best or best_by_name(tag)


@lru_cache(maxsize=1 << 14)
def best_by_name(tag: str) -> Best:
    """`max` where a word of the tag says that more is better and none that less is."""
    words = {word.lower() for word in _WORD.findall(tag[:1000])}
    words |= {word.rstrip("0123456789") for word in words}  # `mAP50`, `acc5`
    return "max" if words & MORE_IS_BETTER and not words & LESS_IS_BETTER else "min"
