"""The Graphs tab, driven by keys over real event files."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.graphs import PLUGIN
from tbtui.plugins.graphs.pane import presenters
from tbtui.plugins.graphs.settings import ACROSS, COLOUR, DESCENDING, GRAPH, NAVIGATION, SORT, GraphNavigation
from tbtui.settings.settings import Settings
from tbtui.widgets import worker as worker_module
from tests.helpers.graph_bytes import function, graph, node
from tests.helpers.graph_logs import (
    GraphLogs,
    GraphsApp,
    Traced,
    keras_model,
    many_ops,
    numbered_model,
    torch_model,
)
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from textual.pilot import Pilot

    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.details import Details
    from tbtui.plugins.graphs.read import GraphSource
    from tbtui.plugins.graphs.settings import GraphColour

WIDE, MIDDLE, TALL, SMALL = (100, 36), (58, 22), (45, 43), (40, 11)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def logs(tmp_path: Path) -> GraphLogs:
    """A model of PyTorch in one run, one of Keras in another."""
    logs = GraphLogs(tmp_path / "logs")
    logs.add("a/torch", torch_model())
    logs.add("b/keras", keras_model())
    return logs


@pytest.fixture
def torch(tmp_path: Path) -> GraphLogs:
    logs = GraphLogs(tmp_path / "torch")
    logs.add("run", torch_model())
    return logs


async def shown(pilot: Pilot[None], keys: str = "") -> GraphsApp:
    """The app once everything the keys lead to is on the screen."""
    await pressed(pilot, keys)
    await pressed(pilot, "")
    assert isinstance(pilot.app, GraphsApp)
    return pilot.app


async def searched(pilot: Pilot[None], query: str, keys: str = "") -> GraphsApp:
    """The app once a pattern is typed."""
    app = await shown(pilot, "slash")
    app.graphs.parts.bar._field.value = query
    return await shown(pilot, keys)


def part(app: GraphsApp, widget: Any) -> list[str]:
    """What a part of the screen says, without blank lines."""
    region = widget.region
    lines = [line[region.x : region.right].rstrip(" ▏▌") for line in screen_lines(app)[region.y : region.bottom]]
    return [line for line in lines if line.strip()]


def tree(app: GraphsApp) -> list[str]:
    return part(app, app.graphs.parts.scopes)


def diagram(app: GraphsApp) -> str:
    return "\n".join(part(app, app.graphs.parts.diagram))


def details(app: GraphsApp) -> list[str]:
    return part(app, app.graphs.parts.details_title) + part(app, app.graphs.parts.details)


def title(app: GraphsApp) -> str:
    return screen_lines(app)[0].strip()


def told(app: GraphsApp) -> str:
    """The title without the way back."""
    return title(app).removesuffix("esc back").rstrip()


def chosen(app: GraphsApp) -> str:
    return details(app)[0].strip()


# The first screen


@pytest.mark.parametrize("size", [(120, 40), WIDE, MIDDLE, TALL])
async def test_graphs_pane_sequential_model_is_drawn_top_down_at_once(torch: GraphLogs, size: Any) -> None:
    async with torch.app().run_test(size=size) as pilot:
        picture = diagram(await shown(pilot))
        places = [picture.index(name) for name in ("input", "Net", "Linear[0]", "ReLU[1]", "Linear[2]", "output")]
        assert places == sorted(places)
        assert "4×8" in picture


async def test_graphs_pane_few_boxes_open_scopes_that_fit(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "few")
    names = [f"{scope}/{name}" for scope in ("a", "b") for name in ("x", "y", "deep/u", "deep/v")]
    logs.add("run", graph(*(node(name, "Op", before) for before, name in zip(["", *names], names, strict=False))))
    for size, names in ((WIDE, {"a", "b", "x", "y", "deep"}), (SMALL, {"a", "b"})):
        async with logs.app().run_test(size=size) as pilot:
            app = await shown(pilot)
            assert app.graphs.diagram.laid_out is not None
            assert {place.lines[0].strip("▸▾ ") for place in app.graphs.diagram.laid_out.layout.boxes} == names
            picture = diagram(app)
            assert all(name in picture for name in names)
            assert not set("←→↑↓") & set(picture)


async def test_graphs_pane_model_layers_come_before_operations(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert title(app).split() == ["●", "b/keras", "keras", "·", "layers", "›", "block", "2", "of", "2"]
        picture = diagram(app)
        assert not set("←→↑↓") & set(picture)  # nothing goes on beyond an edge
        for words in ("image", "Conv2D", "148 parameters", "?×8×8×4", "Add", "Dense", "?×8×8×2"):
            assert words in picture
        assert [line.split()[0] for line in tree(app)[1:]] == ["image", "conv", "add", "out"]


async def test_graphs_pane_shows_tree_diagram_and_details(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j")
        assert [line.split()[:2] for line in tree(app)] == [
            ["▸", "input"],
            ["▾", "Net"],
            ["▸", "Linear[0]"],
            ["▸", "ReLU[1]"],
            ["▸", "Linear[2]"],
            ["▸", "output"],
        ]
        assert details(app)[0].strip() == "Net/Linear[0]"
        told = " ".join(details(app)).split()
        assert told[told.index("←") : told.index("←") + 3] == ["←", "input", "4×8"]
        assert told[told.index("→") : told.index("→") + 3] == ["→", "ReLU[1]", "4×8"]
        assert "64 parameters" in " ".join(details(app))
        assert app.graphs.status() == "7 ops · 128 parameters"


async def test_graphs_pane_small_terminal_shows_one_view(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=SMALL) as pilot:
        app = await shown(pilot)
        assert "Linear[0]" in diagram(app)
        assert not app.graphs.parts.scopes.display
        assert not app.graphs.parts.details.display
        app = await shown(pilot, "m s")
        assert tree(app)[1].split()[:2] == ["▾", "Net"]
        assert not app.graphs.parts.diagram.display
        app = await shown(pilot, "m o")
        assert "aten::linear" in screen_text(app)
        app = await shown(pilot, "m d")
        assert "Linear[0]" in diagram(app)


async def test_graphs_pane_tall_narrow_terminal_puts_details_below(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=TALL) as pilot:
        app = await shown(pilot, "m s")
        assert app.graphs.parts.details.region.y > app.graphs.parts.scopes.region.y
        assert chosen(app) == "input"
        await pilot.resize_terminal(*WIDE)
        app = await shown(pilot)
        assert "Linear[0]" in diagram(app)
        assert tree(app)


# The four looks


async def test_graphs_pane_before_the_first_view_shows_reading(logs: GraphLogs) -> None:
    app = logs.app()
    async with app.run_test(size=WIDE):
        app.graphs.view = None
        app.graphs.on_mount()
        assert "reading the logs" in "".join(map(str, app.graphs.parts.diagram._message))


async def test_graphs_pane_folded_tags_show_the_unfold_key(logs: GraphLogs) -> None:
    async with logs.app(hidden_groups=frozenset({"keras", "__run_graph__"})).run_test(size=WIDE) as pilot:
        assert "all groups of tags are folded away" in screen_text(await shown(pilot))


async def test_graphs_pane_reading_graph_is_reported(logs: GraphLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = logs.app()
    gate, read = threading.Event(), app.pane.loader.graphs.open  # type: ignore[attr-defined]

    def slowly(source: GraphSource) -> OpenGraph:
        gate.wait(30)
        return read(source)  # type: ignore[no-any-return]

    app.pane.loader.graphs.open = slowly  # type: ignore[attr-defined]
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "reading the graph" in screen_text(app))
        assert "b/keras" in title(app)
        gate.set()
        assert "Conv2D" in diagram(await shown(pilot))


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (b"\xff\xff\xff", "this graph cannot be shown"),
        ({"no": "model"}, "this graph cannot be shown"),
        (graph(), "the graph has no nodes"),
        (graph(node("a", "Op", "gone")), "not in the graph"),
        (graph(node("a", "Op", "b"), node("b", "Op", "a")), "→ b"),
        (graph(node("\x1b[2Jx"), node("")), "·[2Jx"),
        (graph(node("x" * 2000)), "xxx…xxx"),
    ],
)
async def test_graphs_pane_bad_input_shows_a_message(tmp_path: Path, held: Any, words: str) -> None:
    logs = GraphLogs(tmp_path / "bad")
    logs.add("run", held)
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert words in screen_text(app)
        assert "\x1b" not in screen_text(app)
        await pilot.press(
            *"jklh", "enter", *"UU", "escape", "i", "escape", "m", "o", "enter", "enter", "m", "s", "right", "left"
        )
        await shown(pilot)


async def test_graphs_pane_unreadable_graph_offers_the_others(logs: GraphLogs) -> None:
    logs.add("b/keras2", {"no": "model"})
    async with logs.app(graph=("b/keras2", "keras")).run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert "[ and ] lead to other graphs" in " ".join(screen_text(app).split())
        app = await shown(pilot, "left_square_bracket")
        assert "Conv2D" in diagram(app)


# Opening and moving


async def test_graphs_pane_enter_opens_and_closes_a_scope(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j enter")
        assert "weight" in diagram(app)
        assert "weight" in "\n".join(tree(app))
        assert "ReLU[1]" in diagram(app)
        app = await shown(pilot, "enter")
        assert "weight" not in screen_text(app)


async def test_graphs_pane_tree_folds_and_follows(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m s j j right")
        assert "weight" in "\n".join(tree(app))
        app = await shown(pilot, "right")
        assert chosen(app).startswith("Net/Linear[0]/")
        app = await shown(pilot, "left")
        assert chosen(app) == "Net/Linear[0]"
        app = await shown(pilot, "left left left")
        assert chosen(app) == "Net"
        assert len(tree(app)) == 3


async def test_graphs_pane_entered_scope_is_drawn_alone(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j s")
        assert "ReLU[1]" not in diagram(app)
        assert "weight" in diagram(app)
        assert told(app).endswith("› Net › Linear[0]")
        app = await shown(pilot, "escape")
        assert "ReLU[1]" in diagram(app)
        assert chosen(app) == "Net/Linear[0]"


async def test_graphs_pane_links_are_followed_and_returned_from(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j greater_than_sign")
        assert chosen(app) == "Net/ReLU[1]"
        app = await shown(pilot, "greater_than_sign less_than_sign less_than_sign")
        assert chosen(app) == "Net/Linear[0]"
        app = await shown(pilot, "backspace backspace")
        assert chosen(app) == "Net/Linear[2]"


async def test_graphs_pane_detail_rows_select_their_items(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j enter j")
        name = chosen(app)
        app = await shown(pilot, "enter")
        assert app.graphs.parts.details.has_focus or "weight" in name
        app = await searched(pilot, "out.0", "enter enter")
        assert app.graphs.parts.details.has_focus
        app = await shown(pilot, "enter")
        assert chosen(app) != "Net/Linear[0]/out.0"
        app = await shown(pilot, "escape")
        assert app.graphs.parts.diagram.has_focus


@pytest.mark.parametrize("size", [WIDE, MIDDLE, SMALL])
async def test_graphs_pane_escape_target_is_shown(torch: GraphLogs, size: Any) -> None:
    async with torch.app().run_test(size=size) as pilot:
        app = await shown(pilot)
        assert "esc back" not in screen_text(app)
        for keys in ("U", "j s"):
            app = await shown(pilot, keys)
            assert title(app).endswith("esc back")
            app = await shown(pilot, "escape")
            assert "esc back" not in screen_text(app)
        app = await searched(pilot, "out.0", "enter")
        assert title(app).endswith("esc back")
        if app.graphs.parts.details.display:
            app = await shown(pilot, "enter")
            assert app.graphs.parts.details.has_focus
            assert details(app)[0].endswith("esc back")
            assert "esc back" not in title(app)
            app = await shown(pilot, "escape")
            assert "esc back" not in details(app)[0]
        app = await shown(pilot, "escape")
        assert "esc back" not in screen_text(app)


async def test_graphs_pane_detail_row_without_target_shows_full_text(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "keras")
    logs.add("run", keras_model())
    app = dashboard(FakeLoader(logs.load()), plugins=(PLUGIN,))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "InputLayer" in screen_text(app))
        await pilot.press("j", "enter")
        await until(pilot, lambda: "⏎ go there" in screen_lines(app)[-1])
        await pilot.press("end")
        await until(pilot, lambda: "⏎ in full" in screen_lines(app)[-1])
        assert "go there" not in screen_lines(app)[-1]
        await pilot.press("enter")
        await until(pilot, lambda: "about conv" in screen_text(app))
        await pilot.press("escape", "home", "down", "down")
        await until(pilot, lambda: "⏎ go there" in screen_lines(app)[-1])
        assert "in full" not in screen_lines(app)[-1]
        await pilot.press("enter")
        await until(pilot, lambda: any("▏ block/image" in line for line in screen_lines(app)))


async def test_graphs_pane_pan_and_zoom(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "wide")
    logs.add("run", graph(*(node(f"n{number}", "Op", f"n{number - 1}") for number in range(40))))
    async with logs.app().run_test(size=MIDDLE) as pilot:
        app = await shown(pilot)
        before = app.graphs.parts.diagram.window
        app = await shown(pilot, "J")
        assert app.graphs.parts.diagram.window != before
        size = app.graphs.diagram.laid_out.layout.height  # type: ignore[union-attr]
        app = await shown(pilot, "z")
        assert app.graphs.diagram.laid_out.layout.height > size  # type: ignore[union-attr]
        app = await shown(pilot, "Z Z Z Z")
        assert app.graphs.diagram.laid_out.layout.height == size  # type: ignore[union-attr]


async def test_graphs_pane_borderless_selection_is_visible_without_colours(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "tiny")
    logs.add("run", graph(*(node(f"n{number}", "Op", f"n{number - 1}") for number in range(8))))
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "Z Z Z Z j")
        assert chosen(app) == "n1"
        assert "›n1‹" in diagram(app)
        assert diagram(app).count("›") == 1
        app = await shown(pilot, "z z z z")
        assert "›" not in diagram(app)


@pytest.fixture
def numbered(tmp_path: Path) -> GraphLogs:
    logs = GraphLogs(tmp_path / "numbered")
    logs.add("run", numbered_model())
    return logs


async def test_graphs_pane_series_expands_in_place_and_stays_expanded(numbered: GraphLogs) -> None:
    looks = {"__run_graph__": GraphNavigation(frozenset({"net"}), "", "net/conv_[1-6]")}
    async with numbered.app(graph_looks=looks).run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert "conv_[1-6]" in diagram(app)
        assert "conv_1" not in diagram(app)
        app = await shown(pilot, "R")
        assert chosen(app) == "net/conv_1"
        for names in (diagram(app), "\n".join(tree(app))):
            assert [f"conv_{number}" in names for number in range(1, 7)] == [True] * 6
            assert "conv_[1-6]" not in names
        app = await shown(pilot, "j m s left")
        assert chosen(app) == "net"
        app.graphs.navigator.save_now()
        await pilot.pause()
        held = NAVIGATION.value(app.settings)["__run_graph__"]
        assert held.apart == {"net/conv_[1-6]"}
        app = await shown(pilot, "right j j R")
        assert chosen(app) == "net/conv_[1-6]"
        assert "conv_3" not in diagram(app)
    async with numbered.app(graph_looks={"__run_graph__": held}).run_test(size=WIDE) as pilot:
        assert "conv_3" in diagram(await shown(pilot))


async def test_graphs_pane_series_key_is_offered_on_a_series(numbered: GraphLogs) -> None:
    looks = {"__run_graph__": GraphNavigation(frozenset({"net"}), "", "net/conv_[1-6]")}
    async with numbered.app(graph_looks=looks).run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert "R" in app.screen.active_bindings
        await shown(pilot, "k")
        assert "R" not in app.screen.active_bindings
        before = diagram(app)
        assert diagram(await shown(pilot, "R")) == before


async def test_graphs_pane_direction_key_switches_down_and_across(numbered: GraphLogs) -> None:
    async with numbered.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        rows = [
            next(at for at, line in enumerate(diagram(app).splitlines()) if name in line) for name in ("x", "net", "y")
        ]
        assert rows == sorted(set(rows))
        app = await shown(pilot, "V")
        assert ACROSS.value(app.settings)
        line = next(line for line in diagram(app).splitlines() if " x " in line)
        assert line.index(" x ") < line.index("conv_[1-6]")
        app = await shown(pilot, "l")
        assert chosen(app) == "net/conv_[1-6]"
        assert not ACROSS.value((await shown(pilot, "V")).settings)


async def test_graphs_pane_hidden_parts_are_reported_at_the_edge(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "long")
    logs.add("run", graph(*(node(f"n{number}", "Op", f"n{number - 1}") for number in range(30))))
    looks = {"__run_graph__": GraphNavigation(apart=frozenset({"n[0-29]"}))}
    async with logs.app(graph_looks=looks).run_test(size=WIDE) as pilot:
        app = await shown(pilot, "z z z")
        assert " more" in diagram(app).splitlines()[-1]
        assert "↑" not in diagram(app)
        app = await shown(pilot, "G")
        assert "↓" not in diagram(app)
        assert "↑ " in diagram(app).splitlines()[0]


# Finding


async def test_graphs_pane_search_updates_while_typing(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await searched(pilot, "relu")
        assert "1 of" in screen_lines(app)[-1]
        assert "ReLU[1]" in chosen(app)
        app = await shown(pilot, "enter")
        assert app.graphs.parts.diagram.has_focus
        first = chosen(app)
        app = await shown(pilot, "n")
        assert chosen(app) != first
        app = await shown(pilot, "N")
        assert chosen(app) == first
        app = await shown(pilot, "escape")
        assert "find by name" not in screen_text(app)


async def test_graphs_pane_matches_open_scopes_temporarily(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await searched(pilot, "weight", "enter")
        assert "Net/Linear[0]" in chosen(app)
        assert len(tree(app)) == 8
        app = await shown(pilot, "n")
        assert "Net/Linear[2]" in chosen(app)
        assert len(tree(app)) == 8
        app = await shown(pilot, "slash escape escape")
        assert "Net/Linear[2]" in chosen(app)


async def test_graphs_pane_search_starts_at_the_cursor_and_wraps(
    torch: GraphLogs,
) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        await shown(pilot, "j j j")
        app = await searched(pilot, "weight", "enter")
        assert (chosen(app), screen_lines(app)[-1].split()[-3:]) == ("Net/Linear[2]/weight", ["2", "of", "2"])
        app = await shown(pilot, "n")
        assert (chosen(app), screen_lines(app)[-1].split()[-3:]) == ("Net/Linear[0]/weight", ["1", "of", "2"])
        app = await shown(pilot, "N")
        assert chosen(app) == "Net/Linear[2]/weight"
        # The next pattern is searched for from there; one that is found nowhere leads back there.
        app = await searched(pilot, "out", "enter")
        assert chosen(app) == "Net/Linear[2]/out.2"
        app = await searched(pilot, "nowhere", "enter")
        assert chosen(app) == "Net/Linear[2]/out.2"


async def test_graphs_pane_match_keys_move_in_both_directions(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        await searched(pilot, "^Net/Linear[^/]*$", "enter")
        app = await shown(pilot, "m s")
        for keys, name in (("j n", "Net/Linear[2]"), ("k N", "Net/Linear[0]"), ("k k n", "Net/Linear[0]")):
            app = await shown(pilot, keys)
            assert chosen(app) == name


async def test_graphs_pane_table_matches_follow_its_order(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "many")
    logs.add("run", many_ops(30))
    async with logs.app(graph_sort="shape", graph_descending=True).run_test(size=WIDE) as pilot:
        app = await searched(pilot, "type:Add", "enter m o")
        assert part(app, app.graphs.parts.operations)[0].split()[0] == "block2/op_28"
        for keys, name, place in (("g", "op_28", 1), ("n", "op_25", 2), ("N N", "op_1", 10), ("n", "op_28", 1)):
            app = await shown(pilot, keys)
            assert chosen(app).endswith(name)
            assert screen_lines(app)[-1].split()[-3:] == [str(place), "of", "10"]


def heads(app: GraphsApp) -> str:
    return part(app, app.graphs.parts.table_header)[0]


async def test_graphs_pane_table_lists_the_drawn_scope_and_selects_the_item(
    tmp_path: Path,
) -> None:
    logs = GraphLogs(tmp_path / "many")
    logs.add("run", many_ops(30))
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j")
        scope, look = chosen(app), app.graphs.session.navigation
        app = await shown(pilot, "m o")
        assert heads(app).startswith("name of all the graph")
        assert chosen(app).startswith(f"{scope}/")
        assert part(app, app.graphs.parts.operations)[app.graphs.parts.operations._cursor].split()[0] == chosen(app)
        # Who goes back at once finds everything as it was; from another row the diagram shows that one.
        app = await shown(pilot, "m d")
        assert app.graphs.session.navigation == look
        app = await shown(pilot, "m o j m d")
        assert chosen(app).startswith(f"{scope}/")
        app = await shown(pilot, "a g j s m o")
        assert heads(app).startswith(f"name in {scope}/")
        assert len(app.graphs.parts.operations.rows) < 30
        # What is around it is listed as soon as it is gone to.
        app = await shown(pilot, "a")
        assert heads(app).startswith("name of all the graph")
        assert len(app.graphs.parts.operations.rows) == 30


async def test_graphs_pane_table_reports_when_a_link_left_the_matches(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await searched(pilot, "weight$", "enter m o")
        assert heads(app).startswith("name found in Net/")
        operations, name = app.graphs.parts.operations, chosen(app)
        assert app.hierarchy is not None
        assert operations.get_cursor_item(app.hierarchy) == app.graphs.session.navigation.chosen
        app = await shown(pilot, "greater_than_sign")
        assert heads(app).startswith(f"name without {chosen(app).split('/')[-1]}")
        assert not any(drawn.has_cursor for drawn in operations._lines)
        app = await shown(pilot, "backspace")
        assert chosen(app) == name
        assert heads(app).startswith("name found in Net/")


async def test_graphs_pane_keys_act_on_a_selected_constant_without_a_box(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "constant")
    nodes = node("x", "Placeholder"), node("shape", "Const"), node("y", "Reshape", "x", "shape"), node("z", "Relu", "y")
    logs.add("run", graph(*nodes))
    async with logs.app().run_test(size=(120, 36)) as pilot:
        app = await searched(pilot, "^shape$", "enter")
        assert chosen(app) == "shape"
        assert "shape is set aside beside y" in title(app)
        app = await shown(pilot, "U")
        assert "lead to shape" in title(app)
        app = await shown(pilot, "U")
        assert "from shape to z" in title(app)
        app = await shown(pilot, "U less_than_sign greater_than_sign")
        assert app.said[-1] == "shape reads nothing"
        assert chosen(app) == "y"
        assert "set aside" not in title(app)
        app = await shown(pilot, "backspace backspace a")
        assert chosen(app) == "shape"
        assert app.said[-2:] == [
            "no link was followed yet (< and > follow one)",
            "the whole graph is shown: there is no parent scope",
        ]


async def test_graphs_pane_escape_in_search_returns_to_the_start(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await searched(pilot, "wei", "escape")
        assert chosen(app) == "input"
        assert "weight" not in screen_text(app)


async def test_graphs_pane_search_finds_operations_and_devices(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "many")
    logs.add("run", many_ops(30))
    async with logs.app().run_test(size=WIDE) as pilot:
        for query, count in (("type:mat", 10), ("device:gpu:1", 10), ("type:add device:gpu:1", 5), ("op_2[0-9]", 10)):
            app = await searched(pilot, query)
            assert f"of {count}" in screen_lines(app)[-1], query
        app = await shown(pilot, "enter m o")
        assert len(app.graphs.parts.operations.rows) == 10


async def test_graphs_pane_search_reports_no_match_and_literal_patterns(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await searched(pilot, "zzz")
        assert "no match" in screen_lines(app)[-1]
        assert chosen(app) == "input"
        app = await searched(pilot, "[0")
        assert "read as plain text" in screen_lines(app)[-1]


# Tracing


async def test_graphs_pane_traces_inputs(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j j U")
        assert told(app).endswith("ops lead to ReLU[1]")
        flags = app.graphs.session.highlights.flags  # type: ignore[union-attr]
        hierarchy = app.hierarchy
        assert hierarchy is not None
        marked = {hierarchy.name(item) for item in app.graphs.diagram.laid_out.layout.index_of if flags[item]}  # type: ignore[union-attr]
        assert {"input", "Net/Linear[0]", "Net/ReLU[1]"} <= marked
        assert not marked & {"Net/Linear[2]", "output"}
        app = await shown(pilot, "U")
        assert "lead to" not in title(app)


async def test_graphs_pane_traces_the_path_to_an_output(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "U U")
        assert "from input to output/output.1" in title(app)
        app = await shown(pilot, "escape")
        assert "from input" not in title(app)


# The table of operations


async def test_graphs_pane_table_sorts_by_any_column(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "many")
    logs.add("run", many_ops(30))
    async with logs.app().run_test(size=(140, 30)) as pilot:
        app = await shown(pilot, "m o")
        assert part(app, app.graphs.parts.operations)[0].split()[0] == "block0/op_0"
        app = await shown(pilot, "l l enter")
        assert SORT.value(app.settings) == "shape"
        assert "▼shape" in screen_text(app)
        assert part(app, app.graphs.parts.operations)[0].split()[:3] == ["block2/op_29", "Relu", "30×2"]
        app = await shown(pilot, "enter")
        assert part(app, app.graphs.parts.operations)[0].split()[0] == "block0/op_0"
        app = await shown(pilot, "h enter j k")
        assert SORT.value(app.settings) == "type"
        assert part(app, app.graphs.parts.operations)[0].split()[1] == "Add"
        assert chosen(app) == "block0/op_1"
        app = await shown(pilot, "m d")
        assert "op_1" in diagram(app)


async def test_graphs_pane_table_sorting_selects_the_top_row(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "many")
    logs.add("run", many_ops(30))
    async with logs.app(graph_view="operations").run_test(size=(140, 20)) as pilot:
        app = await shown(pilot, "j j j l l enter")
        assert SORT.value(app.settings) == "shape"
        assert chosen(app) == "block2/op_29"
        assert app.graphs.parts.operations.cursor_key == app.graphs.parts.operations.rows[0].key
        app = await shown(pilot, "G enter")
        assert chosen(app) == "block0/op_0"
        assert part(app, app.graphs.parts.operations)[0].split()[0] == "block0/op_0"
        app = await shown(pilot, "j enter")
        assert SORT.value(app.settings) == ""
        assert chosen(app) == "block0/op_1"


# Which graph


async def test_graphs_pane_keys_and_list_select_a_graph(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "right_square_bracket")
        assert "a/torch" in title(app)
        assert GRAPH.value(app.settings) == ("a/torch", "__run_graph__")
        assert "Linear[0]" in diagram(app)
        await pilot.press("I")
        await until(pilot, lambda: "choose a graph" in screen_text(app))
        told = screen_text(app)
        assert "run graph · operations" in told
        assert "keras · layers" in told
        await pilot.press("j", "enter")
        await until(pilot, lambda: "b/keras" in title(app))
        assert "Conv2D" in diagram(await shown(pilot))


async def test_graphs_pane_narrow_list_names_runs_graphs_and_keys(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=SMALL) as pilot:
        app = await shown(pilot)
        await pilot.press("I")
        await until(pilot, lambda: "choose a graph" in screen_text(app))
        lines = screen_lines(app)
        heading = next(y for y, line in enumerate(lines) if "choose a graph" in line)
        rows = lines[heading + 1 : heading + 3]
        assert lines[heading] == "│ choose a graph    ⏎ show  esc cancel │"
        assert [row.split()[2] for row in rows] == ["a/torch", "b/keras"]
        assert "run graph" in rows[0]
        assert "keras · layers" in rows[1]


async def test_graphs_pane_tags_without_a_graph_are_last_and_labelled(logs: GraphLogs) -> None:
    logs.add("a/empty", Traced("batch_7", b""))
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert app.graphs.loader.listed is not None
        assert [source.run.name for source in app.graphs.loader.listed.sources] == ["a/torch", "b/keras", "a/empty"]
        assert "b/keras" in title(app)
        await pilot.press("I")
        await until(pilot, lambda: "choose a graph" in screen_text(app))
        assert [("holds no graph" in line) for line in screen_lines(app) if "step" in line] == [False, False, True]
        await pilot.press("G", "enter")
        assert "the run metadata hold no graph" in screen_text(await shown(pilot))


async def test_graphs_pane_only_empty_tags_report_what_is_missing(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "empty")
    logs.add("run", Traced("batch_7", b""))
    async with logs.app().run_test(size=WIDE) as pilot:
        assert "the run metadata hold no graph" in screen_text(await shown(pilot))


async def test_graphs_pane_sidebar_tag_selects_its_graph(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        app.graphs.reveal("__run_graph__")
        app = await shown(pilot)
        assert "a/torch" in title(app)
        app.graphs.reveal("unknown")
        assert "a/torch" in title(await shown(pilot))


async def test_graphs_pane_new_graph_of_a_run_replaces_the_old(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j enter")
        torch.add("run", graph(node("Net/Linear[0]/a"), node("Net/Linear[0]/b", "Op", "Net/Linear[0]/a"), node("c")))
        app.store = torch.load()
        app.look()
        app = await shown(pilot)
        assert chosen(app) == "Net/Linear[0]"
        assert [line.split()[-1] for line in tree(app)][:2] == ["Net", "Linear[0]"]


async def test_graphs_pane_removed_run_leaves_the_others(logs: GraphLogs) -> None:
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        app.store = replace(app.store, runs={"a/torch": app.store.runs["a/torch"]})
        app.look()
        app = await shown(pilot)
        assert "a/torch" in title(app)
        assert "Linear[0]" in diagram(app)


async def test_graphs_pane_navigation_is_restored(torch: GraphLogs) -> None:
    look = GraphNavigation(frozenset({"Net", "Net/Linear[2]", "gone"}), "", "Net/Linear[2]/weight")
    async with torch.app(graph_looks={"__run_graph__": look}, graph_view="tree").run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert chosen(app).startswith("Net/Linear[2]/weight")
        assert "weight" in diagram(app)
        app = await shown(pilot, "m s k k")
        await until(pilot, lambda: NAVIGATION.value(app.settings)["__run_graph__"].chosen == "Net/ReLU[1]")
        assert NAVIGATION.value(app.settings)["__run_graph__"].chosen == "Net/ReLU[1]"


async def test_graphs_pane_function_calls_open(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "calls")
    body = function("double", [("x", 1)], {"y": "add:z:0"}, node("add", "Add", "x", "x"))
    logs.add("run", graph(node("a", "Placeholder"), node("call", "double", "a"), functions=[body]))
    async with logs.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert "add" in diagram(app)
        app = await shown(pilot, "j enter")
        assert "add" not in diagram(app)
        app = await shown(pilot, "m s G right j")
        assert told(app).endswith("› functions")
        assert chosen(app).endswith("double")
        app = await shown(pilot, "s")
        assert told(app).endswith("› functions › double")
        assert "add" in diagram(app)


# Colours and details


async def test_graphs_pane_colour_key_skips_unavailable_colours(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        assert app.graphs.parts.diagram._tints
        assert title(app).endswith("  colour = same structure")
        app = await shown(pilot, "c")
        assert COLOUR.value(app.settings) == "none"
        assert not app.graphs.parts.diagram._tints
        assert "same colour" not in title(app)
        app = await shown(pilot, "c")
        assert title(app).endswith("  colour = same structure")
        await pilot.resize_terminal(40, 20)
        assert title(await shown(pilot)) == "● run  run graph"  # whose name matters more
        assert COLOUR.value(app.settings) == "structure"
        assert app.graphs.parts.diagram._tints


@pytest.mark.parametrize(
    ("held", "says"), [("device", "no device is recorded"), ("time", "no time was measured")], ids=["device", "time"]
)
async def test_graphs_pane_colour_of_another_graph_reports_no_data(
    torch: GraphLogs, held: GraphColour, says: str
) -> None:
    async with torch.app(graph_colour=held).run_test(size=WIDE) as pilot:
        assert title(await shown(pilot)).endswith(says)
        app = await shown(pilot, "c")
        assert COLOUR.value(app.settings) == "none"
        assert says not in title(app)


async def test_graphs_pane_keys_without_effect_show_a_reason(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j enter j s t D m T c")
        leaf = chosen(app).rpartition("/")[2]
        assert app.said == [
            f"{leaf} has nothing inside",
            "no timing was recorded for this graph",
            "no timing was recorded for this graph",
            "Colours apply to the diagram (m)",
        ]
        assert COLOUR.value(app.settings) == COLOUR.value(Settings())


async def test_graphs_pane_about_page_is_complete(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j i")
        told = screen_text(app)
        for words in ("about Linear[0]", "← input", "→ ReLU[1]", "run graph of run", "7 ops"):
            assert words in told


@pytest.fixture
def details_come_late(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], threading.Event]]:
    """Call it to hold back what is known of items; the event that it returns lets it come."""
    gate, known = threading.Event(), presenters.collect_details

    def slowly(*of: Any) -> Details:
        gate.wait(30)
        return known(*of)

    def hold() -> threading.Event:
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        monkeypatch.setattr(presenters, "collect_details", slowly)
        return gate

    yield hold
    gate.set()


async def test_graphs_pane_about_key_describes_the_item_at_the_cursor(
    torch: GraphLogs, details_come_late: Callable[[], threading.Event]
) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        gate = details_come_late()
        await pilot.press("j", "j", "i")
        assert "about Linear[0]" in screen_text(app)
        assert "reading …" in screen_text(app)
        gate.set()
        await until(pilot, lambda: "← input" in screen_text(app))
        assert "Net/Linear[0]" in screen_text(app)


async def test_graphs_pane_link_is_followed_before_details_update(
    torch: GraphLogs, details_come_late: Callable[[], threading.Event]
) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j")
        gate = details_come_late()
        for direction in (1, -1, -1):
            app.graphs.action_follow(direction)
        gate.set()
        await until(pilot, lambda: chosen(app) == "input")


async def test_graphs_pane_names_and_paths_are_copied(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "j j y C")
        assert app.copied == ["Net/Linear[0]"]
        assert app.paths == ["run"]


async def test_graphs_pane_timeline_without_times_shows_a_reason(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot, "m T")
        assert "no timing was recorded for this graph" in screen_text(app)


# Mouse


async def test_graphs_pane_click_selects_and_second_click_opens(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        view = app.graphs.parts.diagram
        lines = diagram_lines(app)
        y, line = next((y, line) for y, line in enumerate(lines) if "Linear[0]" in line)
        offset = (line.index("Linear[0]"), y)
        await pilot.click(view, offset=offset)
        app = await shown(pilot)
        assert chosen(app) == "Net/Linear[0]"
        await pilot.click(view, offset=offset)
        assert "weight" in diagram(await shown(pilot))


def diagram_lines(app: GraphsApp) -> list[str]:
    region = app.graphs.parts.diagram.region
    return [line[region.x : region.right] for line in screen_lines(app)[region.y : region.bottom]]


async def test_graphs_pane_tree_click_opens(torch: GraphLogs) -> None:
    async with torch.app().run_test(size=WIDE) as pilot:
        app = await shown(pilot)
        await pilot.click(app.graphs.parts.scopes, offset=(6, 2))
        app = await shown(pilot)
        assert "weight" in "\n".join(tree(app))


async def test_graphs_pane_title_click_sorts(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "many")
    logs.add("run", many_ops(30))
    async with logs.app(graph_view="operations").run_test(size=(140, 30)) as pilot:
        app = await shown(pilot)
        line = screen_lines(app)[1]
        await pilot.click(offset=(line.rindex("shape") + 1, 1))
        app = await shown(pilot)
        assert (SORT.value(app.settings), DESCENDING.value(app.settings)) == ("shape", True)


# In the app


async def test_graphs_pane_app_shows_keys_and_escape_closes_one_layer(torch: GraphLogs) -> None:
    app = dashboard(FakeLoader(torch.load()), plugins=(PLUGIN,), settings=Settings(tag_filter="run"))
    async with app.run_test(size=(120, 60)) as pilot:
        await until(pilot, lambda: "Linear[0]" in screen_text(app))
        assert "7 ops · 128 parameters" in screen_text(app)
        await pilot.press("c", "question_mark")
        await until(pilot, lambda: "colour by: none" in screen_text(app))
        told = screen_text(app)
        for words in ("trace inputs", "find by name, type, device", "colour by"):
            assert words in told
        await pilot.press("escape", "j", "U")
        await until(pilot, lambda: "lead to" in screen_text(app) or "leads to" in screen_text(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.settings.tag_filter == "")
        assert app.settings.tag_filter == ""


async def test_graphs_pane_footer_offers_available_keys(logs: GraphLogs, torch: GraphLogs) -> None:
    for held, several in ((logs, True), (torch, False)):
        app = dashboard(FakeLoader(held.load()), plugins=(PLUGIN,))
        async with app.run_test(size=(200, 40)) as pilot:
            await until(pilot, lambda app=app: "parameters" in screen_lines(app)[-1])
            # No scope of the Keras model is like another one.
            await until(pilot, lambda app=app, held=held: ("c colour" in screen_lines(app)[-1]) == (held is torch))
            offered = screen_lines(app)[-1]
            assert ("[ ] graph" in offered) == several
            assert "x axis" not in offered
            await pilot.press("x")
            assert app.settings.x_axis == Settings().x_axis


async def test_graphs_pane_colour_key_is_hidden_without_colours(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "two")
    logs.add("plain", keras_model())
    logs.add("torch", torch_model())
    app = dashboard(FakeLoader(logs.load()), plugins=(PLUGIN,))
    async with app.run_test(size=(200, 40)) as pilot:
        await until(pilot, lambda: "InputLayer" in screen_text(app) and "c colour" not in screen_lines(app)[-1])
        await pilot.press("c", "right_square_bracket")
        await until(pilot, lambda: "2 of 2" in screen_text(app) and "c colour" in screen_lines(app)[-1])
        assert COLOUR.value(app.settings) == "structure"
        await pilot.press("c")
        await until(pilot, lambda: COLOUR.value(app.settings) == "none")


async def test_graphs_pane_axis_keys_are_hidden_while_the_sidebar_is_focused(torch: GraphLogs) -> None:
    app = dashboard(FakeLoader(torch.load()), plugins=(PLUGIN,))
    async with app.run_test(size=(200, 40)) as pilot:
        await until(pilot, lambda: "parameters" in screen_lines(app)[-1])
        await pilot.press("tab", "x", "+", "Y")
        await until(pilot, lambda: "solo" in screen_lines(app)[-1])
        assert "axis" not in screen_lines(app)[-1]
        assert app.settings == Settings()
        await pilot.press("question_mark")
        await until(pilot, lambda: "keys of Runs" in screen_text(app))
        assert not {word for word in ("x axis", "smooth more", "y scale") if word in screen_text(app)}


async def test_graphs_pane_help_has_one_line_per_key_pair(torch: GraphLogs) -> None:
    app = dashboard(FakeLoader(torch.load()), plugins=(PLUGIN,))
    async with app.run_test(size=(120, 100)) as pilot:
        await until(pilot, lambda: "Linear[0]" in screen_text(app))
        await pilot.press("question_mark")
        await until(pilot, lambda: "diagram, tree" in screen_text(app))
        told = [" ".join(line.split()) for line in screen_lines(app)]
        assert any("←→↑↓ hjkl move" in line for line in told)
        assert any("H L move the view left, right" in line for line in told)
        assert any("V direction: down" in line for line in told)
        assert any("pgup pgdn ^u ^d page up, down" in line for line in told)


async def test_graphs_pane_without_a_graph_only_graph_keys_are_offered(tmp_path: Path) -> None:
    logs = GraphLogs(tmp_path / "broken")
    logs.add("a", b"\xff\xff\xff")
    logs.add("b", {"no": "model"})
    app = dashboard(FakeLoader(logs.load()), plugins=(PLUGIN,))
    async with app.run_test(size=(200, 40)) as pilot:
        await until(pilot, lambda: "this graph cannot be shown" in screen_text(app))
        await until(pilot, lambda: "[ ] graph" in screen_lines(app)[-1])
        offered = screen_lines(app)[-1]
        assert not {word for word in ("open", "tree", "table", "find", "trace", "colour", "turn") if word in offered}
        assert "2 of 2" in screen_text(app)
        await pilot.press("enter", "U", "z", "w", "i", "right_square_bracket")
        await until(pilot, lambda: "1 of 2" in screen_text(app))
