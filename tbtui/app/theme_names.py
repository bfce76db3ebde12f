"""Names of the themes. Imports no Textual: shell completion reads them."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

DARK, LIGHT, ANSI_DARK, ANSI_LIGHT = "tbtui-dark", "tbtui-light", "ansi-dark", "ansi-light"

_NAME = re.compile(r'^\s*name="([\w-]+)"', re.MULTILINE)


def list_theme_names() -> tuple[str, ...]:
    """Return the names of our themes and of Textual's, read from the source of Textual.

    Importing Textual's themes takes five times as long as the rest of a completion. Without the source only our themes
    are listed.
    """
    spec = find_spec("textual")
    directories = (spec and spec.submodule_search_locations) or ()
    sources = [Path(directory) / "theme.py" for directory in directories]
    try:
        textual_names = [name for source in sources for name in _NAME.findall(source.read_text("utf-8"))]
    except OSError:
        textual_names = []
    return tuple(dict.fromkeys((DARK, LIGHT, ANSI_DARK, ANSI_LIGHT, *textual_names)))
