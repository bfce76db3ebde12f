"""What the values of a summary are called, where one is not what its tag promises."""

from __future__ import annotations

KINDS = {
    None: "nothing",
    "simple_value": "a single number",
    "image": "an image",
    "audio": "a sound",
    "histo": "a histogram",
    "obsolete_old_style_histogram": "a histogram of a form that no reader knows any more",
    "tensor": "a tensor",
}
"""By the name of the field of `SummaryValue` that holds it."""
