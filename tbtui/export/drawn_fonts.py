"""Fonts for pictures in pixels: monospaced ones of the system, others for what they lack, or the one Pillow brings."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tbtui.charts.text import UNKNOWN_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.ImageFont import FreeTypeFont, ImageFont

    Font: TypeAlias = FreeTypeFont | ImageFont

PLACES = (
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/dejavu-sans-mono-fonts",
    "/usr/share/fonts/dejavu",
    "/usr/share/fonts/TTF",
    "/usr/share/fonts/truetype/liberation",
    "/usr/share/fonts/liberation-mono",
    "/usr/share/fonts/truetype/noto",
    "/usr/share/fonts/noto",
    "/usr/share/fonts/truetype/ubuntu",
    "/usr/share/fonts/truetype/freefont",
    "/usr/share/fonts/opentype/noto",
    "/usr/share/fonts/noto-cjk",
    "/usr/share/fonts/google-noto-cjk",
    "/usr/share/fonts/truetype/wqy",
    "/usr/share/fonts/truetype/droid",
    "/usr/share/fonts/truetype/unifont",
    "/System/Library/Fonts",
    "/System/Library/Fonts/Supplemental",
    "/Library/Fonts",
)
"""Where systems keep the fonts below."""

MONOSPACED = (
    ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"),
    ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf"),
    ("NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf"),
    ("UbuntuMono-R.ttf", "UbuntuMono-B.ttf"),
    ("FreeMono.ttf", "FreeMonoBold.ttf"),
    ("Menlo.ttc", "Menlo.ttc"),
    ("Courier New.ttf", "Courier New Bold.ttf"),
)
"""Regular and bold, the best first."""

OTHERS = (
    "DejaVuSans.ttf",
    "NotoSansCJK-Regular.ttc",
    "NotoSansMonoCJK-Regular.ttc",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "NotoSansSymbols2-Regular.ttf",
    "unifont.ttf",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "Arial Unicode.ttf",
)
"""For what a monospaced font lacks, such as Chinese."""

NO_CHARACTERS = "\uffff\u0378\U0010ffff"
"""No font has any of them: what is drawn for one of them is drawn for whatever is lacking."""


class Fonts:
    """What characters are drawn with.

    Args:
        width: Pixels of a cell.
        places: Directories that are searched.
    """

    def __init__(self, width: int, places: Sequence[str] = PLACES) -> None:
        self._width = width
        self._places = places
        self._others: dict[str, Font | None] = {}
        self._lacks: dict[Font, list[object]] = {}
        self._chosen: dict[tuple[str, bool], tuple[str, Font]] = {}
        self._first = self._monospaced()

    def of(self, char: str, *, bold: bool = False) -> tuple[str, Font]:
        """A character, or the mark that stands for it where no font has it, and the font to draw it with."""
        key = char, bold
        if key not in self._chosen:
            self._chosen[key] = self._choose(char, bold=bold)
        return self._chosen[key]

    def _choose(self, char: str, *, bold: bool) -> tuple[str, Font]:
        first = self._first[bold]
        if char.isascii() or self._has(first, char):
            return char, first
        for name in OTHERS:
            if name not in self._others:
                path = _find(name, tuple(self._places))
                self._others[name] = None if path is None else self._load(path, self._width * 5 / 3)
            font = self._others[name]
            if font is not None and self._has(font, char):
                return char, font
        return (UNKNOWN_MARK if self._has(first, UNKNOWN_MARK) else "."), first

    def _has(self, font: Font, char: str) -> bool:
        """Whether a font can draw a character: it does not look as one that there is none of."""
        try:
            if font not in self._lacks:
                self._lacks[font] = [_drawn(font, each) for each in NO_CHARACTERS]
            drawn = _drawn(font, char)
        except (OSError, UnicodeError, ValueError):  # a bitmap font has Latin-1 alone
            return False
        return drawn not in self._lacks[font] and any(drawn[1])

    def _monospaced(self) -> tuple[Font, Font]:
        """Regular and bold, in the size at which their characters fill a cell."""
        from PIL import ImageFont

        for regular, bold in MONOSPACED:
            path = _find(regular, tuple(self._places))
            found = None if path is None else self._fitted(path)
            if found is not None:
                heavy = _find(bold, tuple(self._places)) if bold != regular else None
                return found, (None if heavy is None else self._fitted(heavy)) or found
        try:
            built_in: Font = ImageFont.load_default(self._width * 3 / 2)
        except (ImportError, OSError, TypeError):  # Pillow was built without FreeType
            built_in = ImageFont.load_default()
        return built_in, built_in

    def _fitted(self, path: Path) -> Font | None:
        tried = self._load(path, 100)
        if tried is None:
            return None
        return self._load(path, self._width * 100 / max(tried.getlength("M"), 1.0))

    @staticmethod
    def _load(path: Path, size: float) -> FreeTypeFont | None:
        from PIL import ImageFont

        try:
            return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
        except (ImportError, OSError, ValueError):
            return None


def _drawn(font: Font, char: str) -> tuple[object, bytes]:
    mask = font.getmask(char, "L")
    return mask.size, bytes(mask)


@lru_cache(maxsize=256)
def _find(name: str, places: tuple[str, ...]) -> Path | None:
    return next((path for place in places if (path := Path(place) / name).is_file()), None)
