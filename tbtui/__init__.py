"""Show and read everything that a TensorBoard log directory holds.

The command `tbtui` is the terminal application. In Python, `tbtui.open("logs/")["run"].scalars("loss").values` returns
a numpy array.
"""

from __future__ import annotations

# Same as typing.TYPE_CHECKING; importing typing takes longer than importing this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tbtui.api.errors import (
        LeftOutWarning,
        PathError,
        PatternError,
        PayloadError,
        PlainTextWarning,
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
    from tbtui.plugins.profile.values import Profile, Profiles
    from tbtui.plugins.text.values import Text, Texts
    from tbtui.store.run_chains import ChainRuns
    from tbtui.store.run_folds import FoldRuns
    from tbtui.store.run_parts import SplitRuns

__version__ = "0.2.0"

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
    "PlainTextWarning",
    "PrCurve",
    "PrCurves",
    "Profile",
    "Profiles",
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
        "PlainTextWarning",
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
    "plugins.profile.values": ("Profile", "Profiles"),
    "plugins.text.values": ("Text", "Texts"),
}
"""Public names by module; a module is imported when one of its names is first used."""

_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}


def open(  # noqa: A001 - the public name is tbtui.open
    *paths: PathLike | Iterable[PathLike],
    runs: Pattern = None,
    cache: bool = True,
    jobs: int | None = None,
    split_runs: SplitRuns = "no",
    fold_runs: FoldRuns = "no",
    run_names: str | None = None,
    chain_runs: ChainRuns = "no",
) -> Logs:
    """Open log directories. Only directory names are read at first; each run is read when it is first used.

    Args:
        paths: As on the command line: directories, event files, globs, `NAME:PATH` with any of them, and lists of
            these. Without paths the current directory is opened.
        runs: Regular expression, searched for in run names, ignoring case, or plain text that they contain; only
            matching runs are opened.
        cache: Keep the contents of long files in the cache that the dashboard uses too.
        jobs: Maximum number of processes that read in parallel, including this one. None: a quarter of the cores, 2 to
            8.
        split_runs: `restarts` or `files`: each restart or file of a run is a run of its own. All runs are read at once.
        fold_runs: `yes`: runs that only hold the hyperparameters of the run above are part of it, as in the dashboard.
            All runs are read at once.
        run_names: Hyperparameters in run names: a regular expression with named groups, `(?P<lr>[^_/]+)`, or `auto` for
            pieces such as `lr=1e-3` and `seed0`.
        chain_runs: `numbered`: runs that differ in a number at their end are one run: `PPO_1` and `PPO_2` are `PPO_*`.

    Returns:
        The runs by name. Damaged files raise nothing; see `Run.problems`.

    Raises:
        PathError: A path does not exist, cannot be read, or is not an event file. It is an `OSError` and a
            `ValueError`.
        PatternError: `runs` is not a valid regular expression, nor part of any name, or `run_names` is none.
    """
    from tbtui.api.logs import OpenOptions, open_logs

    return open_logs(paths, OpenOptions(runs, cache, jobs, split_runs, fold_runs, run_names, chain_runs))


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
