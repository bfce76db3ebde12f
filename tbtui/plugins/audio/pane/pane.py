"""The pane of the Audio tab: a grid of sounds, and one of them in full size."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.text import safe
from tbtui.export.output import OutputError
from tbtui.loading.payloads import Payloads
from tbtui.plugins.audio.decode import WAV
from tbtui.plugins.audio.labels import format_decode_error, format_settings_label
from tbtui.plugins.audio.painter import AudioPainter, OpenedSound, ShownSound, find_sound_at_cursor
from tbtui.plugins.audio.pane import forms as pane_forms
from tbtui.plugins.audio.pane.forms import format_about_lines, write_fields, write_sound
from tbtui.plugins.audio.pane.player import (
    NoPlayerError,
    Playback,
    choose_file_suffix,
    describe_machine,
    find_player,
    write_temp_file,
)
from tbtui.plugins.audio.read import SoundCache, SoundReadError
from tbtui.plugins.audio.settings import PLAYER, SETTINGS, STEP_ROWS, STYLE
from tbtui.plugins.sample_cards import SOUNDS, SampleCards, ShownSampleCards
from tbtui.settings.chart_navigation import find_cursor_stops, move_step
from tbtui.settings.settings import FULL_RANGE
from tbtui.widgets.card_frames import PlottedChart
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.charts_pane import ChartsPane, PreparedView
from tbtui.widgets.plot_view import Pointed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tbtui.plugins.audio.pane.player import Machine, Player
    from tbtui.plugins.audio.read import LoadedSound
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field

Prepared = TypeVar("Prepared")


class SoundView(ChartView):
    """Show one sound in full size; a click on the bar, or a drag along it, selects a step."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for `stretch` too: no second sound is shown beside it."""
        return action != "stretch" and super().check_action(action, parameters)

    def pointed(self, column: int, row: int) -> Pointed | None:
        """Return the position under the mouse: on the bar of steps, or on the picture above it."""
        opened = self._opened
        bar = opened.bar if isinstance(opened, OpenedSound) else None
        if opened is None or bar is None or row != bar.top:
            return super().pointed(column, row)
        return Pointed(PlottedChart(opened.key, bar, find_cursor_stops(bar, opened.stops), slides=True), column, row)


