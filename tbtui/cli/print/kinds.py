"""The kinds of data that can be printed: where each is found in a log, and which module tells of it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.viewstate.view import View


class Kind(NamedTuple):
    """One of the values of `--plugin`."""

    reads: tuple[str, ...]
    """Plugin names of the series that it shows."""

    shows: str
    """What it shows, in the plural."""

    teller: str
    """Module and function that make blocks of a view."""

    chooses: bool = True
    """Whether patterns of tags choose among these series; otherwise among what is told beside them, once it is this
    kind that is asked for."""

    def blocks(self, view: View, options: PrintOptions) -> Iterator[Block]:
        """What is to be seen."""
        module, _, name = self.teller.partition(".")
        tell = getattr(import_module(f"tbtui.cli.print.{module}"), name)
        return cast("Callable[[View, PrintOptions], Iterator[Block]]", tell)(view, options)


GRAPH_PLUGINS = ("graph_keras_model", "graphs", "graph_run_metadata", "graph_run_metadata_graph")
"""Of `loading.graphs`, those whose values hold a graph."""

KINDS = {
    "scalars": Kind(("scalars",), "scalars", "scalars.scalar_blocks"),
    "comparison": Kind(("scalars",), "scalars", "comparison.comparison_blocks"),
    "hparams": Kind(("hparams",), "hyperparameters", "hparams.hparam_blocks", chooses=False),
    "histograms": Kind(("histograms",), "histograms", "histograms.histogram_blocks"),
    "distributions": Kind(("histograms",), "histograms", "distributions.distribution_blocks"),
    "pr_curves": Kind(("pr_curves",), "PR curves", "pr_curves.curve_blocks"),
    "text": Kind(("text",), "texts", "texts.text_blocks"),
    "images": Kind(("images",), "images", "images.image_blocks"),
    "audio": Kind(("audio",), "sounds", "audio.audio_blocks"),
    "graphs": Kind(GRAPH_PLUGINS, "graphs", "graphs.graph_blocks"),
}
"""By name, in the order of `options.print.PLUGINS`."""


def tags_of(view: View, kind: Kind) -> frozenset[str]:
    """The tags of a kind that the drawn runs hold and that match."""
    held = (view.facts[run.name].tags.get(plugin, frozenset()) for run in view.runs for plugin in kind.reads)
    return frozenset(tag for tag in frozenset[str]().union(*held) if view.tag_matches(tag))


def is_there(view: View, kind: Kind) -> bool:
    """Whether the drawn runs hold anything of a kind that is asked for."""
    if kind.chooses:
        return bool(tags_of(view, kind))
    return any(plugin in view.facts[run.name].tags for run in view.runs for plugin in kind.reads)


def first_kind(view: View) -> str:
    """The first kind of which anything matches; scalars where nothing does."""
    return next((name for name, kind in KINDS.items() if tags_of(view, kind)), "scalars")


def other_kinds(view: View, shown: str) -> str:
    """What else the drawn runs hold: `also here: images (12 tags), text (1 tag)`; empty when nothing."""
    from tbtui.charts.numbers import counted

    found = [
        f"{name} ({counted(len(tags), 'tag')})"
        for name, kind in KINDS.items()
        if kind.reads != KINDS[shown].reads and name != "distributions" and (tags := tags_of(view, kind))
    ]
    return f"also here: {', '.join(found)} (--plugin NAME)" if found else ""
