"""`tbtui [PATH …]`: starts the dashboard. Textual is imported last, after reading has started."""

from __future__ import annotations

import codecs
import gc
import os
import sys
import threading
from typing import TYPE_CHECKING

from tbtui.cli.errors import print_error
from tbtui.cli.run_loading import open_run_cache
from tbtui.cli.shutdown import ThreadErrors

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from typing import TextIO

    from tbtui.app.app import Dashboard
    from tbtui.loading.loader import Loader
    from tbtui.settings.persistence import SettingsFile
    from tbtui.settings.settings import Settings


# Checks of the terminal before anything is written to it.


TEXT_COMMAND_HINT = "for plain text use: tbtui print"


def find_terminal_problem(
    environ: Mapping[str, str], stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None
) -> str | None:
    """Return the reason why the dashboard cannot be drawn here; None if it can.

    Args:
        environ: The process's environment.
        stdin: Stream of the keys; None if it is closed, as for the other streams.
        stdout: Stream that a user may have redirected.
        stderr: Stream that Textual draws on.

    Returns:
        One sentence that points to the plain-text command, or None when nothing stands in the way.
    """
    reason = _check_streams(stdin, stdout, stderr) or _check_terminal(environ) or _check_encoding(stderr)
    return f"{reason}; {TEXT_COMMAND_HINT}" if reason else None


def _check_streams(stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None) -> str | None:
    for name, stream in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
        if stream is None or stream.closed or not stream.isatty():
            return f"{name} is not a terminal, so the dashboard cannot be drawn"
    return None


def _check_terminal(environ: Mapping[str, str]) -> str | None:
    terminal = environ.get("TERM", "")
    if not terminal:
        return "TERM is not set, so nothing is known of this terminal"
    if terminal in ("dumb", "unknown"):
        return f"TERM is {terminal}: this terminal cannot draw a dashboard"
    return None


def _check_encoding(stderr: TextIO | None) -> str | None:
    encoding = stderr.encoding if stderr is not None else "ascii"
    if codecs.lookup(encoding).name == "utf-8":
        return None
    return f"the terminal's encoding is {encoding}, not UTF-8 (LC_ALL, LANG and PYTHONIOENCODING decide it)"


# Work that waits until the first screen is drawn.


THREAD_SWITCH_SECONDS = 0.0005
"""Switch interval of the interpreter until the event loop of the UI thread sets it (`widgets/thread_turns.py`): while
Textual is imported, the loader reads."""

GC_THRESHOLDS = (50_000, 20, 10)
"""Objects until a collection of the young ones, and so on, as in `gc`: what a large log directory makes stays. A
collection of 50,000 young objects takes 6 ms. With a fifth of that, 5,000 runs took 0.3 s longer."""


COLLECTION_DELAY_SECONDS = 3.0
"""Time after the first screen until garbage is collected. Most objects made meanwhile are runs that were read, which
stay: for 5,000 runs, collections would take 0.15 s before their table is shown."""


class Startup:
    """The time from the first import to the first screen. Create it before large modules are imported."""

    def __init__(self) -> None:
        # A start makes hardly any garbage, but collection takes a tenth of its time.
        gc.disable()
        # Read by Textual when it is imported: over a slow line, one animated tab switch costs more than the tab.
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
        # Read by numpy when it is imported: nothing here multiplies matrices, and numpy would start a thread per core.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        sys.setswitchinterval(THREAD_SWITCH_SECONDS)
        self._over = threading.Event()

    def hold(self) -> None:
        """Block until the start is over; the loader calls it after its first state, which is drawn first."""
        self._over.wait()

    def end(self) -> None:
        """Report that the first screen is drawn or cannot be. May be called twice.

        Garbage is collected from `COLLECTION_DELAY_SECONDS` later on, or from now on without an event loop.
        """
        import asyncio  # imported by Textual

        self._over.set()
        try:
            asyncio.get_running_loop().call_later(COLLECTION_DELAY_SECONDS, _collect_garbage)
        except RuntimeError:
            _collect_garbage()


def _collect_garbage() -> None:
    """Collect garbage from now on, without the objects that exist: a collection of those would stop the UI."""
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()


def run(arguments: Namespace) -> int:
    """Run the dashboard until the user quits.

    Args:
        arguments: From `cli.options.dashboard.parse`.

    Returns:
        The exit code.
    """
    if reason := find_terminal_problem(os.environ, sys.__stdin__, sys.__stdout__, sys.__stderr__):
        return print_error(reason)
    return _show_demo(arguments) if arguments.demo else _show_logs(arguments)


