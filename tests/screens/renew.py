"""Draws the screens of `test_screens` anew: `python -m tests.screens.renew [LOOK …]`, from the root of the project."""

from __future__ import annotations

import sys

import tests.conftest  # noqa: F401 - before Textual is imported: the time zone, and nothing of a person's settings
from tests.screens.test_screens import renew

if __name__ == "__main__":
    renew(sys.argv[1:])
