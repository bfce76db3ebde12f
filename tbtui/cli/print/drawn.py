"""`tbtui print --format svg|png`: the matching charts as one picture, for papers and issues. Imports no Textual."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.cli.complaint import NOTHING, complain
from tbtui.cli.output import complain_of_output
from tbtui.cli.stdout import print_bytes, print_pieces
from tbtui.export.output import OutputError, write_file
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tbtui.viewstate.view import View

DrawnFormat: TypeAlias = Literal["svg", "png"]

Background: TypeAlias = Literal["light", "dark", "none"]
"""White, as paper is; that of the dark theme; none, with the colours that are read on white."""

UNDRAWN = {
    "images": "images",
    "audio": "sounds",
    "graphs": "graphs",
    "text": "texts",
}
"""What has no drawing, but can be exported: plugin and what its values are called."""


@frozen
class DrawnPrint:
    """What is asked for."""

    form: DrawnFormat
    plugin: str | None = None
    """Whose charts: `scalars`, `histograms`, `distributions`, `pr_curves`; None: the first that the runs hold."""

    width: int | None = None
    """Columns of the whole picture, each 8 units (SVG) or 16 pixels (PNG) wide; None: as is good to read."""

    height: int | None = None
    """Rows of each chart with its frame, of 18 units or 36 pixels; None likewise."""

    background: Background = "light"
    most: int | None = None
    """So many charts at most; None, and 0: all."""

    step: int | None = None
    """At which PR curves are drawn; None: their newest. All other charts show every step."""

    label: str = ""
    """What was read, to be named where nothing of it can be drawn."""

    nothing: str = "nothing matches"
    """Why nothing can be drawn where there is nothing at all."""


def print_drawn(view: View, asked: DrawnPrint, path: Path | None, *, force: bool = False) -> int:
    """Draw the matching charts of a view, and write the picture whole or not at all.

    Args:
        view: What has been read, seen through the choices: runs and tags filtered, x axis, smoothing.
        asked: How.
        path: The file; None: stdout, which a PNG is refused for where it is a terminal.
        force: Whether a file that is there is replaced.

    Returns:
        The exit code: 0 fine; 1 nothing that matches can be drawn; 2 it cannot be written there, or what is asked for
        has no drawing. Why not is told on stderr, in one plain sentence.
    """
    from tbtui.plugins.drawn import KINDS, NoDrawingError
    from tbtui.plugins.drawn_grid import BadPictureError

    if asked.plugin is not None and asked.plugin not in KINDS:
        return complain(f"{_no_drawing(asked.plugin)}; pictures are made of {', '.join(KINDS)}")
    if path is None and asked.form == "png" and sys.stdout is not None and sys.stdout.isatty():
        return complain("a PNG is nothing for a terminal: name a file with -o, or redirect stdout")
    try:
        pieces = _picture(view, asked)
        if path is not None:
            write_file(path, pieces, force=force)
        elif asked.form == "png":
            print_bytes(b"".join(piece for piece in pieces if isinstance(piece, bytes)))
        else:
            print_pieces(piece for piece in pieces if isinstance(piece, str))
    except OutputError as error:
        return complain_of_output(error)
    except BadPictureError as error:
        return complain(str(error))
    except NoDrawingError as error:
        why = str(error) or asked.nothing
        complain(f"{asked.label}: {why}" if asked.label else why)
        return NOTHING
    return 0


def _picture(view: View, asked: DrawnPrint) -> Iterable[str | bytes]:
    from tbtui.charts.ink_colours import DARK_TONES, PAPER_TONES, InkColours
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.drawn import NoDrawingError, drawing_of, drawn_kind
    from tbtui.plugins.drawn_grid import BadPictureError

    payloads = Payloads()
    kind = asked.plugin or drawn_kind(view, payloads)
    if kind is None:
        raise NoDrawingError(_undrawn(view))
    if asked.step is not None:
        if kind != "pr_curves":
            raise BadPictureError("--step is for text, and for PR curves: other drawings show every step")
        view = replace(view, choices=replace(view.choices, cursor=float(asked.step)))
    tones = DARK_TONES if asked.background == "dark" else PAPER_TONES
    ground = None if asked.background == "none" else tones.background
    colours = InkColours(tones)
    drawing = drawing_of(
        view, kind, payloads, colours, ground=ground, width=asked.width, height=asked.height, most=asked.most
    )
    if asked.form == "png":
        from tbtui.export.drawn_png import drawn_png

        return [drawn_png(drawing)]
    from tbtui.export.drawn_svg import drawn_svg

    return drawn_svg(drawing)


def _undrawn(view: View) -> str:
    """What there is that has no drawing, where nobody said of what; empty where there is nothing."""
    held = {
        series.metadata.plugin_name for run in view.runs for tag, series in run.series.items() if view.tag_matches(tag)
    }
    found = next((plugin for plugin in UNDRAWN if plugin in held), None)
    return "" if found is None else _no_drawing(found)


def _no_drawing(plugin: str) -> str:
    if plugin in UNDRAWN:
        return f"{UNDRAWN[plugin]} have no drawing here: tbtui export --plugin {plugin} writes them"
    return f"{plugin} has no drawing"
