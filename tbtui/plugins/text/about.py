"""What is known of a text beside its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.numbers import clock, size
from tbtui.events.tensors import spelled
from tbtui.loading.texts import TextRefused
from tbtui.viewstate.about import about_tag, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.texts import TextPoint
    from tbtui.plugins.text.data import Texts
    from tbtui.viewstate.view import View


def about(texts: Texts, view: View, text: TextPoint) -> tuple[str, ...]:
    """Lines of any text about one text, and about its tag in the drawn runs. It is read for them."""
    tag = text.series.tag
    all_series = [series for _, series in view.references(tag, "text")]
    return (
        *_about_text(texts, text),
        "",
        *about_tag(view, "text", tag, all_series, lambda series: (counted(series, "text"),)),
    )


def _about_text(texts: Texts, text: TextPoint) -> Iterator[str]:
    series, point = text.series, text.point
    superseded = series.kept is not None and not series.kept[point]
    yield f"step {text.step} of {text.run.name}{', superseded by a restart' if superseded else ''}"
    yield f"written {clock(text.wall_time)} ({text.wall_time!r} seconds since 1970)"
    try:
        stored = texts.text(text)
    except TextRefused as error:
        yield f"cannot be read: {error}"
    else:
        rank = len(stored.shape)
        shape = f", shape {spelled(stored.shape)}" if rank else ""
        yield f"tensor of strings, rank {rank}{shape}, {size(stored.nbytes)}"
        yield from stored.notes
    record = f"record of {size(int(series.lengths[point]))} at byte {int(series.offsets[point]):,}"
    files = text.run.files
    number = int(series.files[point])
    yield f"{record} of {files[number].path if number < len(files) else 'a file that is gone'}"
