"""Recorded numbers as JSON files beside this one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = Any

HERE = Path(__file__).parent


def keep(name: str, content: Json) -> None:
    """Write JSON beside this file, one line for each entry of a list or of a part."""
    (HERE / name).write_text(laid_out(plain(content), 2 if isinstance(content, dict) else 1) + "\n", encoding="utf-8")


def laid_out(content: Json, depth: int) -> str:
    """JSON with a line for each entry, down to so many levels."""
    if depth == 0 or not content:
        return json.dumps(content, separators=(",", ":"))
    if isinstance(content, dict):
        return "{\n" + ",\n".join(f"{json.dumps(k)}:{laid_out(v, depth - 1)}" for k, v in content.items()) + "\n}"
    return "[\n" + ",\n".join(laid_out(entry, depth - 1) for entry in content) + "\n]"


def plain(content: Json) -> Json:
    """The same with NaN and infinities as "NaN", "Infinity" and "-Infinity"."""
    if isinstance(content, dict):
        return {key: plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [plain(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return "NaN" if math.isnan(content) else "Infinity" if content > 0 else "-Infinity"
    return content
