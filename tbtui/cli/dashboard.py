"""`tbtui [PATH …]`: from the arguments to a running dashboard. Textual is imported last, when reading has begun."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.cli.complaint import complain
from tbtui.cli.ending import BrokenThreads
from tbtui.cli.environment import obstacle
from tbtui.cli.indexes import run_indexes
from tbtui.cli.startup import Startup

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from tbtui.app.app import Dashboard
    from tbtui.loading.loader import Loader
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.saved import SavedChoices


def run(arguments: Namespace) -> int:
    """Show the dashboard until it is left.

    Args:
        arguments: As `parse_dashboard` gives them.

    Returns:
        The exit code.
    """
    if reason := obstacle(os.environ, sys.__stdin__, sys.__stdout__, sys.__stderr__):
        return complain(reason)
    return _show_demo(arguments) if arguments.demo else _show_logs(arguments)


def _show_demo(arguments: Namespace) -> int:
    from tbtui.cli.demo.process import Demo

    try:
        demo = Demo()
    except OSError as error:
        return complain(f"there is no place for the demo's logs: {error.strerror}")
    with demo:
        code = _show([str(demo.directory)], "demo", arguments)
        if complaint := demo.complaint():
            complain(f"the simulated training stopped: {complaint}")
        return code


def _show_logs(arguments: Namespace) -> int:
    paths = arguments.paths or [os.curdir]
    return _show(paths, " ".join(paths), arguments)


def _show(paths: Sequence[str], label: str, arguments: Namespace) -> int:
    """Read the first of `paths` while the app that shows them is made, and the rest once it stands."""
    startup = Startup()
    from tbtui.loading.loader import Loader
    from tbtui.loading.sources import SourceError, parse_sources

    try:
        loader = Loader(
            parse_sources(paths),
            reload_seconds=arguments.reload,
            indexes=None if arguments.demo else run_indexes(arguments),
            jobs=arguments.jobs,
            on_change=startup.hold,
        )
    except SourceError as error:
        return complain(str(error))
    broken = BrokenThreads()
    loader.start()
    try:
        from tbtui.viewstate.saved import SavedChoices

        saved = None if arguments.demo else SavedChoices.of_paths(paths)
        app = _app(loader, label, arguments, saved)
        if isinstance(app, str):
            return complain(app)
        from tbtui.cli.session import run_app

        return run_app(app, begun=startup.end, broken=broken, titled=arguments.alert)
    finally:
        startup.end()
        loader.stop()


def _app(loader: Loader, label: str, arguments: Namespace, saved: SavedChoices | None) -> Dashboard | str:
    """The app, or why there can be none."""
    from textual.app import InvalidThemeError

    from tbtui.app.app import Dashboard
    from tbtui.viewstate.saved import Kept

    if reason := _unknown_tab(arguments.tab):
        return reason
    kept = Kept() if saved is None or arguments.fresh else saved.load()
    try:
        return Dashboard(
            loader,
            label=label,
            choices=_begun_with(kept.choices, arguments),
            theme=arguments.theme,
            saved=saved,
            kept=kept,
            alert=arguments.alert,
        )
    except InvalidThemeError:
        return f"there is no theme called {arguments.theme!r} (ctrl+p lists them)"


def _unknown_tab(name: str | None) -> str | None:
    """Why the tab cannot be opened; None when it can, or when none was asked for."""
    from tbtui.plugins.registry import tabs

    names = [plugin.name for plugin in tabs()]
    if name is None or name in names:
        return None
    return f"there is no dashboard called {name!r}, only {', '.join(names)}"


def _begun_with(kept: Choices, arguments: Namespace) -> Choices:
    """What the session begins with: what was kept, and over it what the arguments say."""
    from tbtui.viewstate.changes import on_x_axis

    said = {
        "run_filter": arguments.runs,
        "tag_filter": arguments.tags,
        "tab": arguments.tab,
        "smoothing": arguments.smoothing,
        "max_steps": arguments.max_steps,
        "images": arguments.images,
        "player": arguments.player,
    }
    begun = replace(kept, **{field: value for field, value in said.items() if value is not None})
    is_other = arguments.x_axis is not None and arguments.x_axis != kept.x_axis
    return on_x_axis(begun, arguments.x_axis) if is_other else begun
