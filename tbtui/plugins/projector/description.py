"""Describe the files of an embedding in words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tbtui.charts.text import safe

if TYPE_CHECKING:
    from tbtui.plugins.projector.catalog import Version


def describe_version(version: Version) -> list[str]:
    """Return one line for each file of a version."""
    entry = version.entry
    lines = [f"directory   {safe(version.locator.directory)}"]
    if version.checkpoint:
        lines.append(f"checkpoint  {safe(os.path.relpath(version.checkpoint, version.locator.directory))}")
    for name, path in (
        ("tensor", entry.tensor_path),
        ("metadata", entry.metadata_path),
        ("sprite", entry.image_path),
        ("bookmarks", entry.bookmarks_path),
    ):
        if path:
            lines.append(f"{name:<11} {safe(path)}")
    if version.problem:
        lines.append(f"problem     {version.problem}")
    return lines