class AudioPane(ChartsPane[SampleCards]):
    """Show one card for each tag, run and sound.

    Args:
        payloads: Reader of values; shared by all panes of an app.
        machine: Returns the machine whose players are looked up when a sound is played.
    """

    MOVED = staticmethod(move_step)
    VIEW = SoundView

    UNUSED = frozenset({"next_y_scale", "smooth", "next_own_y_scale", "next_x_scale", "link"})
    RUN_TABLE = False
    BINDING_GROUP_TITLE = "Charts"
    GROUPED = "audio"
    SETTINGS = SETTINGS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "next_audio_look", "view", id="audio.look", tooltip="waveform or spectrogram"),
        Binding("P", "play", "play", id="audio.play", tooltip="play, or stop"),
        Binding("B", "switch_step_rows", show=False, id="audio.rows", tooltip="rows of the table"),
        Binding("o", "options", "options", show=False, id="audio.options", tooltip="options of all sounds"),
        Binding("e", "edit_chart", "part", show=False, id="audio.part", tooltip="part of this sound"),
        Binding("i", "about", "about", show=False, id="audio.about", tooltip="about this sound"),
        Binding("w", "write", "write", show=False, id="audio.write", tooltip="write it to a file"),
    ]

    class Ended(Message):
        """The player has ended by itself."""

        def __init__(self, complaint: str) -> None:
            super().__init__()
            self.complaint = complaint
            """First line that the player wrote to standard error; empty after success."""

    def __init__(self, payloads: Payloads | None = None, machine: Callable[[], Machine] = describe_machine) -> None:
        payloads = payloads or Payloads()
        super().__init__(payloads)
        self._cards = ShownSampleCards(SOUNDS)
        self._sounds = SoundCache(payloads)
        self._machine = machine
        self.playing = Playback(lambda complaint: self.post_message(self.Ended(complaint)))

    def prepare_cards(self, view: View) -> PreparedView[SampleCards]:
        # No card is small here, whatever was chosen of other tabs.
        cards = self._cards.of(replace(view, settings=replace(view.settings, overview=False)))
        return PreparedView(view, cards, AudioPainter(self._sounds, view, cards))

    def status(self) -> str:
        view = self.view
        return "" if view is None else format_settings_label(view.settings, self.opened.key)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in self.UNUSED and super().check_action(action, parameters)

    @property
    def zoomed(self) -> bool:
        key, view = self.chart_key, self.view
        return key is not None and view is not None and view.settings.chart(key).y_range != FULL_RANGE

    def on_unmount(self) -> None:
        """Stop the player."""
        self.playing.stop()

    # Keys

    def action_fit(self) -> None:
        if self.chart_key is not None:
            self.change(partial(pane_forms.show_all, key=self.chart_key))

    def action_next_audio_look(self) -> None:
        """Switch between waveform and spectrogram."""
        self.change(STYLE.next)

    def action_switch_step_rows(self) -> None:
        """Switch the table of an opened sound between rows of steps and rows of runs."""
        self.change(STEP_ROWS.next)

    def action_options(self) -> None:
        """Set the options of all sounds."""
        if self.shown is not None:
            self.open_options_form("sounds", pane_forms.build_options_fields(self.shown.view.settings), self.SETTINGS)

    def action_edit_chart(self) -> None:
        """Set the visible part of a sound."""
        key = self.chart_key
        if self.shown is not None and key is not None and key in self.shown.cards.samples:

            def apply(entered: dict[str, Any]) -> None:
                self.change(partial(pane_forms.with_time, key=key, entered=entered))

            title = f"part of {self.shown.cards.title_of(key)} of {self.shown.cards.samples[key].run}"
            fields = pane_forms.time_fields(self.shown.view.settings, key)
            self.open_form(title, fields, pane_forms.check_time, apply, live=apply)

    def action_about(self) -> None:
        """Show the details of a sound."""
        key = self.chart_key
        if self.shown is not None and key is not None and key in self.shown.cards.samples:
            view, sample = self.shown.view, self.shown.cards.samples[key]
            title = f"about {self.shown.cards.title_of(key)} of {sample.run}"
            self.open_page(title, lambda: format_about_lines(self._sounds, view, sample))

    def action_write(self) -> None:
        """Write the shown sound to a file."""
        self._with_sound(
            "write",
            lambda _, shown_sound, sound: (shown_sound, sound, write_fields(sound, shown_sound.sample)),
            self._ask_file,
        )

    def _ask_file(self, request: tuple[ShownSound, LoadedSound, Sequence[Field]]) -> None:
        shown_sound, sound, fields = request
        title = f"write {shown_sound.title}, {shown_sound.stop.label}"
        self.open_form(title, fields, partial(write_sound, sound), self._notify_written, slow=True)

    def _notify_written(self, path: Path) -> None:
        self.notify(safe(str(path)), title="written", markup=False)

    def _with_sound(
        self, kind: str, prepare: Callable[[View, ShownSound, LoadedSound], Prepared], then: Callable[[Prepared], None]
    ) -> None:
        """Read the sound that the card shows, on the worker thread.

        Args:
            kind: Kind of the request.
            prepare: Returns the result for `then`; called on the worker thread.
            then: Callback with the result of `prepare`.
        """
        key, shown = self.chart_key, self.shown
        if shown is None or key is None or key not in shown.cards.samples:
            return
        view, sample = shown.view, shown.cards.samples[key]

        def work() -> Iterator[Prepared]:
            shown_sound = find_sound_at_cursor(self._sounds, view, sample)
            if shown_sound.sound is None:
                raise SoundReadError(shown_sound.why)
            yield prepare(view, shown_sound, shown_sound.sound)

        self.worker.ask(kind, work, then, self._notify_error)

    def _notify_error(self, error: Exception) -> None:
        message = str(error) if isinstance(error, OutputError) else format_decode_error(error)
        self.notify(safe(message), severity="warning", markup=False)

    # Playing

    def action_play(self) -> None:
        """Play the shown sound, or stop the player."""
        if self.playing.stop():
            self.notify("stopped", markup=False)
        else:
            self._with_sound("play", self._prepare_player, self._play)

    def _prepare_player(
        self, view: View, shown_sound: ShownSound, sound: LoadedSound
    ) -> tuple[str, Path, Player | str]:
        """Return the title of a sound, its file, and its player or the reason why there is none."""
        data, step = sound.data, shown_sound.stop.step
        path = write_temp_file(data, step)
        try:
            player: Player | str = find_player(
                self._machine(), PLAYER.value(view.settings), is_wav=choose_file_suffix(data) == WAV.ending
            )
        except NoPlayerError as error:
            player = str(error)
        return f"{shown_sound.title}, step {step}", path, player

    def _play(self, prepared: tuple[str, Path, Player | str]) -> None:
        title, path, player = prepared
        if isinstance(player, str):
            self.notify(
                safe(f"{player}: the sound is in {path} (scp HOST:{path} .)"),
                title="not played",
                timeout=20,
                markup=False,
            )
            return
        try:
            self.playing.start(player.command(str(path)))
        except OSError as error:
            why = f"{player.name} cannot be run: {error.strerror}"
            self.notify(
                safe(f"{why}: the sound is in {path} (scp HOST:{path} .)"), title="not played", timeout=20, markup=False
            )
        else:
            self.notify(safe(f"{title}, by {player.name}; P stops it"), title="playing", markup=False)

    def on_audio_pane_ended(self, message: Ended) -> None:
        """Show what the player complained of, if anything."""
        message.stop()
        if message.complaint:
            self.notify(safe(message.complaint), title="the player stopped", severity="warning", markup=False)
