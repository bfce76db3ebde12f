"""Which end of a tag's values is the good one, where that is known."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import Best

MORE_IS_BETTER = re.compile(
    r"acc|accuracy|precision|recall|f1|fscore|auc|auroc|auprc|ap|map|iou|miou|dice|jaccard|bleu|rouge|meteor|chrf|cider"
    r"|match|rew|rewards?|returns?|score|success|win|wins|winrate|psnr|ssim|r2|likelihood|elbo|correlation|corr|em"
    r"|throughput|fps|utilization|mfu|hits?|ndcg|mrr|top"
)
"""A word of a tag whose greatest value is the best one."""

LESS_IS_BETTER = re.compile(r"loss|losses|error|err|mse|mae|rmse|nll|perplexity|ppl|cost|wer|cer|fid|regret")
"""A word of one whose least value is; it decides against the ones above: `loss/accuracy_head`, `reward_loss`."""

LOOKED_AT = 1000
"""Characters of a tag in which words are looked for."""

_WORD = re.compile(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*(?![a-z])")


def best_of(tag: str, choices: Choices) -> Best | None:
    """Whether the least or the greatest value of a tag is the best: as chosen for its chart, or by its name.

    None where neither tells (`lr`, `grad/norm`). Then nothing is marked as best, no difference is good or bad, and
    where the best value is asked for the last one stands: an extreme would be told as an achievement.
    """
    return choices.chart(tag).best or best_by_name(tag)


@lru_cache(maxsize=1 << 14)
def best_by_name(tag: str) -> Best | None:
    """`min` where a word of the tag says that less is better, else `max` where one says that more is; None without."""
    if has_word(tag, LESS_IS_BETTER):
        return "min"
    return "max" if has_word(tag, MORE_IS_BETTER) else None


def has_word(tag: str, words: re.Pattern[str]) -> bool:
    """Whether a word of a tag, with or without the digits it ends in (`mAP50`), is one of `words`; case is ignored."""
    held = (word.lower() for word in _WORD.findall(tag[:LOOKED_AT]))
    return any(words.fullmatch(word) or words.fullmatch(word.rstrip("0123456789")) for word in held)