def _show_demo(arguments: Namespace) -> int:
    from tbtui.cli.demo.process import Demo

    try:
        demo = Demo()
    except OSError as error:
        return print_error(f"no directory for the demo's logs can be created: {error.strerror}")
    with demo:
        code = _show([str(demo.directory)], "demo", arguments)
        if complaint := demo.get_complaint():
            print_error(f"the simulated training stopped: {complaint}")
        return code


def _show_logs(arguments: Namespace) -> int:
    paths = arguments.paths or [os.curdir]
    return _show(paths, " ".join(paths), arguments)


def _show(paths: Sequence[str], label: str, arguments: Namespace) -> int:
    """Read the first of `paths` while the app is created, and the others once it is drawn."""
    startup = Startup()
    from tbtui.charts.text import set_root_label
    from tbtui.loading.loader import Loader
    from tbtui.loading.sources import SourceError, get_root_label, parse_sources

    try:
        sources = parse_sources(paths)
        set_root_label(get_root_label(sources))
        loader = Loader(
            sources,
            reload_seconds=arguments.reload,
            indexes=None if arguments.demo else open_run_cache(arguments),
            jobs=arguments.jobs,
            on_change=startup.hold,
        )
    except SourceError as error:
        return print_error(str(error))
    broken = ThreadErrors()
    loader.start()
    try:
        from tbtui.paths import get_keys_path
        from tbtui.plugins.registry import list_plugin_settings
        from tbtui.settings.persistence import SettingsFile

        saved = None if arguments.demo else SettingsFile.of_paths(paths, list_plugin_settings())
        app = _create_app(loader, label, arguments, saved)
        if isinstance(app, str):
            return print_error(app)
        if not arguments.demo:
            app.paths = tuple(paths)
            app.keys_path = get_keys_path()
        from tbtui.cli.session import run_app

        return run_app(app, begun=startup.end, is_drawn=lambda: app.has_drawn, broken=broken, titled=arguments.alert)
    finally:
        startup.end()
        loader.stop()


def _create_app(loader: Loader, label: str, arguments: Namespace, saved: SettingsFile | None) -> Dashboard | str:
    """Return the app, or the reason why it cannot be created. Names of tab and theme are completed in `arguments`."""
    from tbtui.app.app import Dashboard
    from tbtui.settings.persistence import SavedState

    try:
        _complete_names(arguments)
    except ValueError as error:
        return str(error)
    saved_state = SavedState() if saved is None or arguments.fresh else saved.load()
    return Dashboard(
        loader,
        label=label,
        settings=_override_settings(saved_state.settings, arguments),
        theme=arguments.theme,
        saved=saved,
        saved_state=saved_state,
        alert=arguments.alert,
    )


def _complete_names(arguments: Namespace) -> None:
    """Complete abbreviated names in `--tab` and `--theme`.

    Raises:
        ValueError: There is no such name, or there are several; the message lists them.
    """
    from tbtui.cli.arguments import complete_name

    if arguments.tab is not None:
        from tbtui.plugins.registry import list_tabs, list_titles

        names = {plugin.name: plugin.name for plugin in list_tabs()}
        arguments.tab = complete_name("dashboard", arguments.tab, names | list_titles())
    if arguments.theme is not None:
        from tbtui.app.theme_names import list_theme_names

        arguments.theme = complete_name("theme", arguments.theme, {name: name for name in list_theme_names()})


def _override_settings(saved_settings: Settings, arguments: Namespace) -> Settings:
    """Return the settings of the session: the stored ones, overridden by the options."""
    from tbtui.cli.options.dashboard import list_option_settings
    from tbtui.cli.options.parser import get_option_name
    from tbtui.settings.declaration import apply_entries
    from tbtui.view.changes import with_x_axis, with_x_tag

    declared_options = list_option_settings()
    overrides = {
        "run_filter": arguments.runs,
        "tag_filter": arguments.tags,
        **{declared.name: getattr(arguments, get_option_name(declared), None) for declared in declared_options},
    }
    x_axis, x_tag = overrides.pop("x_axis"), overrides.pop("x_tag")
    overridden = {name: value for name, value in overrides.items() if value is not None}
    begun = apply_entries(saved_settings, overridden, (each for each in declared_options if not each.is_field))
    is_other = x_axis is not None and x_axis != saved_settings.x_axis
    begun = with_x_axis(begun, x_axis) if is_other else begun
    return begun if x_tag is None else with_x_axis(with_x_tag(begun, x_tag), "tag" if x_tag else "step")
