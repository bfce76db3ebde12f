"""What may be typed and pasted into fields."""

from __future__ import annotations

TYPED = (
    "[^\x00-\x1f\x7f-\x9f"  # controls
    "\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"  # without a column
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]*"  # no text; among them what kitty draws pictures in place of
)
"""As `Input.restrict`: what no keyboard types is not let in, since a pasted sequence must not reach the terminal."""


def typeable(text: str) -> str:
    """The text without what a keyboard does not type and a terminal must not be sent."""
    return "".join(char for char in text if char.isprintable())
