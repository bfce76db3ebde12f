"""What is known of a picture beside what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.plugins.images.full_size import REFUSALS
from tbtui.plugins.images.steps import PLUGIN_NAME
from tbtui.plugins.images.words import way_words
from tbtui.viewstate.about import about_tag, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.graphics.capabilities import Way
    from tbtui.plugins.images.data import ImageData
    from tbtui.plugins.images.pixels import Pixels
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.viewstate.sample_cards import Place
    from tbtui.viewstate.view import View


def about(data: ImageData, pixels: Pixels, way: Way, view: View, key: str, place: Place) -> tuple[str, ...]:
    """Lines about a card: the picture that it shows, in which way, then its tag as `about_tag` has it."""
    run = view.snapshot.runs.get(place.run)
    series = None if run is None else run.references(place.tag, PLUGIN_NAME)
    held = [] if series is None else [series]
    return (
        *_shown(data, pixels, view, key, place),
        way_words(way),
        "",
        *about_tag(view, PLUGIN_NAME, place.tag, held, _told),
    )


def _told(series: ReferenceSeries) -> Iterator[str]:
    yield counted(series, "step")
    yield f"{numbers.size(int(series.lengths.sum()))} in all, as stored"


def _shown(data: ImageData, pixels: Pixels, view: View, key: str, place: Place) -> Iterator[str]:
    """The step that is shown, and what its picture says of itself."""
    try:
        stop = data.shown(view, key, place)
        yield f"step {stop.step}, logged {numbers.clock(stop.wall_time)}"
        stored = data.stored(stop, place.sample)
        if place.samples > 1:
            yield f"picture {place.sample + 1} of {place.samples}"
        yield f"{len(stored.data):,} bytes encoded"
        if stored.claimed is not None:
            yield f"{stored.claimed[0]:,} × {stored.claimed[1]:,} pixels as its writer said"
        header = pixels.header(stored)
        yield f"{header.width:,} × {header.height:,} pixels, {header.format}, {header.mode} of {header.bits} bits"
        if header.frames > 1:
            yield f"an animation of {header.frames:,} frames"
    except REFUSALS as error:
        yield f"✗ {error}"
