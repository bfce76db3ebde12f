"""Options of a print, what one print keeps for the next, and the selection of tags, runs and points."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from tbtui.charts.numbers import counted
from tbtui.charts.text import ELLIPSIS, cell_width, safe, visible_name
from tbtui.frozen import frozen
from tbtui.report.blocks import Notes
from tbtui.view.cards import ShownTags
from tbtui.view.descriptions import left_out_text

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
"""Symbols of runs where colours do not distinguish them; every encoding has them."""

MAX_CHARTS, MAX_RUNS = 8, 12
"""Default maximum of charts in a print, and of runs in each chart."""

MAX_ROWS = 60
"""Default maximum of rows in a table."""

_Object = TypeVar("_Object")


class RunLetters:
    """Assign one letter to each run, the same in all charts and frames while letters last."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def reserve(self, runs: Sequence[str]) -> None:
        """Assign letters to these runs in their order, if there are enough letters for all of them."""
        if len(runs) <= len(LETTERS):
            self.of(runs)

    def of(self, runs: Iterable[str]) -> Mapping[str, str]:
        """Return the letters of some runs; two runs share one only if there are more runs than letters."""
        found: dict[str, str] = {}
        for run in runs:
            if run not in found:
                letter = self._known.setdefault(run, LETTERS[len(self._known) % len(LETTERS)])
                free = letter if letter not in found.values() else self._free(found)
                found[run] = free
        return found

    @staticmethod
    def _free(letters: Mapping[str, str]) -> str:
        return next((letter for letter in LETTERS if letter not in letters.values()), "*")


class PrintCache:
    """Readers and models that are created when first needed and kept from frame to frame."""

    def __init__(self) -> None:
        self._models: dict[type, object] = {}
        self._readers: dict[object, object] = {}

    @cached_property
    def payloads(self) -> Payloads:
        """Reader of values that are in files."""
        from tbtui.loading.payloads import Payloads

        return Payloads()

    def reader(self, kind: Callable[[Payloads], _Object]) -> _Object:
        """Return the one reader of a class whose constructor takes `payloads`."""
        reader = self._readers.get(kind)
        if reader is None:
            reader = self._readers[kind] = kind(self.payloads)
        return cast("_Object", reader)

    def instance(self, kind: type[_Object]) -> _Object:
        """Return the one object of a class that a plugin keeps, such as `ScalarData`."""
        model = self._models.get(kind)
        if not isinstance(model, kind):
            model = self._models[kind] = kind()
        return model


@frozen
class PrintOptions:
    """Options of one print, next to the settings of the view."""

    target: OutputTarget
    height: int
    """Rows of each chart."""

    max_tags: int | None = None
    """Maximum number of tags; None: a default that suits the kind of data, 0: no limit; also of `max_runs`."""

    max_runs: int | None = None
    step: int | None = None
    """Step of the values where one is shown; None: the last."""

    rows: int | None = None
    """Rows of an outline, set by the option of the chart height; None: a default."""

    letters: RunLetters = field(default_factory=RunLetters)

    cache: PrintCache = field(default_factory=PrintCache)

    def resized(self, target: OutputTarget, height: int) -> PrintOptions:
        """Return these options for another target or chart height."""
        return replace(self, target=target, height=height)

    def tags(self, available: int, default: int = MAX_CHARTS) -> int:
        """Return how many of the available tags are shown."""
        return _limited(available, self.max_tags, default)

    def runs(self, available: int, default: int = MAX_RUNS) -> int:
        """Return how many of the available runs are shown."""
        return _limited(available, self.max_runs, default)

    def point(self, series: Series) -> int:
        """Return the index of the point that `nearest` selects."""
        return self.nearest(series.steps)

    def nearest(self, steps: npt.NDArray[np.int64]) -> int:
        """Return the index of the step that is nearest to the selected one; the later of two equally near."""
        if self.step is None or len(steps) == 1:
            return len(steps) - 1
        apart = abs(steps.astype(float) - self.step)
        return int((apart == apart.min()).nonzero()[0][-1])

    def nearest_note(self, steps: Iterable[int]) -> tuple[str, ...]:
        """Return a line that reports that some shown steps are not the selected one; empty if all are."""
        if self.step is None or all(step == self.step for step in steps):
            return ()
        return (f"where nothing is at step {self.step} the nearest is shown",)


def _limited(available: int, limit: int | None, default: int) -> int:
    return available if limit == 0 else min(available, default if limit is None else limit)


def left_out_note(names: Sequence[str], shown: int, noun: str, width: int) -> str:
    """Return `5 more tags: a, b, c, … (--max-tags 0: all; --tags REGEX)`; empty if none is left out.

    Args:
        names: All names, those that are shown first.
        shown: Number of names that are shown.
        noun: What one of them is: `tag` or `run`.
        width: Columns for the names together.
    """
    missing = names[shown:]
    if not missing:
        return ""
    if set(missing) <= set(names[:shown]):  # several values of a run
        return f"{counted(len(missing), 'more value')} (--max-{noun}s 0: all)"
    listed: list[str] = []
    for name in missing:
        listed.append(safe(visible_name(name)))
        if cell_width(", ".join(listed)) > width:
            listed[-1] = ELLIPSIS
            break
    option = f"--max-{noun}s 0: all, --{noun}s REGEX: which"
    return f"{counted(len(missing), f'more {noun}')}: {', '.join(listed)} ({option})"


