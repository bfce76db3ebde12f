"""Write histograms into event files, and open both tabs on them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms.pane.pane import HistogramsPane
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import FILE, START
from tests.helpers.pane_app import PaneApp

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.widgets.charts_pane import ChartsPane

NORMAL = np.array(
    [-2.0, -1.0, -1.0, -0.5, -0.5, -0.5, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 3.0]
)
"""A few numbers of which most are near zero."""


class HistogramLogs(LoadedLogs):
    """Writes histograms into event files below a directory, and loads them."""

    @contextmanager
    def writer(self, run: str, file: str = FILE) -> Iterator[EventFileWriter]:
        """Appends to a file of a run."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START, like_pytorch=True) as writer:
            yield writer

    def add(self, run: str, tags: Mapping[str, Mapping[int, Any]], *, file: str = FILE, start: float = START) -> None:
        """Append to a run: of each tag, step to numbers, or to a value that stands there in place of a histogram.

        Numbers in one row are values that PyTorch makes a histogram of; in rows of three, buckets of TensorFlow 2.
        """
        with self.writer(run, file) as writer:
            for tag, steps in tags.items():
                for step, held in steps.items():
                    event = get_message_class("Event")(wall_time=start + step, step=step)
                    if isinstance(held, (np.ndarray, list)) and np.ndim(held) == 1:
                        writer.histogram(tag, held, step, start + step)
                        continue
                    event.summary.value.append(value_of(tag, held))
                    writer.event(event)

    def app(self, pane: ChartsPane[Any] | None = None, **settings: Any) -> PaneApp:
        """The tab that shows it."""
        return PaneApp(pane or HistogramsPane(Payloads()), self.load(), **settings)


def value_of(tag: str, held: Any) -> Any:
    """A `SummaryValue` with a tensor of these numbers, or as it is."""
    if not isinstance(held, (np.ndarray, list)):
        held.tag = tag
        return held
    value = get_message_class("SummaryValue")(tag=tag, tensor=make_tensor(np.asarray(held, np.float64)))
    value.metadata.plugin_data.plugin_name = "histograms"
    return value


def described(rows: npt.ArrayLike, name: str = "", description: str = "") -> Any:
    """Buckets as the first value of a tag that says more of itself."""
    value = value_of("", np.asarray(rows, np.float64))
    value.metadata.display_name, value.metadata.summary_description = name, description
    return value


def old(limits: Sequence[float], counts: Sequence[float], least: float, greatest: float, **told: float) -> Any:
    """A histogram by the limits of its buckets, as writers before TensorFlow 2 put it."""
    value = get_message_class("SummaryValue")()
    value.histo.min, value.histo.max, value.histo.num = least, greatest, told.get("num", sum(counts))
    value.histo.sum, value.histo.sum_squares = told.get("sum", 0.0), told.get("squares", 0.0)
    value.histo.bucket_limit.extend(limits)
    value.histo.bucket.extend(counts)
    return value


def rows(*buckets: tuple[float, float, float]) -> npt.NDArray[np.float64]:
    """Left edge, right edge and count of each bucket."""
    return np.array(buckets, np.float64).reshape(-1, 3)


def growing(steps: int, scale: float = 0.1, values: npt.NDArray[np.float64] = NORMAL) -> dict[int, Any]:
    """Step to numbers that spread out while a training goes on, ten steps apart."""
    return {10 * step: values * (scale * (1 + step)) for step in range(steps)}
