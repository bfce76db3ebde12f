"""What the themes are called. Imports no Textual: the shell asks when a name is completed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

DARK, LIGHT, ANSI_DARK, ANSI_LIGHT = "tbtui-dark", "tbtui-light", "ansi-dark", "ansi-light"

_NAME = re.compile(r'^\s*name="([\w-]+)"', re.MULTILINE)


def theme_names() -> tuple[str, ...]:
    """Names of all themes: ours, and those that Textual brings, which stand in its source.

    To import them takes five times as long as all else that a completion does. Without that source there are ours.
    """
    spec = find_spec("textual")
    places = (spec and spec.submodule_search_locations) or ()
    sources = [Path(place) / "theme.py" for place in places]
    try:
        found = [name for source in sources for name in _NAME.findall(source.read_text("utf-8"))]
    except OSError:
        found = []
    return tuple(dict.fromkeys((DARK, LIGHT, ANSI_DARK, ANSI_LIGHT, *found)))
