"""The part of the Graphs tab that asks: which graph, what is known of it, where to write or copy it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts.text import nameable, safe
from tbtui.plugins.graphs import words
from tbtui.plugins.graphs.colours import MEASURES
from tbtui.plugins.graphs.details import about, details_of
from tbtui.plugins.graphs.searching import GraphSearching
from tbtui.plugins.graphs.sources import source_title
from tbtui.plugins.graphs.times import next_devices, usual_names
from tbtui.widgets.pane import Choose, CopyAsked

if TYPE_CHECKING:
    from tbtui.widgets.file_writing import Written


class GraphAsking(GraphSearching):
    """Keys about a graph as a whole."""

    BINDING_GROUP_TITLE = "Which graph, and about it"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "step(-1)", show=False, id="graphs.before", tooltip="graph before"),
        Binding(
            "right_square_bracket", "step(1)", "graph", key_display="[ ]", id="graphs.after", tooltip="graph after"
        ),
        Binding("c", "choose_graph", show=False, id="graphs.choose", tooltip="choose a graph"),
        Binding("P", "next_profile", show=False, id="graphs.profile", tooltip="times of another run"),
        Binding("D", "next_devices", show=False, id="graphs.devices", tooltip="times on other devices"),
        Binding("i", "about", "about", show=False, id="graphs.about", tooltip="about this node, this graph"),
        Binding("w", "write", show=False, id="graphs.write", tooltip="write the graph to a file"),
        Binding("y", "copy", show=False, id="graphs.copy", tooltip="copy the name"),
        Binding("C", "copy_path", show=False, id="graphs.copy_path", tooltip="copy the run's path"),
    ]

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered."""
        return action != "step" or (self.listed is not None and len(self.listed.sources) > 1)

    # Which graph

    def action_step(self, graphs: int) -> None:
        """Show another graph."""
        if self.listed is not None and self.listed.sources:
            sources = self.listed.sources
            self.choose_graph(sources[(self.index + graphs) % len(sources)])

    def action_choose_graph(self) -> None:
        """List all graphs to choose from."""
        from tbtui.plugins.graphs.chooser import GraphChooser

        listed = self.listed
        if listed is not None and len(listed.sources) == 1:
            self.tell("there is no other graph")
        elif listed is not None and listed.sources:

            def show(number: int | None) -> None:
                if number is not None:
                    self.choose_graph(listed.sources[number])

            self.app.push_screen(GraphChooser(listed, self.index), show)

    def action_next_profile(self) -> None:
        """Show what another run of the graph cost."""
        profiles = self.profiles
        if len(profiles) < 2:
            self.tell(words.ONE_PROFILE if profiles else words.NO_TIMES[0])
            return
        places = [profile.place for profile in profiles]
        here = places.index(self.profile.place) if self.profile is not None and self.profile.place in places else -1
        self.choose_profile(profiles[(here + 1) % len(profiles)])

    def action_next_devices(self) -> None:
        """Count what ran on other devices."""
        times = self.times
        if times is None or not times.devices:
            self.tell(words.NO_TIMES[0])
        elif len(times.devices) == 1:
            self.tell(f"all that was timed ran on {times.devices[0].short}")
        else:
            devices = next_devices(times)
            chosen = frozenset[str]() if devices == usual_names(times) else devices
            self.post_message(Choose(graph_devices=chosen))
            named = ", ".join(row.short for row in times.devices if row.name in devices)
            self.tell(f"times of what ran on {named}")

    # What is known, and copies of it

    def action_about(self) -> None:
        """Tell all that is known of the node and of the graph."""
        from tbtui.widgets.info import open_info

        graph, look, times = self.graph, self.look, self.times
        if graph is None or look is None:
            return
        hierarchy, item = graph.hierarchy, look.chosen

        def lines() -> tuple[str, ...]:
            return *about(details_of(hierarchy, item, times)), "", *words.about_graph(graph, times)

        open_info(self.app, self.background, f"about {hierarchy.leaf(item)}", lines)

    def action_write(self) -> None:
        """Write the graph to a file, in pictures with the same scopes open."""
        from tbtui.export.graphs import GraphDocument
        from tbtui.plugins.graphs.writing import Writing, fills, written_fields
        from tbtui.widgets.form import FormScreen

        graph, look, choices, times = self.graph, self.look, self.choices, self.times
        if graph is None or look is None:
            return
        measure = MEASURES.get(choices.graph_colour)
        colours = {} if times is None or measure is None else fills(times, measure)
        document = GraphDocument(
            graph.source,
            graph.hierarchy,
            look.opened,
            look.inside,
            apart=look.apart,
            across=choices.graph_across,
            aside=choices.graph_aside,
            fills=colours,
        )
        writing = Writing(self.graphs.reader, document)
        name = graph.source.run.name
        title = safe(f"write {source_title(graph.source)}" + (f" of {nameable(name)}" if name != "." else ""))
        self.app.push_screen(
            FormScreen(title, written_fields(), writing, slow=True, cancel=writing.stop), self._say_written
        )

    def _say_written(self, written: Written | None) -> None:
        from tbtui.plugins.graphs.writing import written_word

        if written is not None:
            self.notify(safe(written_word(written)), title="written", markup=False)

    def action_copy(self) -> None:
        """Put the name of the item under the cursor on the clipboard."""
        if self.hierarchy is not None and self.look is not None:
            self.app.copy_to_clipboard(safe(self.hierarchy.name(self.look.chosen)))
            self.tell("copied the name")

    def action_copy_path(self) -> None:
        """Ask for the path of the run on the clipboard."""
        if self.source is not None:
            self.post_message(CopyAsked(self.source.run.name))
