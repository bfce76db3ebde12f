"""Write the matching charts as one picture: `tbtui print --format svg|png`. Imports no Textual."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.cli.errors import EXIT_NOTHING, print_error
from tbtui.cli.output import print_bytes, print_output_error, print_pieces
from tbtui.export.output import OutputError, write_file
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import Plugin
    from tbtui.view.view import View

PictureFormat: TypeAlias = Literal["svg", "png"]

Background: TypeAlias = Literal["light", "dark", "none"]
"""White, as paper is; that of the dark theme; none, with the colours that are read on white."""


@frozen
class PictureOptions:
    """Options of a picture."""

    form: PictureFormat
    plugin: str | None = None
    """Name of the dashboard to draw; None: the first with data that has pictures."""

    width: int | None = None
    """Columns of the whole picture, each 8 units (SVG) or 16 pixels (PNG) wide; None: a width that reads well."""

    height: int | None = None
    """Rows of each chart with its frame, of 18 units or 36 pixels; None: a height that reads well."""

    background: Background = "light"
    max_charts: int | None = None
    """Maximum number of charts; None and 0: all."""

    step: int | None = None
    """Step to draw, for dashboards that draw one step; None: the newest. Other charts show every step."""

    label: str = ""
    """Paths in the message that nothing can be drawn."""

    nothing: str = "nothing matches"
    """Reason in that message if there is no data at all."""


def print_picture(view: View, options: PictureOptions, path: Path | None, *, force: bool = False) -> int:
    """Draw the matching charts of a view, and write the picture whole or not at all.

    Args:
        view: Runs and tags after filtering, with x axis and smoothing.
        options: Options of the picture.
        path: File to write; None: stdout, unless it is a terminal and the format is PNG.
        force: Replace an existing file.

    Returns:
        The exit code: 0 success; 1 nothing that matches can be drawn; 2 the file cannot be written, or the dashboard
        has no pictures. One sentence on stderr gives the reason.
    """
    from tbtui.export.drawing.sheet import PictureSizeError
    from tbtui.plugins.picture import NothingToDrawError
    from tbtui.plugins.registry import list_picture_plugins

    if options.plugin is not None and options.plugin not in (drawable := list_picture_plugins()):
        return print_error(f"{_explain_no_drawing(options.plugin)}; pictures are made of {', '.join(drawable)}")
    if path is None and options.form == "png" and sys.stdout is not None and sys.stdout.isatty():
        return print_error("a PNG is nothing for a terminal: name a file with -o, or redirect stdout")
    try:
        pieces = _encode_picture(view, options)
        if path is not None:
            write_file(path, pieces, force=force)
        elif options.form == "png":
            print_bytes(b"".join(piece for piece in pieces if isinstance(piece, bytes)))
        else:
            print_pieces(piece for piece in pieces if isinstance(piece, str))
    except OutputError as error:
        return print_output_error(error)
    except PictureSizeError as error:
        return print_error(str(error))
    except NothingToDrawError as error:
        reason = str(error) or options.nothing
        print_error(f"{options.label}: {reason}" if options.label else reason)
        return EXIT_NOTHING
    return 0


def _encode_picture(view: View, options: PictureOptions) -> Iterable[str | bytes]:
    from tbtui.charts.ink_colours import DARK_THEME_COLOURS, PAPER_THEME_COLOURS, InkTheme
    from tbtui.export.drawing.sheet import PictureSizeError
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.picture import NothingToDrawError, draw_charts

    payloads = Payloads()
    plugin = _choose_plugin(view, options, payloads)
    if plugin is None or plugin.picture is None:
        raise NothingToDrawError(_explain_nothing_to_draw(view))
    picture_export = plugin.picture
    if options.step is not None:
        if not picture_export.takes_step:
            raise PictureSizeError(_explain_no_step(plugin.name))
        view = replace(view, settings=replace(view.settings, cursor=float(options.step)))
    theme_colours = DARK_THEME_COLOURS if options.background == "dark" else PAPER_THEME_COLOURS
    background = None if options.background == "none" else theme_colours.background
    colours = InkTheme(theme_colours)
    size = options.width, options.height
    if picture_export.charts is not None:
        charts = picture_export.charts(view, payloads)
        drawing = draw_charts(
            charts, colours, background=background, width=size[0], height=size[1], max_charts=options.max_charts
        )
    elif picture_export.draw is not None:
        drawing = picture_export.draw(view, colours, background, *size)
    else:
        raise NothingToDrawError
    if options.form == "png":
        from tbtui.export.drawing.png import encode_png

        return [encode_png(drawing)]
    from tbtui.export.drawing.svg import encode_svg

    return encode_svg(drawing)


def _choose_plugin(view: View, options: PictureOptions, payloads: Payloads) -> Plugin | None:
    """Return the requested dashboard, or the first one with a chart."""
    from tbtui.plugins.registry import list_picture_plugins

    plugins = list_picture_plugins()
    if options.plugin is not None:
        return plugins[options.plugin]
    for plugin in plugins.values():
        picture_export = plugin.picture
        if picture_export is None:
            continue
        if picture_export.charts is None:
            if any(not plugin.reads.isdisjoint(run.asset_tags) for run in view.runs):
                return plugin
        elif picture_export.charts(view, payloads).keys:
            return plugin
    return None


def _explain_no_step(name: str) -> str:
    from tbtui.plugins.registry import list_picture_plugins

    names = [each for each, plugin in list_picture_plugins().items() if plugin.picture and plugin.picture.takes_step]
    return f"--step is for text and for drawings of {' and '.join(names)} (--plugin): those of {name} show every step"


def _explain_nothing_to_draw(view: View) -> str:
    """Return a message if the data of the view has no picture but an export; otherwise an empty one."""
    logged = {
        series.metadata.plugin_name for run in view.runs for tag, series in run.series.items() if view.tag_matches(tag)
    }
    from tbtui.plugins.registry import list_tabs

    exported_plugin = next(
        (plugin for plugin in list_tabs() if _is_only_exported(plugin) and plugin.name in logged), None
    )
    return "" if exported_plugin is None else _explain_no_drawing(exported_plugin.name)


def _explain_no_drawing(name: str) -> str:
    from tbtui.plugins.registry import list_tabs

    plugin = next((plugin for plugin in list_tabs() if plugin.name == name and _is_only_exported(plugin)), None)
    if plugin is None:
        return f"{name} has no drawing"
    return f"{plugin.noun} have no drawing here: tbtui export --plugin {name} writes them"


def _is_only_exported(plugin: Plugin) -> bool:
    return plugin.picture is None and bool(plugin.exports)
