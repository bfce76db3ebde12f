"""What the Graphs tab lists, finds, marks and draws of graphs made by hand, without a screen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row, row_pieces
from tbtui.charts.text import cell_width, safe
from tbtui.plugins.graphs.diagram_layout import DiagramKey, LayoutCache
from tbtui.plugins.graphs.graph import build_graph, shape_text
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.item_colours import colour_items
from tbtui.plugins.graphs.item_columns import build_header, list_columns, select_columns
from tbtui.plugins.graphs.item_labels import format_full_name, format_memory, format_shapes, shorten_device
from tbtui.plugins.graphs.pane.details import Details, build_rows, collect_details, list_lines
from tbtui.plugins.graphs.pane.rows import OperationRows, SortedOperations, TreeRows
from tbtui.plugins.graphs.pane.views import NO_AREA, Area, arrange_parts
from tbtui.plugins.graphs.search import NO_PATH, format_results, highlight_items, search_graph, trace_highlights
from tbtui.plugins.graphs.settings import DESCENDING, SORT, VIEW, GraphView
from tbtui.plugins.graphs.transitions import sort_by
from tbtui.plugins.graphs.tree import Tree
from tbtui.settings.settings import Settings
from tests.helpers.graphs import Body, MadeGraph, Node, chain, residual_block, two_layers, with_function


def hierarchy_of(made: MadeGraph) -> Hierarchy:
    return Hierarchy(build_graph(made))


def item(hierarchy: Hierarchy, name: str) -> int:
    found = hierarchy.find_item(name)
    assert found is not None
    return found


@pytest.fixture
def layers() -> Hierarchy:
    return hierarchy_of(two_layers())


# Where everything stands


@given(st.integers(1, 300), st.integers(1, 100), st.sampled_from(VIEW.values), st.booleans())
def test_graphs_parts_are_inside_the_pane_and_do_not_overlap(
    width: int, height: int, view: GraphView, searched: bool
) -> None:
    found = arrange_parts(width, height, view, has_bar=searched)
    areas = (found.title, found.view, found.tree_header, found.tree, found.details_title, found.details, found.bar)
    cells: set[tuple[int, int]] = set()
    for area in areas:
        if area == NO_AREA:
            continue
        covered = {(x, y) for x in range(area.x, area.x + area.width) for y in range(area.y, area.y + area.height)}
        assert not cells & covered or height <= 2
        cells |= covered
    assert all(0 <= x < width for x, _ in cells)
    assert all(0 <= y < height for _, y in cells) or height <= 2
    assert (found.tree if view == "tree" else found.view).height >= 1


@pytest.mark.parametrize(
    ("size", "view", "shows"),
    [
        ((96, 36), "diagram", {"view", "tree_header", "tree", "details"}),
        ((58, 21), "diagram", {"view", "details"}),
        ((58, 21), "tree", {"tree_header", "tree", "details"}),
        ((44, 40), "operations", {"view", "details"}),
        ((39, 10), "diagram", {"view"}),
        ((39, 10), "tree", {"tree", "tree_header"}),
        ((96, 10), "diagram", {"view", "tree", "tree_header"}),
    ],
)
def test_graphs_parts_visible_views_depend_on_the_size(size: tuple[int, int], view: GraphView, shows: set[str]) -> None:
    found = arrange_parts(*size, view, has_bar=False)
    parts = {"view": found.view, "tree_header": found.tree_header, "tree": found.tree, "details": found.details}
    assert {name for name, area in parts.items() if area != NO_AREA} == shows
    assert found.title == Area(0, 0, size[0], 1)


# Words


def test_words_for_shapes_devices_and_bytes() -> None:
    assert [shape_text(shape) for shape in ((32, -1, 10), (), None)] == ["32×?×10", "scalar", ""]
    assert [format_shapes(shapes) for shapes in ((), ((2,),), ((2,), None))] == ["", "2", "2 tensors"]
    assert shorten_device("/job:worker/replica:0/task:1/device:GPU:0") == "GPU:0"
    assert shorten_device("/cpu:0") == "cpu:0"
    assert [format_memory(count) for count in (0, 12, 4200, 5e6, 3.2e15)] == [
        "",
        "12 B",
        "4.2 kB",
        "5.0 MB",
        "3,200 TB",
    ]


def test_short_names_in_functions_drop_the_function_section() -> None:
    hierarchy = hierarchy_of(with_function())
    assert format_full_name(hierarchy, item(hierarchy, "__function_library__square_sum/Add")) == "square_sum/Add"
    assert format_full_name(hierarchy, hierarchy.library) == hierarchy.leaf(hierarchy.library)


# The tree


def drawn_rows(hierarchy: Hierarchy, opened: set[int], width: int) -> list[str]:
    rows = TreeRows(Tree(hierarchy, opened), select_columns(list_columns(hierarchy, None), width), width)
    return ["".join(safe(text) for text, _ in row_pieces(row, width)) for row in rows]


def test_rows_show_as_many_details_as_fit(layers: Hierarchy) -> None:
    opened = {item(layers, "dense")}
    assert drawn_rows(layers, opened, 28)[1] == "▾ dense                  210"
    wide = drawn_rows(layers, opened, 60)
    assert wide[1].split() == ["▾", "dense", "5", "ops", "?×10", "210"]
    assert wide[3].split() == ["b", "VariableV2", "10", "10"]
    assert {len(row) for row in wide} == {60}
    assert drawn_rows(layers, opened, 12)[1] == "▾ dense     "


def test_rows_empty_columns_give_their_room_to_the_name() -> None:
    silent, told = "inference_one_step_on_data", "inference_two_steps_on_data"
    hierarchy = hierarchy_of(MadeGraph([Node(silent), Node(told, device="/device:GPU:0")]))
    columns = [column for column in list_columns(hierarchy, None) if column.title == "device"]
    rows = TreeRows(Tree(hierarchy, ()), columns, 32)
    lines = ["".join(text for text, _ in row_pieces(row, 32)) for row in rows]
    assert silent in lines[0]
    assert lines[1].endswith(" GPU:0   ")
    assert "…" in lines[1]


def test_rows_function_names_keep_their_ends() -> None:
    names = ("graph_9___inference_Dataset_grab_batch_1992", "graph_13___inference_one_step_on_data_2134")
    hierarchy = hierarchy_of(MadeGraph([], [Body(name, (Node("y", "Sum"),)) for name in names]))
    rows = drawn_rows(hierarchy, {hierarchy.library}, 30)[1:]
    assert [row.split()[1] for row in rows] == ["…e_Dataset_grab_batch_1992", "…nce_one_step_on_data_2134"]


def test_rows_deep_levels_still_show_names() -> None:
    hierarchy = hierarchy_of(chain("/".join("abcdefghijklmnop")))
    opened = set(range(hierarchy.nodes, len(hierarchy)))
    assert drawn_rows(hierarchy, opened, 24)[-1].strip() == "p"


def test_rows_similar_sibling_names_are_shortened_distinctly() -> None:
    leaves = [f"sequential_6_1_conv2d_{at}_biasadd_readvariableop_resource" for at in range(30)]
    hierarchy = hierarchy_of(chain(*(f"graph/{leaf}" for leaf in leaves)))
    shown = [row.split()[0] for row in drawn_rows(hierarchy, {item(hierarchy, "graph")}, 40)[1:]]
    assert len(shown) == len(set(shown)) == 30
    assert all("…" in name for name in shown)
    table = OperationRows(SortedOperations(hierarchy, None, np.arange(30, dtype=np.int32)), (), 24)
    assert len({row.label for row in table}) == 30
    assert all(cell_width(row.label) <= 24 for row in table)


def test_table_common_scope_is_dropped_from_names() -> None:
    hierarchy = hierarchy_of(chain("model/a/x", "model/a/y", "model/b"))
    every, two = np.arange(3, dtype=np.int32), np.arange(2, dtype=np.int32)
    assert names(SortedOperations(hierarchy, None, every)) == ["a/x", "a/y", "b"]
    assert names(SortedOperations(hierarchy, None, two)) == ["x", "y"]
    assert names(SortedOperations(hierarchy, None, two[:1])) == ["model/a/x"]
    left, _ = build_header((), "", descending=False, cursor="", scope=SortedOperations(hierarchy, None, two).scope)
    assert "".join(text for text, _ in left) == "name in model/a/"


def test_table_empty_columns_are_hidden() -> None:
    plain = list_columns(hierarchy_of(chain("a", "b", shape=None)), None)
    assert [column.title for column in plain] == ["type", "shape"]
    placed = hierarchy_of(MadeGraph([Node("a", device="/gpu:0", parameters=3)]))
    assert [column.title for column in select_columns(list_columns(placed, None), 200)] == [
        "type",
        "shape",
        "device",
        "params",
    ]


# The table


def names(operations: SortedOperations) -> list[str]:
    return [row.label for row in OperationRows(operations, (), 200)]


def test_table_sorts_by_numbers_and_texts(layers: Hierarchy) -> None:
    nodes = np.arange(layers.nodes, dtype=np.int32)
    largest = SortedOperations(layers, None, nodes, "params", descending=True)
    assert names(largest)[:2] == ["dense/w/(w)", "dense/b"]
    types = [layers.op(one) for one in SortedOperations(layers, None, nodes, "type").items.tolist()]
    assert types == sorted(types)
    by_name = names(SortedOperations(layers, None, nodes, "name", descending=True))
    assert by_name == sorted(by_name, reverse=True)
    shaped = SortedOperations(layers, None, nodes, "shape", descending=True)
    assert names(shaped)[0].startswith("dense/w")
    assert names(SortedOperations(layers, None, nodes)) == [
        format_full_name(layers, one) for one in range(layers.nodes)
    ]
    assert [shaped.row_index(one) for one in shaped.items.tolist()] == list(range(len(shaped)))
    assert SortedOperations(layers, None, nodes[:0], "time").row_index(0) is None


@pytest.mark.parametrize("descending", [True, False])
def test_table_rows_without_a_value_are_last_in_both_directions(descending: bool) -> None:
    held = [(0, None, ""), (7, (3,), "Add"), (0, None, ""), (2, (9,), "Mul")]
    made = [Node(f"n{at}", op, parameters=count, shapes=(shape,)) for at, (count, shape, op) in enumerate(held)]
    hierarchy = hierarchy_of(MadeGraph(made))
    nodes = np.arange(4, dtype=np.int32)
    for column in ("params", "shape", "type"):
        order = SortedOperations(hierarchy, None, nodes, column, descending=descending).items.tolist()
        assert order[2:] == [0, 2], column
        assert sorted(order[:2]) == [1, 3]


def test_table_column_sorts_descending_ascending_and_not_at_all() -> None:
    settings = Settings()
    seen = []
    for _ in range(3):
        settings = sort_by("params", settings)
        seen.append((SORT.value(settings), DESCENDING.value(settings)))
    assert seen == [("params", True), ("params", False), ("", False)]
    assert DESCENDING.value(sort_by("type", settings)) is False


# Details


def test_details_list_inputs_outputs_and_attributes(layers: Hierarchy) -> None:
    details = collect_details(layers, item(layers, "out/MatMul"))
    rows, targets = build_rows(details, 30)
    assert (details.name, rows[0].label) == ("out/MatMul", "MatMul · ?×1")
    assert [(row.prefix[0][0], row.label, row.right[0][0]) for row in rows if row.key in targets] == [
        ("← ", "dense/BiasAdd", "?×10"),
        ("← ", "w/read", "10×1"),
        ("→ ", "BiasAdd", "?×1"),
    ]
    assert next(layers.name(target) for target in targets.values()) == "dense/BiasAdd"
    wide, _ = build_rows(details, 80)
    assert wide[1].right[0][0] == "BiasAdd · ?×10"
    assert "← dense/BiasAdd  BiasAdd  ?×10" in list_lines(details)


def test_details_page_has_one_attribute_per_line_and_no_blank_end() -> None:
    texts = "a", "much_longer"
    rows = tuple(Row(text, ((f"{text}  ", Ink.DIM),), "1") for text in texts)
    assert list_lines(Details(0, "n", ("Op",), rows=rows)) == ("n", "Op", "", "a            1", "much_longer  1")
    assert list_lines(Details(0, "n", ("Op",))) == ("n", "Op")


def test_details_similar_inputs_are_shortened_distinctly() -> None:
    read = tuple(f"sequential_6_1_{layer}_1_readvariableop_resource" for layer in ("conv", "hidden", "dropout"))
    hierarchy = hierarchy_of(MadeGraph([*map(Node, read), Node("model", "Op", read)]))
    rows, targets = build_rows(collect_details(hierarchy, item(hierarchy, "model")), 32)
    labels = [row.label for row in rows if row.key in targets]
    assert len(set(labels)) == 3
    assert all(cell_width(label) <= 30 for label in labels)


def test_details_of_a_scope_count_its_content(layers: Hierarchy) -> None:
    details = collect_details(layers, item(layers, "dense"))
    assert "210 parameters" in details.properties
    assert any("2 VariableV2" in word for word in details.properties)


def test_details_report_missing_inputs() -> None:
    hierarchy = hierarchy_of(MadeGraph([Node("a", "Op", ("gone:1",))]))
    rows, targets = build_rows(collect_details(hierarchy, 0), 40)
    assert ("gone:1", "not in the graph") in [(row.label, row.right[0][0]) for row in rows if row.right]
    assert targets == {}


@pytest.mark.parametrize("made", [two_layers(), with_function(), residual_block(), MadeGraph([Node("a", "f", ("a",))])])
def test_details_exist_for_every_item(made: MadeGraph) -> None:
    hierarchy = hierarchy_of(made)
    for one in range(len(hierarchy)):
        rows, targets = build_rows(collect_details(hierarchy, one), 20)
        assert len({row.key for row in rows}) == len(rows)
        assert all(0 <= target < len(hierarchy) for target in targets.values())


# Finding and marking


def test_search_finds_names_operations_and_devices() -> None:
    hierarchy = hierarchy_of(
        MadeGraph([Node("a/x", "Conv2D", device="/gpu:0"), Node("a/y", "Conv2D"), Node("conv", "Add", device="/gpu:1")])
    )

    def found(query: str) -> set[str]:
        return {hierarchy.name(one) for one in search_graph(hierarchy, query).items.tolist()}

    assert found("conv") == {"a/x", "a/y", "conv"}
    assert found("type:conv") == {"a/x", "a/y"}
    assert found("device:gpu") == {"a/x", "conv"}
    assert found("conv device:gpu:1") == {"conv"}
    assert found("type:nothing") == set()
    assert found("(") == set()


def test_search_result_is_described() -> None:
    hierarchy = hierarchy_of(chain("a/x(", "b/y"))
    plain = search_graph(hierarchy, "x(")
    assert plain.is_plain
    assert format_results(0, plain) == "1 of 1 · read as plain text"
    assert format_results(-1, search_graph(hierarchy, "y")) == "1 found"
    assert format_results(-1, search_graph(hierarchy, "nowhere")) == "no match"
    assert format_results(-1, search_graph(hierarchy, "x" * 2000)) == "too long"


def test_highlight_of_a_scope_includes_its_content(layers: Hierarchy) -> None:
    marks = highlight_items(layers, np.array([item(layers, "dense/w/read")], np.int32))
    assert {layers.name(one) for one in np.flatnonzero(marks.flags)} == {"dense", "dense/w", "dense/w/read"}
    assert marks.select([layers.root, item(layers, "out")]) == frozenset()


def test_traces_report_their_extent(layers: Hierarchy) -> None:
    assert trace_highlights(layers, item(layers, "x"), "inputs").reason == "0 ops lead to x"
    assert trace_highlights(layers, item(layers, "dense/MatMul"), "inputs").reason == "3 ops lead to MatMul"
    assert trace_highlights(layers, item(layers, "out/MatMul"), "output").reason.startswith("2 steps from MatMul")
    empty = hierarchy_of(MadeGraph([]))
    assert trace_highlights(empty, empty.root, "output").reason == NO_PATH


# Diagrams


def key(hierarchy: Hierarchy, *opened: int, zoom: int | None = None, size: tuple[int, int] = (80, 60)) -> DiagramKey:
    return DiagramKey("graph", hierarchy.root, False, frozenset(opened), frozenset(), True, zoom, *size)


def test_diagram_fills_the_available_room() -> None:
    hierarchy, drawer = hierarchy_of(residual_block()), LayoutCache()
    zooms = [drawer.get(hierarchy, key(hierarchy, size=size)).zoom for size in ((80, 60), (80, 27), (80, 13), (80, 5))]
    assert zooms == sorted(zooms)
    assert zooms[0] == 0
    again = drawer.get(hierarchy, key(hierarchy))
    assert drawer.get(hierarchy, key(hierarchy)) is again


@pytest.mark.parametrize("zoom", range(4))
def test_diagram_names_are_cut_only_without_room(zoom: int) -> None:
    first, second = "a_name_of_more_than_" + "thirty_columns_" * 2, "another_name_of_that_kind_" + "and_so_on_" * 3
    hierarchy = hierarchy_of(chain(first, second))

    def names(width: int) -> list[str]:
        return [
            place.lines[0]
            for place in LayoutCache().get(hierarchy, key(hierarchy, zoom=zoom, size=(width, 0))).layout.boxes
        ]

    assert names(80) == [first, second]
    assert all("…" in name and len(name) <= 32 for name in names(40))
    side_by_side = hierarchy_of(MadeGraph([Node(f"{first}{number}") for number in range(4)]))
    layouts = {
        width: LayoutCache().get(side_by_side, key(side_by_side, zoom=zoom, size=(width, 0))).layout
        for width in (100, 300)
    }
    assert all("…" in place.lines[0] for place in layouts[100].boxes)  # in full they would need more rows
    assert not any("…" in place.lines[0] for place in layouts[300].boxes)


def test_layout_cache_is_bounded() -> None:
    hierarchy, drawer = hierarchy_of(two_layers()), LayoutCache()
    for width in range(40, 80):
        drawer.get(hierarchy, key(hierarchy, zoom=0, size=(width, 0)))
    assert len(drawer._cache) < 20


def test_colours_equal_layers_share_a_colour() -> None:
    blocks = chain(*(f"block_{number}/{name}" for number in range(3) for name in ("a", "b", "c")), "other/x")
    hierarchy = hierarchy_of(blocks)
    scopes = [item(hierarchy, name) for name in ("block_0", "block_1", "block_2", "other")]
    inks = colour_items(hierarchy, None, scopes, "structure")
    assert len({inks[scope] for scope in scopes[:3]}) == 1
    assert inks.get(scopes[3]) != inks[scopes[0]]
    assert colour_items(hierarchy, None, scopes, "time") == {} == colour_items(hierarchy, None, scopes, "none")


def test_colours_of_devices_start_with_the_most_used() -> None:
    nodes = [Node(f"n{number}", device=f"/gpu:{number % 3 // 2}") for number in range(9)]
    hierarchy = hierarchy_of(MadeGraph([*nodes, Node("free")]))
    inks = colour_items(hierarchy, None, range(hierarchy.nodes), "device")
    assert [inks.get(number) for number in (0, 1, 2, 9)] == [0, 0, 2, None]