# Values that are in files: one point of each tag and run


@frozen(eq=False)
class ChosenPoint:
    """One point of one run whose value is in a file; it is read when it is printed."""

    run: RunSnapshot
    ink: int
    series: ReferenceSeries
    """Without superseded points unless the settings ask for them."""

    point: int
    selected_step: int | None = None
    """The selected step; None: the last."""

    position: tuple[int, int] = (1, 1)
    """Number of the value among those of its step that are printed, from 1, and how many they are."""

    left_out: str = ""
    """Superseded points that are not printed: `4 more at this step`."""

    @property
    def step(self) -> int:
        """Step of the point."""
        return int(self.series.steps[self.point])

    @property
    def note(self) -> str:
        """Run and step, safe for a terminal."""
        return point_label(self.run.name, self.step, self.selected_step, position=self.position)

    @property
    def note_of_all(self) -> str:
        """Run and step, the number of steps if there are several, and what is left out."""
        label = point_label(self.run.name, self.step, self.selected_step, len(self.series), self.position)
        return f"{label} · {self.left_out} (--superseded)" if self.left_out else label


def point_label(
    run: str, step: int, selected_step: int | None, steps: int = 1, position: tuple[int, int] = (1, 1)
) -> str:
    """Return `adam/seed0 · step 7, the nearest to 8 (3 steps in all)`, safe for a terminal.

    Args:
        run: Name of the run.
        step: Step of the value that is shown.
        selected_step: The selected step; None: the last.
        steps: Number of steps, or of values if several are printed at one step; 1 is not mentioned.
        position: Number of the value among those of its step, and how many they are.
    """
    number, count = position
    several = f", {number:,} of {count:,}" if count > 1 else ""
    noun = "values" if count > 1 else "steps"
    nearest = "" if selected_step in (None, step) else f", the nearest to {selected_step}"
    return f"{safe(run)} · step {step}{several}{nearest}{f' ({steps:,} {noun} in all)' if steps > 1 else ''}"


def chosen_points(view: View, tag: str, plugin: str, options: PrintOptions) -> list[ChosenPoint]:
    """Return the points of one tag, in the order of the run tree; with superseded points all of the selected step."""
    return [point for run, series in view.references(tag, plugin) for point in _points_of(view, run, series, options)]


def _points_of(view: View, run: RunSnapshot, series: ReferenceSeries, options: PrintOptions) -> Iterator[ChosenPoint]:
    printed = series if view.settings.superseded else series.current
    last = options.point(printed)
    points = [*(printed.steps == printed.steps[last]).nonzero()[0].tolist()] if view.settings.superseded else [last]
    for number, point in enumerate(points, 1):
        left_out = left_out_text(series, int(printed.steps[point]), with_key=False) if printed is not series else ""
        yield ChosenPoint(run, view.inks[run.name], printed, point, options.step, (number, len(points)), left_out)


class HasRun(Protocol):
    """A value that belongs to one run."""

    @property
    def run(self) -> RunSnapshot:
        """The run."""


_HasRun = TypeVar("_HasRun", bound=HasRun)


def reference_blocks(
    view: View,
    options: PrintOptions,
    plugin: str,
    max_runs: int,
    blocks_of: Callable[[ChosenPoint, PrintOptions], Iterator[Block]],
) -> Iterator[Block]:
    """Yield the blocks of one point of each tag and run of a plugin, and notes on what is left out."""
    tags = ShownTags(plugin).of(view)
    yield from tag_blocks(tags, lambda tag: chosen_points(view, tag, plugin, options), options, max_runs, blocks_of)


def tag_blocks(
    tags: Sequence[str],
    values_of: Callable[[str], Sequence[_HasRun]],
    options: PrintOptions,
    max_runs: int,
    blocks_of: Callable[[_HasRun, PrintOptions], Iterator[Block]],
) -> Iterator[Block]:
    """Yield the blocks of each run of each tag, and notes on the tags and runs that are left out.

    Args:
        tags: All tags.
        values_of: Returns the values of a tag, one for each run.
        options: Options of the print.
        max_runs: Default maximum of runs for each tag.
        blocks_of: Yields the blocks of one value.
    """
    shown_tags = options.tags(len(tags))
    for tag in tags[:shown_tags]:
        values = values_of(tag)
        shown = options.runs(len(values), max_runs)
        for value in values[:shown]:
            yield from blocks_of(value, options)
        if note := left_out_note([value.run.name for value in values], shown, "run", options.target.width):
            yield Notes((note,))
    if note := left_out_note(tags, shown_tags, "tag", options.target.width):
        yield Notes((note,), apart=True)
