"""Keep characters that no keyboard types out of input fields.

Extends: `Input.restrict` of Textual 8.2.5 to 8.2.x, which is public and empty by default. `Input` accepts whatever is
pasted: control characters, format characters without a width, private-use characters. Textual then writes them to the
terminal with the field, where an escape sequence takes effect and kitty takes U+10EEEE for an image placeholder.

Not reported upstream. Can go when the canary in the tests fails: `Input` then refuses control characters itself.
"""

from __future__ import annotations

TYPED = (
    "[^\x00-\x1f\x7f-\x9f"  # controls
    "\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"  # no width
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]*"  # surrogates, private use (kitty's image placeholders)
)
"""Regular expression for `Input.restrict`."""


def typeable(text: str) -> str:
    """Return the text without characters that a keyboard does not type and a terminal must not be sent."""
    return "".join(char for char in text if char.isprintable())
