"""Options of a print, its cache, and the selection of tags, runs and points."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from tbtui.charts.numbers import format_count
from tbtui.charts.text import ELLIPSIS, cell_width, format_run_name, safe
from tbtui.frozen import frozen
from tbtui.report.blocks import Notes
from tbtui.view.cards import ShownTags
from tbtui.view.descriptions import format_left_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.report.blocks import Block
    from tbtui.report.terminal import OutputTarget
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, Series
    from tbtui.view.view import View

LETTERS = ascii_uppercase + ascii_lowercase + digits
"""Symbols of runs in prints without colours; every encoding has them."""

MAX_CHARTS, MAX_RUNS = 8, 12
"""Default maximum of charts in a print, and of runs in each chart."""

MAX_ROWS = 60
"""Default maximum of rows in a table."""

_Object = TypeVar("_Object")


class RunLetters:
    """Assign one letter to each run, the same in all charts and frames until all letters are used."""

    def __init__(self) -> None:
        self._letter_of_run: dict[str, str] = {}

    def reserve(self, runs: Sequence[str]) -> None:
        """Assign letters to these runs in their order, if there are enough letters for all of them."""
        if len(runs) <= len(LETTERS):
            self.of(runs)

    def of(self, runs: Iterable[str]) -> Mapping[str, str]:
        """Return the letters of some runs; two runs share one only if there are more runs than letters."""
        letters: dict[str, str] = {}
        for run in runs:
            if run not in letters:
                letter = self._letter_of_run.setdefault(run, LETTERS[len(self._letter_of_run) % len(LETTERS)])
                unique_letter = letter if letter not in letters.values() else self._free(letters)
                letters[run] = unique_letter
        return letters

    @staticmethod
    def _free(letters: Mapping[str, str]) -> str:
        return next((letter for letter in LETTERS if letter not in letters.values()), "*")


class PrintCache:
    """Readers and models that are created on first use and reused by the next frames."""

    def __init__(self) -> None:
        self._models: dict[type, object] = {}
        self._readers: dict[object, object] = {}

    @cached_property
    def payloads(self) -> Payloads:
        """Reader of values that are stored in files."""
        from tbtui.loading.payloads import Payloads

        return Payloads()

    def reader(self, kind: Callable[[Payloads], _Object]) -> _Object:
        """Return the cached reader of a class whose constructor takes `payloads`."""
        reader = self._readers.get(kind)
        if reader is None:
            reader = self._readers[kind] = kind(self.payloads)
        return cast("_Object", reader)

    def instance(self, kind: type[_Object]) -> _Object:
        """Return the cached instance of a class, such as `ScalarData`."""
        model = self._models.get(kind)
        if not isinstance(model, kind):
            model = self._models[kind] = kind()
        return model


@frozen
class PrintOptions:
    """Options of one print, in addition to the settings of the view."""

    target: OutputTarget
    height: int
    """Rows of each chart."""

    max_tags: int | None = None
    """Maximum number of tags; None: a default for the kind of data, 0: no limit."""

    max_runs: int | None = None
    """Maximum number of runs, with the same rules."""

    step: int | None = None
    """Step to show in prints of one step; None: the last."""

    rows: int | None = None
    """Rows of an outline, set by the option of the chart height; None: a default."""

    letters: RunLetters = field(default_factory=RunLetters)

    cache: PrintCache = field(default_factory=PrintCache)

    def with_size(self, target: OutputTarget, height: int) -> PrintOptions:
        """Return these options for another target or chart height."""
        return replace(self, target=target, height=height)

    def tags(self, available: int, default: int = MAX_CHARTS) -> int:
        """Return the number of tags to show."""
        return _limit(available, self.max_tags, default)

    def runs(self, available: int, default: int = MAX_RUNS) -> int:
        """Return the number of runs to show."""
        return _limit(available, self.max_runs, default)

    def point(self, series: Series) -> int:
        """Return the index of the point that `nearest` selects."""
        return self.nearest(series.steps)

    def nearest(self, steps: npt.NDArray[np.int64]) -> int:
        """Return the index of the step nearest to the selected one; the later of two equally near ones."""
        if self.step is None or len(steps) == 1:
            return len(steps) - 1
        distances = abs(steps.astype(float) - self.step)
        return int((distances == distances.min()).nonzero()[0][-1])

    def format_nearest_note(self, steps: Iterable[int]) -> tuple[str, ...]:
        """Return a line if some shown steps are not the selected one; otherwise empty."""
        if self.step is None or all(step == self.step for step in steps):
            return ()
        return (f"where nothing is at step {self.step} the nearest is shown",)


def _limit(available: int, limit: int | None, default: int) -> int:
    return available if limit == 0 else min(available, default if limit is None else limit)


def note_left_out(names: Sequence[str], shown: int, noun: str, width: int) -> str:
    """Return `5 more tags: a, b, c, … (--max-tags 0: all; --tags REGEX)`; empty if none is left out.

    Args:
        names: All names, the visible ones first.
        shown: Number of visible names.
        noun: Noun for one of them: `tag` or `run`.
        width: Columns for the names together.
    """
    omitted = names[shown:]
    if not omitted:
        return ""
    if set(omitted) <= set(names[:shown]):  # several values of a run
        return f"{format_count(len(omitted), 'more value')} (--max-{noun}s 0: all)"
    listed: list[str] = []
    for name in omitted:
        listed.append(safe(format_run_name(name)))
        if cell_width(", ".join(listed)) > width:
            listed[-1] = ELLIPSIS
            break
    option = f"--max-{noun}s 0: all, --{noun}s REGEX: which"
    return f"{format_count(len(omitted), f'more {noun}')}: {', '.join(listed)} ({option})"


@frozen(eq=False)
class ChosenPoint:
    """One point of one run whose value is stored in a file; it is read when it is printed."""

    run: RunSnapshot
    ink: int
    series: ReferenceSeries
    """Without superseded points unless the settings ask for them."""

    point: int
    selected_step: int | None = None
    """The selected step; None: the last."""

    position: tuple[int, int] = (1, 1)
    """Number of the value, from 1, among the printed values of its step, and the number of these values."""

    left_out: str = ""
    """Superseded points that are not printed: `4 more at this step`."""

    @property
    def step(self) -> int:
        """Step of the point."""
        return int(self.series.steps[self.point])

    @property
    def note(self) -> str:
        """Run and step, safe for a terminal."""
        return format_point_label(self.run.name, self.step, self.selected_step, position=self.position)

    @property
    def note_of_all(self) -> str:
        """Run and step, the number of steps if there are several, and the number of superseded points."""
        label = format_point_label(self.run.name, self.step, self.selected_step, len(self.series), self.position)
        return f"{label} · {self.left_out} (--superseded)" if self.left_out else label


def format_point_label(
    run: str, step: int, selected_step: int | None, steps: int = 1, position: tuple[int, int] = (1, 1)
) -> str:
    """Return `adam/seed0 · step 7, the nearest to 8 (3 steps in all)`, safe for a terminal.

    Args:
        run: Name of the run.
        step: Step of the visible value.
        selected_step: The selected step; None: the last.
        steps: Number of steps, or of values if several are printed at one step; 1 is not mentioned.
        position: Number of the value among those of its step, and the number of these values.
    """
    number, count = position
    several = f", {number:,} of {count:,}" if count > 1 else ""
    noun = "values" if count > 1 else "steps"
    nearest = "" if selected_step in (None, step) else f", the nearest to {selected_step}"
    return f"{safe(run)} · step {step}{several}{nearest}{f' ({steps:,} {noun} in all)' if steps > 1 else ''}"


def select_points(view: View, tag: str, plugin: str, options: PrintOptions) -> list[ChosenPoint]:
    """Return the points of one tag, in the order of the run tree.

    A run has one point, or all points of the selected step if superseded ones are shown.
    """
    return [point for run, series in view.references(tag, plugin) for point in _list_points(view, run, series, options)]


def _list_points(view: View, run: RunSnapshot, series: ReferenceSeries, options: PrintOptions) -> Iterator[ChosenPoint]:
    shown_series = series if view.settings.superseded else series.current
    last = options.point(shown_series)
    points = (
        [*(shown_series.steps == shown_series.steps[last]).nonzero()[0].tolist()]
        if view.settings.superseded
        else [last]
    )
    for number, point in enumerate(points, 1):
        left_out = (
            format_left_out(series, int(shown_series.steps[point]), with_key=False)
            if shown_series is not series
            else ""
        )
        yield ChosenPoint(run, view.inks[run.name], shown_series, point, options.step, (number, len(points)), left_out)


class HasRun(Protocol):
    """A value that belongs to one run."""

    @property
    def run(self) -> RunSnapshot:
        """The run."""


_HasRun = TypeVar("_HasRun", bound=HasRun)


def print_references(
    view: View,
    options: PrintOptions,
    plugin: str,
    max_runs: int,
    render: Callable[[ChosenPoint, PrintOptions], Iterator[Block]],
) -> Iterator[Block]:
    """Yield the blocks of one point of each tag and run of a plugin, and notes on what is left out."""
    tags = ShownTags(plugin).of(view)
    yield from print_tags(tags, lambda tag: select_points(view, tag, plugin, options), options, max_runs, render)


def print_tags(
    tags: Sequence[str],
    get_values: Callable[[str], Sequence[_HasRun]],
    options: PrintOptions,
    max_runs: int,
    render: Callable[[_HasRun, PrintOptions], Iterator[Block]],
) -> Iterator[Block]:
    """Yield the blocks of each run of each tag, and notes on the tags and runs that are left out.

    Args:
        tags: All tags.
        get_values: Returns the values of a tag, one per run.
        options: Options of the print.
        max_runs: Default maximum of runs for each tag.
        render: Yields the blocks of one value.
    """
    shown_tags = options.tags(len(tags))
    for tag in tags[:shown_tags]:
        values = get_values(tag)
        shown_runs = options.runs(len(values), max_runs)
        for value in values[:shown_runs]:
            yield from render(value, options)
        if note := note_left_out([value.run.name for value in values], shown_runs, "run", options.target.width):
            yield Notes((note,))
    if note := note_left_out(tags, shown_tags, "tag", options.target.width):
        yield Notes((note,), has_blank_line=True)
