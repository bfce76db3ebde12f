"""tbtui: everything a TensorBoard log directory holds, in a terminal, live, over SSH.

In Python: `tbtui.open("logs/")["run"].scalars("loss").values`.
"""

from __future__ import annotations

# As of `typing`, which takes longer to import than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tbtui.api.errors import (
        LeftOutWarning,
        PathError,
        PatternError,
        PayloadError,
        UnknownRunError,
        UnknownStepError,
        UnknownTagError,
    )
    from tbtui.api.logs import Logs, ManyScalars, PathLike
    from tbtui.api.lookup import Pattern
    from tbtui.api.run import Run
    from tbtui.api.scalars import ScalarPoint, Scalars
    from tbtui.api.values import Tensor, Tensors
    from tbtui.plugins.audio.values import Sound, Sounds
    from tbtui.plugins.graphs.values import Graph, Graphs
    from tbtui.plugins.histograms.values import Histogram, Histograms
    from tbtui.plugins.images.values import Image, Images
    from tbtui.plugins.pr_curves.values import PrCurve, PrCurves
    from tbtui.plugins.text.values import Text, Texts

__version__ = "0.1.0"

__all__ = [
    "Graph",
    "Graphs",
    "Histogram",
    "Histograms",
    "Image",
    "Images",
    "LeftOutWarning",
    "Logs",
    "ManyScalars",
    "PathError",
    "PatternError",
    "PayloadError",
    "PrCurve",
    "PrCurves",
    "Run",
    "ScalarPoint",
    "Scalars",
    "Sound",
    "Sounds",
    "Tensor",
    "Tensors",
    "Text",
    "Texts",
    "UnknownRunError",
    "UnknownStepError",
    "UnknownTagError",
    "__version__",
    "open",
]

_EXPORTS = {
    "api.errors": (
        "LeftOutWarning",
        "PathError",
        "PatternError",
        "PayloadError",
        "UnknownRunError",
        "UnknownStepError",
        "UnknownTagError",
    ),
    "plugins.graphs.values": ("Graph", "Graphs"),
    "plugins.histograms.values": ("Histogram", "Histograms"),
    "plugins.images.values": ("Image", "Images"),
    "api.logs": ("Logs", "ManyScalars"),
    "plugins.pr_curves.values": ("PrCurve", "PrCurves"),
    "api.run": ("Run",),
    "api.scalars": ("ScalarPoint", "Scalars"),
    "plugins.audio.values": ("Sound", "Sounds"),
    "api.values": ("Tensor", "Tensors"),
    "plugins.text.values": ("Text", "Texts"),
}
"""Module of each public name; it is imported when the name is first used."""

_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}


def open(  # noqa: A001 - as it is called: tbtui.open
    *paths: PathLike | Iterable[PathLike], runs: Pattern = None, cache: bool = True, jobs: int | None = None
) -> Logs:
    """Open log directories, which reads no more than the names in them.

    Args:
        paths: What the command line takes: directories, event files, globs, `NAME:PATH` with any of them, and lists of
            these; none at all means the current directory.
        runs: Only runs whose names a regular expression finds something in, in any case.
        cache: Keep what is read of long files for the next time, where the dashboard keeps it, too.
        jobs: How many processes may read at once when there is much to read, this one among them; None: a quarter of
            the cores, but 2 to 8.

    Returns:
        The runs by name; each is read when it is first asked for. Damage in files raises nothing: see `Run.problems`.

    Raises:
        PathError: A path is not there, cannot be read, or is no event file. It is an `OSError` and a `ValueError`.
        PatternError: `runs` is no regular expression.
    """
    from tbtui.api.logs import open_logs

    return open_logs(paths, runs=runs, cache=cache, jobs=jobs)


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'tbtui' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"tbtui.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
