"""Values that lie in files: of each tag and run that match one point, read when it is told of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from tbtui.charts.text import safe
from tbtui.cli.print.asked import left_out
from tbtui.cli.print.sheet import Words
from tbtui.frozen import frozen
from tbtui.viewstate.shown_tags import ShownTags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tbtui.cli.print.asked import Asked
    from tbtui.cli.print.sheet import Block
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.view import View


@frozen(eq=False)
class Chosen:
    """One point of one run."""

    run: RunSnapshot
    ink: int
    series: ReferenceSeries
    """Without what a restart superseded."""

    point: int
    wanted: int | None = None
    """The step that is asked for; None: the last."""

    @property
    def step(self) -> int:
        """At which it was written."""
        return int(self.series.steps[self.point])

    @property
    def note(self) -> str:
        """Run and step, safe for a terminal."""
        return place_words(self.run.name, self.step, self.wanted)

    @property
    def note_of_all(self) -> str:
        """The same, and how many steps there are where it is not the only one."""
        return place_words(self.run.name, self.step, self.wanted, len(self.series))


def place_words(run: str, step: int, wanted: int | None, steps: int = 1) -> str:
    """`adam/seed0 · step 7, the nearest to 8 (3 steps in all)`, safe for a terminal.

    Args:
        run: Its name.
        step: What is told is of this one.
        wanted: The step that is asked for; None: the last.
        steps: How many there are; of one nothing is said.
    """
    nearest = "" if wanted in (None, step) else f", the nearest to {wanted}"
    return f"{safe(run)} · step {step}{nearest}{f' ({steps:,} steps in all)' if steps > 1 else ''}"


def chosen_points(view: View, tag: str, plugin: str, asked: Asked) -> list[Chosen]:
    """The points of one tag, in the order of the run tree."""
    found = []
    for run, series in view.references(tag, plugin):
        current = series.current
        found.append(Chosen(run, view.inks[run.name], current, asked.point(current), asked.step))
    return found


class OfRun(Protocol):
    """Something of one run."""

    @property
    def run(self) -> RunSnapshot:
        """The run."""


_OfRun = TypeVar("_OfRun", bound=OfRun)


def reference_blocks(
    view: View, asked: Asked, plugin: str, most_runs: int, told: Callable[[Chosen, Asked], Iterator[Block]]
) -> Iterator[Block]:
    """What `told` says of each point, tag by tag, and how many are left out."""
    tags = ShownTags(plugin).of(view)
    yield from tag_blocks(tags, lambda tag: chosen_points(view, tag, plugin, asked), asked, most_runs, told)


def tag_blocks(
    tags: Sequence[str],
    held: Callable[[str], Sequence[_OfRun]],
    asked: Asked,
    most_runs: int,
    told: Callable[[_OfRun, Asked], Iterator[Block]],
) -> Iterator[Block]:
    """What `told` says of each run of each tag, and which are left out.

    Args:
        tags: All there are.
        held: What there is of a tag, one of each run.
        asked: How.
        most_runs: Runs of a tag where nobody says how many.
        told: What is said of one.
    """
    most = asked.tags(len(tags))
    for tag in tags[:most]:
        of_runs = held(tag)
        shown = asked.runs(len(of_runs), most_runs)
        for each in of_runs[:shown]:
            yield from told(each, asked)
        if said := left_out([each.run.name for each in of_runs], shown, "run", asked.paper.width):
            yield Words((said,))
    if said := left_out(tags, most, "tag", asked.paper.width):
        yield Words((said,), apart=True)
