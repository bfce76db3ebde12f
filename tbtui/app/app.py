"""The Textual app: global key bindings, overlays, and the wiring of loader, app state, main screen and saved settings.

`Dashboard` owns the user's settings. Each change of them, and each new state of the loader, is turned into one
`AppState`, which the main screen shows.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key as KeyPressed
from textual.events import MouseDown
from textual.filter import NoColor
from textual.message import Message

from tbtui.app.attributes import AttributeFinder, open_attribute_form
from tbtui.app.extra_files import FileSearch, TextFilePoller, UnshownData
from tbtui.app.follower import LoaderFollower
from tbtui.app.footer import EVERYWHERE
from tbtui.app.main_screen import MainScreen, SidebarChanged, TooSmallScreen
from tbtui.app.state import AppStateBuilder, create_session_clock
from tbtui.app.themes import THEMES, choose_default_theme, choose_initial_theme, choose_light_theme, query_background
from tbtui.charts.glyphs import build_glyph_table, choose_glyphs
from tbtui.charts.series_colours import count_distinct_colours
from tbtui.charts.text import safe
from tbtui.plugins.registry import find_value_problems
from tbtui.settings.persistence import SavedState, SettingsSaver
from tbtui.settings.settings import SCALES, next_in_cycle, next_smoothing
from tbtui.view.changes import next_x_axis, with_y_scale
from tbtui.view.run_names import RunColours
from tbtui.widgets.tab_strip import TAB_KEYS
from tbtui.widgets.textual_patches.fixed_colours import write_nearest_colours
from tbtui.widgets.textual_patches.input_queue import PatchedApp
from tbtui.widgets.textual_patches.screen_diff import DiffedApp
from tbtui.widgets.worker import call_on_daemon

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from textual import events
    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.notifications import Notify
    from textual.screen import Screen
    from textual.theme import Theme
    from textual.timer import Timer

    from tbtui.app.alerts import AlertDetector
    from tbtui.app.damage_screen import DamageScreen
    from tbtui.app.follower import FollowedLoader
    from tbtui.app.key_notices import MovedKeys
    from tbtui.app.palette import EntryGroup, GoTo
    from tbtui.app.run_list import RunList
    from tbtui.app.state import AppState
    from tbtui.app.status_line import StatusLine
    from tbtui.app.themes import BackgroundAnswered
    from tbtui.loading.sources import Source
    from tbtui.loading.state import LoadState
    from tbtui.plugins.base import Plugin
    from tbtui.settings.declaration import Setting
    from tbtui.settings.kinds import TextFile
    from tbtui.settings.persistence import SettingsFile, SidebarState
    from tbtui.settings.settings import Settings
    from tbtui.widgets.pane import AboutRunRequested, Choose, CopyRequested

ENDS_INTRODUCTION = frozenset({"enter", "tab", "slash"})
"""Keys after which the footer no longer shows the keys of a first start: they lead to a part with other keys."""

KEY_NOTICE_SECONDS = 20.0
"""Time for which a toast about keys stays."""

TEXT_FILE_SECONDS = 1.0
"""Period with which the files that options name are polled; without such an option no timer runs."""

MIN_REFRESH_SECONDS = 1.0
"""Shortest wait until displayed ages are refreshed: an age may be shown a moment too long."""

REFRESH_SHARE = 300
"""The wait is at least this many times what the last refresh took: the ages of thousands of runs that were written in
the same minute change one after the other.
"""


class AttributesRead(Message, bubble=False):
    """The thread that reads attributes of runs has results."""

    def can_replace(self, message: Message) -> bool:
        """Return True: one message fetches all results."""
        return isinstance(message, AttributesRead)


class Dashboard(PatchedApp[int], DiffedApp[int]):
    """Shows the runs of one log directory.

    Args:
        loader: Read from, never started or stopped.
        label: The log directory as the user wrote it.
        settings: Settings at the start. A value that differs from the saved one applies to this session, and is saved
            only after the user has changed it.
        theme: Name of the theme for this session; None: the saved theme, or the default.
        saved: File of the settings; None: they are not saved.
        saved_state: State that the last session saved.
        alert: Ring and set the terminal's title on events of a run.
        plugins: The plugins; None: all of the registry.
        clock: Returns seconds since the epoch; None: a `create_session_clock`.
    """

    TITLE = "tbtui"
    AUTO_FOCUS = None
    ALLOW_SELECT = False
    ENABLE_COMMAND_PALETTE = False

    CSS = """
    * { scrollbar-size-vertical: 1; }
    Input > .input--placeholder, Input > .input--suggestion { color: $foreground 62%; }
    Input:ansi > .input--placeholder, Input:ansi > .input--suggestion { color: ansi_default; text-style: dim; }
    """

    BINDING_GROUP_TITLE = EVERYWHERE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "next_x_axis", "axis", id="app.x_axis", tooltip="x axis"),
        Binding("plus,equals_sign", "smooth(1)", "smoother", show=False, id="app.smoother", tooltip="smooth more"),
        Binding("minus", "smooth(-1)", "rougher", show=False, id="app.rougher", tooltip="smooth less"),
        Binding("Y", "next_y_scale", "y scale", show=False, id="app.y_scale", tooltip="y scale"),
        *(
            Binding(key, f"open_tab({n})", show=False, id=f"app.tab_{n}", tooltip="open a tab")
            for n, key in enumerate(TAB_KEYS, 1)
        ),
        Binding("ctrl+left", "next_tab(-1)", show=False, id="app.tab_before", tooltip="previous tab"),
        Binding("ctrl+right", "next_tab(1)", show=False, id="app.tab_after", tooltip="next tab"),
        Binding("r", "reload", "reload", show=False, id="app.reload", tooltip="read new data now"),
        Binding("exclamation_mark", "show_damage", "damage", show=False, id="app.damage", tooltip="damaged files"),
        Binding("colon,ctrl+p", "command_palette", "commands", show=False, id="app.palette", tooltip="find a command"),
        Binding("ctrl+l", "redraw", "redraw", show=False, id="app.redraw", tooltip="redraw the screen"),
        Binding("ctrl+z", "suspend_process", "suspend", show=False, id="app.suspend", tooltip="suspend (fg to return)"),
        Binding("q", "close", "quit", id="app.quit", tooltip="close what is open, then quit"),
        Binding("ctrl+c", "quit", "quit", show=False, priority=True, id="app.interrupt", system=True),
        Binding("question_mark,f1", "help", "help", id="app.help", tooltip="this help"),
    ]

    def __init__(
        self,
        loader: FollowedLoader,
        *,
        label: str,
        settings: Settings,
        theme: str | None = None,
        saved: SettingsFile | None = None,
        saved_state: SavedState | None = None,
        alert: bool = False,
        plugins: Sequence[Plugin] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        super().__init__()
        if self.console.color_system == "256":
            write_nearest_colours()
        self.animation_level = "none"
        for known in THEMES:
            self.register_theme(known)
        saved_state = saved_state or SavedState()
        default = choose_default_theme(self.no_color, self.console.color_system)
        self.theme = choose_initial_theme(theme, saved_state.theme, self.available_themes, default)
        self._follows_background = theme is None and self.theme != saved_state.theme
        """True until the user chooses a theme: the default one fits the background of the terminal."""

        self.keys_path: Path | None = None
        """The file with the user's keys, which is read at the start if it exists; None: keys are not changed."""

        self.changed_keys: Mapping[str, str] = {}
        """Keys of that file, by the id of their binding."""

        self._moved_keys: MovedKeys | None = None
        """Announces keys that have moved since an older version; None: the user knows, or never had one."""

        self.settings = settings
        self._clock = clock or create_session_clock()
        self._loader = loader
        self.paths: tuple[str, ...] = ()
        """The paths of the command line, which the user may change; empty: they are fixed, as those of the demo."""

        self._load = loader.state
        self._follower = LoaderFollower(loader, self, self._show_load, self._prepare_load)
        self._colours = RunColours(saved_state.inks, _count_colours(self.current_theme))
        self._state_builder = AppStateBuilder(_load_plugins() if plugins is None else tuple(plugins), self._colours)
        self._alert_detector = _create_alert_detector() if alert else None
        self._damage_screen: DamageScreen | None = None
        """The screen with the damaged files while it is open."""

        self._refresh_timer: Timer | None = None
        self._reported_index_failure: str | None = None
        self._input_time = 0.0
        """Time of the last key or click, as `time.monotonic`."""

        self._unshown_data = UnshownData()
        self._file_search = FileSearch(self._state_builder, self._refresh_if_running)
        self._main_screen = MainScreen(label, saved_state.sidebar)
        self._attributes = AttributeFinder(
            _load_plugins() if plugins is None else tuple(plugins),
            lambda: self._main_screen.payloads,
            lambda: self.post_message(AttributesRead()),
            self.refresh_state,
        )
        declared = [setting for plugin in self._state_builder.plugins for setting in plugin.settings]
        self._text_files = TextFilePoller(declared, settings, self._accept_text_files)
        self._settings_saver = SettingsSaver(
            self.set_timer,
            saved,
            saved_state,
            settings,
            self.theme,
            collect=self._collect_settings,
            report_failure=self._report_save_failure,
        )

    # Overrides of Textual

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Keep the terminal's own colours under `NO_COLOR`.

        Textual chooses its filter before the theme is known. The filter for other themes would turn uncoloured cells
        black, background included.
        """
        return (NoColor(),) if self.no_color and self.native_ansi_color else super().get_line_filters()

    def get_driver_class(self) -> type[Driver]:
        """Return the system's driver; on Linux and macOS one that passes answers of the terminal on."""
        driver_class = super().get_driver_class()
        if driver_class.__name__ != "LinuxDriver":
            return driver_class
        from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver

        return PatchedLinuxDriver

    def get_default_screen(self) -> Screen[Any]:
        """Return the main screen."""
        return self._main_screen

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that have no effect on the open tab."""
        return action not in self._unused_actions

    def on_mount(self) -> None:
        """Start to follow the loader."""
        self._choose_glyphs()
        self._put_keys_first()
        self._query_background()
        self.theme_changed_signal.subscribe(self, self._adopt_theme)
        if self.keys_path is not None:
            self._read_keys(self.keys_path)
        self._follower.open()
        if self._text_files:
            self.set_interval(TEXT_FILE_SECONDS, self._poll_text_files)

    def _choose_glyphs(self) -> None:
        """Write in the glyphs that the user chose, or that the terminal is known to have."""
        from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver

        if isinstance(self._driver, PatchedLinuxDriver):
            self._driver.glyphs = build_glyph_table(choose_glyphs(self.settings.glyphs, os.environ))

    def _put_keys_first(self) -> None:
        """Make the loader pause while a key is answered."""
        from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver

        if isinstance(self._driver, PatchedLinuxDriver):
            self._driver.on_input = self._loader.make_way

    def _read_keys(self, path: Path) -> None:
        """Apply the keys that the user has changed; new users, and those of older versions, get one notice."""
        from tbtui.app.key_notices import introduce_keys

        if os.path.lexists(path):
            from tbtui.app.keys_file import read_keys_file

            keys_file = read_keys_file(path)
            self.changed_keys = keys_file.keymap
            self.set_keymap(dict(keys_file.keymap))
            if complaints := "\n".join(keys_file.complaints):
                self.notify(complaints, title="keys.conf", severity="warning", timeout=KEY_NOTICE_SECONDS)
        introduction = introduce_keys(path.parent, self.changed_keys)
        self._moved_keys = introduction.moved
        if introduction.is_first:
            self._main_screen.introduce_keys()
        if introduction.notice:
            self.notify(introduction.notice, timeout=KEY_NOTICE_SECONDS)

    def _query_background(self) -> None:
        from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver

        if isinstance(self._driver, PatchedLinuxDriver):
            query_background(self, self._driver)

    def on_background_answered(self, event: BackgroundAnswered) -> None:
        """Switch to the light theme on a light background, unless the user has chosen a theme meanwhile."""
        event.stop()
        if event.is_light and self._follows_background:
            theme = choose_light_theme(self.theme)
            self._settings_saver.adopt_theme(theme)
            self.theme = theme

    def on_unmount(self) -> None:
        """Save the user's settings."""
        self._follower.close()
        self._attributes.close()
        if self._moved_keys is not None:
            self._moved_keys.save()
        self._settings_saver.save()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the screen to the terminal; cover it with a message while the terminal is too small for a chart."""
        self._main_screen.fit_to(event.size)
        is_covered = isinstance(self.screen, TooSmallScreen)
        if is_covered == self._main_screen.fits:
            if is_covered:
                self.pop_screen()
            else:
                self.push_screen(TooSmallScreen())

    async def on_event(self, event: events.Event) -> None:
        """Keep the tabs at their places; announce the new key, once, if the user presses one of an older version."""
        is_first = not event.is_forwarded
        if isinstance(event, KeyPressed | MouseDown):
            self._state_builder.tab_order.keep()
            self._input_time = event.time
        await super().on_event(event)
        if not isinstance(event, KeyPressed) or not is_first:
            return
        if event.key in ENDS_INTRODUCTION:
            self._main_screen.end_introduction()
        moved = self._moved_keys
        if moved is None:
            return
        pane = self._main_screen.pane
        is_in_pane = pane is not None and (self.focused is None or self.focused in pane.walk_children(with_self=True))
        if self.screen is self._main_screen and is_in_pane:
            plugin = self.build_state().plugin
            if plugin is not None and (text := moved.announce(plugin.name, event.key)):
                self.notify(text)

    @property
    def has_drawn(self) -> bool:
        """True once the open tab shows what is known, or if there is nothing to draw."""
        return self._main_screen.has_drawn

    # Loader

    def build_state(self) -> AppState:
        """Compute the app state of now; parts that did not change are the same objects."""
        return self._state_builder.build(self._load, self.settings, self._clock(), self._attributes.find)

    def on_attributes_read(self) -> None:
        """Draw newer attributes of runs."""
        self._attributes.drain()

    def on_load_changed(self) -> None:
        """Draw the loader's new state, at once or a moment later."""
        self._follower.handle_change()

    def _prepare_load(self, load: LoadState) -> Future[None] | None:
        """Start to summarise the runs of a state on a thread, so that keys are answered meanwhile."""
        preparation = self._state_builder.prepare(load, self.settings)
        return None if preparation is None else call_on_daemon(preparation)

    def _show_load(self, load: LoadState) -> None:
        if load.index_failure not in (None, self._reported_index_failure):
            self._reported_index_failure = load.index_failure
            text = f"the cache cannot be written: {load.index_failure}"
            self.notify(text, severity="warning")
        self._load = load
        self._state_builder.record_arrival(load, self._clock())
        self.refresh_state()
        if self._damage_screen is not None:
            self._damage_screen.show_load(load)

    def _refresh_if_running(self) -> None:
        if self.is_running:
            self.refresh_state()

    def refresh_state(self) -> None:
        """Show the app state of now."""
        began = time.thread_time()
        state = self.build_state()
        self._main_screen.show_state(state)
        self._file_search.search_if_due(self._load, self.settings)
        if text := self._unshown_data.report(state):
            self.notify(text)
        if self._alert_detector is not None and (alerts := self._alert_detector.detect(state)):
            from tbtui.app.alerts import send_alerts

            send_alerts(alerts, self, self._driver)
        cost = time.thread_time() - began
        self._refresh_after(max(state.conditions.until - self._clock(), cost * REFRESH_SHARE))

    def _refresh_after(self, seconds: float) -> None:
        """Refresh when a displayed age expires. No timer ticks in between: an idle dashboard costs nothing."""
        if self._refresh_timer is not None:
            self._refresh_timer.stop()
        wait = max(seconds + 0.05, MIN_REFRESH_SECONDS)
        self._refresh_timer = self.set_timer(wait, self.refresh_state) if math.isfinite(wait) else None

    # Files that options name

    def _poll_text_files(self) -> None:
        """Read changed files again, if the logs are watched or polled."""
        if self._load.watching != "off":
            self._text_files.poll()

    def _accept_text_files(self, files: Mapping[Setting[Any], TextFile]) -> None:
        if not self.is_running:
            return
        for setting, file in files.items():
            before = setting.value(self.settings)
            self._apply(setting.with_value(self.settings, file))
            if file.problem and file.problem != before.problem:
                text = f"{safe(file.name)}: {safe(file.problem)}; its last good content is shown"
                self.notify(text, severity="warning", markup=False)

    # Choices

    def choose(self, **changes: Any) -> None:
        """Replace fields of `settings`, show the result at once and save it a little later."""
        self._apply(replace(self.settings, **changes))

    def _apply(self, chosen: Settings) -> None:
        if chosen != self.settings:
            before, self.settings = self.settings, chosen
            if chosen.glyphs != before.glyphs:
                self._choose_glyphs()
                self.action_redraw()
            self.refresh_state()
            if chosen.tab != before.tab:
                self.refresh_bindings()
            self._settings_saver.change_settings(before, chosen)

    def on_choose(self, event: Choose) -> None:
        """Apply the change that a widget requests."""
        event.stop()
        self._apply(event.of(self.settings))

    # Saved settings

    def on_sidebar_changed(self, event: SidebarChanged) -> None:
        """Save the state of the sidebar."""
        event.stop()
        self._settings_saver.schedule()

    def _adopt_theme(self, theme: Theme) -> None:
        self._follows_background = False
        self._settings_saver.change_theme(theme.name)
        colours = _count_colours(theme)
        if colours != self._colours.colours:
            self._colours.colours = colours
            self.refresh_state()

    def _collect_settings(self) -> tuple[Settings, SidebarState, Mapping[str, int]]:
        return self.settings, self._main_screen.sidebar_state, self._colours.final_numbers

    def _report_save_failure(self, error: str) -> None:
        self.notify(f"your settings cannot be saved: {error}", severity="warning")

    # Keys

    @property
    def _unused_actions(self) -> frozenset[str]:
        """Actions of the app that have no effect on the open tab."""
        pane = self._main_screen.pane
        return frozenset() if pane is None else pane.UNUSED

    def action_next_x_axis(self) -> None:
        """Switch to the next x axis."""
        self._apply(next_x_axis(self.settings))

    def action_smooth(self, steps: int) -> None:
        """Smooth more (positive `steps`) or less."""
        self.choose(smoothing=next_smoothing(self.settings.smoothing, steps))

    def action_next_y_scale(self) -> None:
        """Switch all charts to the next y scale."""
        self._apply(with_y_scale(self.settings, next_in_cycle(SCALES, self.settings.y_scale)))

    def action_open_tab(self, number: int) -> None:
        """Open the tab that had this number, from 1, when the key was read."""
        tab = self._main_screen.find_tab(number, self._input_time)
        if tab is not None:
            self.choose(tab=tab)

    def action_next_tab(self, step: int) -> None:
        """Open the tab `step` places further on; the first follows the last."""
        state = self.build_state()
        if state.plugin is not None:
            index = state.plugins.index(state.plugin) + step
            self.choose(tab=state.plugins[index % len(state.plugins)].name)

    def action_close(self) -> None:
        """Close what is opened over the cards; quit if nothing is."""
        if not self._main_screen.close_opened():
            self.exit()

    def action_reload(self) -> None:
        """Make the loader read new data now, and files that options name."""
        self._loader.wake()
        self._text_files.poll()

    def action_redraw(self) -> None:
        """Draw the whole screen again, for example after another program has written over it."""
        self.invalidate_screen()
        self.refresh(layout=True)

    # Requests about one run

    def on_run_list_colour_requested(self, event: RunList.ColourRequested) -> None:
        """Open the colour chooser."""
        from tbtui.app.colour_chooser import open_colour_chooser

        event.stop()
        view, save = self.build_state().view, self._settings_saver.schedule
        # Runs that were folded into others, or are gone, keep their inks, but are not listed.
        inks = {run: ink for run, ink in view.inks.items() if run in view.snapshot.runs}
        open_colour_chooser(self, event.title, event.runs, inks, self._set_colours, save, self._colours.colours)

    def on_run_list_attributes_requested(self, event: RunList.AttributesRequested) -> None:
        """Open the form that colours, averages and lists runs by attributes."""
        event.stop()
        if self._attributes.find(self._load.snapshot, self.settings, is_required=True) is None:
            self.notify("these runs have no hyperparameters")
        else:
            open_attribute_form(self, self.settings, self._attributes, lambda changes: self.choose(**changes))

    def _set_colours(self, inks: Mapping[str, int]) -> None:
        if any(self._colours.inks.get(run) != ink for run, ink in inks.items()):
            self._colours.set_inks(inks)
            self.refresh_state()

    def on_run_list_about_requested(self, event: RunList.AboutRequested) -> None:
        """Show the page of a run, which is read on a thread of its own."""
        event.stop()
        self._open_run_page(event.run)

    def _open_run_page(self, run: str) -> None:
        from tbtui.app.run_actions import open_run_page

        open_run_page(self, self.build_state(), run, self._main_screen.payloads)

    def on_about_run_requested(self, event: AboutRunRequested) -> None:
        """Show the page of a run of a table; an average is no run."""
        event.stop()
        if event.run in self._load.snapshot.runs:
            self._open_run_page(event.run)
        else:
            self.notify("this row is an average of runs: i in the list of runs shows the page of each")

    def on_copy_requested(self, event: CopyRequested) -> None:
        """Copy the directory of a run to the clipboard."""
        from tbtui.app.run_actions import copy_directory

        event.stop()
        copy_directory(self, self._load.snapshot, event.run)

    # Log directories

    def open_directories_form(self) -> None:
        """Open the dialog that adds and removes log directories."""
        from tbtui.app.log_directories import open_directories_form

        open_directories_form(self, self.paths, self._set_directories)

    def _set_directories(self, paths: tuple[str, ...], sources: tuple[Source, ...]) -> None:
        self.paths = paths
        self._main_screen.rename(" ".join(paths))
        self._loader.set_sources(sources)
        self.refresh_state()

    # Overlays

    def action_help(self) -> None:
        """Show the keys of the focused part."""
        from tbtui.app.help_screen import HelpScreen
        from tbtui.app.keymap import format_key_values, group_active_keys, group_keys

        screen = self._main_screen
        values = format_key_values(self.settings, sidebar_shown=screen.is_sidebar_shown)
        active_keys = group_active_keys(screen.active_bindings.items(), values)
        others = group_keys(screen.other_key_owners, values, self._unused_actions, self.changed_keys)
        self.push_screen(HelpScreen(screen.focus_title, active_keys, others, self.keys_path))

    def action_command_palette(self) -> None:
        """Open the palette: commands, tabs, tags, runs and themes."""
        from tbtui.app.palette import Palette

        self.push_screen(Palette(self.list_palette_entries()))

    def list_palette_entries(self) -> list[EntryGroup]:
        """Return all entries of the palette; the dialog of log directories has no key."""
        from tbtui.app.log_directories import COMMAND
        from tbtui.app.palette import Entry, EntryGroup, list_entries

        screen = self._main_screen
        focused_owners, other_owners = screen.focused_key_owners, screen.other_key_owners
        groups = list_entries(self, focused_owners, other_owners, self.build_state(), self.changed_keys)
        return [*groups, EntryGroup.of(Entry(COMMAND, self.open_directories_form))] if self.paths else groups

    def on_go_to(self, event: GoTo) -> None:
        """Show a run in its list, or the cards of a tag in its tab."""
        event.stop()
        if event.tab:
            self.choose(tab=event.tab)
        self._main_screen.go_to(run=event.run, tag=event.tag)

    def action_show_damage(self) -> None:
        """List the damaged files, and values that dashboards cannot use. The loader verifies checksums meanwhile."""
        from tbtui.app.damage_screen import open_damage_screen

        snapshot, settings, payloads = self._load.snapshot, self.settings, self._main_screen.payloads

        def end() -> None:
            self._damage_screen = None
            self._loader.verify(False)

        self._loader.verify(True)
        self._damage_screen = open_damage_screen(
            self, self._load, lambda: find_value_problems(snapshot, settings, payloads), end
        )

    def on_status_line_damage_requested(self, event: StatusLine.DamageRequested) -> None:
        """List the damaged files after a click on the notice."""
        event.stop()
        self.action_show_damage()

    # Toasts

    def notify(self, message: str, *, title: str = "", **options: Any) -> None:
        """Show a toast. Every message may quote data, so its lines are made safe and never parsed as markup."""
        super().notify("\n".join(map(safe, message.split("\n"))), title=safe(title), **{**options, "markup": False})

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        """Open a screen; notices that need no attention would cover it."""
        self._main_screen.end_introduction()
        for notification in tuple(self._notifications):
            if notification.severity == "information":
                self._unnotify(notification)
        return super().push_screen(screen, *arguments, **options)

    def on_notify(self, event: Notify) -> None:
        """Replace an equal toast: a key pressed five times would cover a small screen."""
        for earlier in tuple(self._notifications):
            if (earlier.message, earlier.title) == (event.notification.message, event.notification.title):
                del self._notifications[earlier]


def _count_colours(theme: Theme) -> int:
    """Return the number of different colours that runs have in a theme."""
    return count_distinct_colours(is_ansi=theme.ansi, dark=theme.dark)


def _load_plugins() -> tuple[Plugin, ...]:
    from tbtui.plugins.registry import list_tabs

    return list_tabs()


def _create_alert_detector() -> AlertDetector:
    from tbtui.app.alerts import AlertDetector

    return AlertDetector()
