"""Block elements: glyphs that fill a cell in eighths (Unicode 15, Block Elements)."""

from __future__ import annotations

BLANK = 32
"""Code point of a blank."""

EIGHTHS = 8
"""Number of lengths, and of heights, that a cell can show."""

LEFT_EIGHTHS = " ▏▎▍▌▋▊▉█"
"""Glyphs filled from the left, by eighths."""

LOWER_EIGHTHS = " ▁▂▃▄▅▆▇█"
"""Glyphs filled from below, by eighths."""
