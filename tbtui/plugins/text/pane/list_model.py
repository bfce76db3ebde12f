"""The texts of a view as a list. No file is read for it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.text import visible_name
from tbtui.frozen import frozen
from tbtui.plugins.text.read import TextPoint
from tbtui.store.snapshot import ReferenceSeries
from tbtui.view.comparison_target import choose_comparison_run, find_chosen_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tbtui.charts.styled_text import Row
    from tbtui.view.view import View

SeriesKey: TypeAlias = "tuple[str, str]"
"""Run and tag."""

PYTORCH_SUFFIX = "/text_summary"


class TextKey(NamedTuple):
    """The text that a row of the list shows."""

    run: str
    tag: str
    point: int | None
    """Index into the series; None for its newest text."""

    is_heading: bool = False


def heading_key(tag: str) -> str:
    """Return the key of the row of a tag."""
    return f"h{tag}"


def series_key(run: str, tag: str) -> str:
    """Return the key of the row of a tag of a run. The name of a run holds no null character."""
    return f"s{run}\0{tag}"


def point_key(run: str, tag: str, point: int) -> str:
    """Return the key of the row of one text."""
    return f"p{run}\0{point}\0{tag}"


@frozen(eq=False)
class TextListing:
    """The texts of one view."""

    view: View
    rows: tuple[Row, ...] = ()
    text_keys: Mapping[str, TextKey] = field(default_factory=dict)
    """Texts by the keys of their rows."""

    points: Mapping[SeriesKey, npt.NDArray[np.int64]] = field(default_factory=dict)
    """Listed points of each series, the newest first; none is empty."""

    tags: int = 0

    def texts(self) -> int:
        """Return the number of texts."""
        return sum(map(len, self.points.values()))

    def is_unfolded(self, series: SeriesKey) -> bool:
        """Return True if the texts of a series are listed one by one."""
        return any(text_key[:2] == series and text_key.point is not None for text_key in self.text_keys.values())

    def at(self, text_key: TextKey) -> TextPoint | None:
        """Return a text; None if it is not listed."""
        points = self.points.get((text_key.run, text_key.tag))
        if points is None:
            return None
        return self._text(text_key, int(points[0]) if text_key.point is None else text_key.point)

    def neighbour(self, text: TextPoint, older: int) -> TextKey | None:
        """Return the text of the same series that is `older` texts older; None if there is none."""
        points = self.points.get((text.run.name, text.series.tag))
        if points is None:
            return None
        indices = np.flatnonzero(points == text.point)
        index = int(indices[0]) + older if len(indices) else 0
        return TextKey(text.run.name, text.series.tag, int(points[index])) if 0 <= index < len(points) else None

    def partner(self, text: TextPoint) -> TextKey | None:
        """Return the text that a text is compared with unless another is marked; None if its tag has no other."""
        run, tag, settings = text.run.name, text.series.tag, self.view.settings
        holders = [name for name, other_tag in self.points if other_tag == tag]
        if (chosen := find_chosen_run(run, holders, settings)) is not None:
            return self._at_step(chosen, text)
        if (older := self.neighbour(text, 1)) is not None:
            return older
        other = choose_comparison_run(run, holders, settings)
        return self.neighbour(text, -1) if other is None else self._at_step(other, text)

    def _at_step(self, run: str, text: TextPoint) -> TextKey | None:
        """Return the text of another run at the same step, else at the nearest one."""
        tag = text.series.tag
        points, snapshot = self.points[run, tag], self.view.snapshot.runs.get(run)
        series = None if snapshot is None else snapshot.series.get(tag)
        if not isinstance(series, ReferenceSeries) or int(points.max()) >= len(series):
            return None
        distances = np.abs(series.steps[points] - text.step)
        return TextKey(run, tag, int(points[int(distances.argmin())]))

    def find(self, text: TextPoint) -> TextPoint | None:
        """Return a text of an earlier view as this view has it; None if it is not listed any more."""
        points = self.points.get((text.run.name, text.series.tag))
        if points is None or text.point not in points:
            return None
        moved = self._text(TextKey(text.run.name, text.series.tag, text.point), text.point)
        return moved if moved is not None and moved.identity == text.identity else None

    def _text(self, text_key: TextKey, point: int) -> TextPoint | None:
        run = self.view.snapshot.runs.get(text_key.run)
        series = None if run is None else run.series.get(text_key.tag)
        if run is None or not isinstance(series, ReferenceSeries) or point >= len(series):
            return None
        return TextPoint(run, series, point)


def text_title(tag: str) -> str:
    """Return the title of a tag without the suffix that PyTorch and tensorboardX append."""
    return visible_name(tag.removesuffix(PYTORCH_SUFFIX) or tag)
