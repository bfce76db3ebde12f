"""The Projector tab, driven by keys over real files."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

import tbtui
from tbtui.plugins.projector import session as transitions
from tbtui.plugins.projector.layouts import LayoutChoice
from tbtui.plugins.projector.pane.pane import ProjectorPane
from tbtui.plugins.projector.settings import EMBEDDING, VIEWS
from tbtui.widgets import worker as worker_module
from tbtui.widgets.grid_viewport import measure_rows
from tests.helpers.pane_app import AskedApp, pressed
from tests.helpers.projector_logs import clusters, snapshot_of, write_clusters, write_embedding
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from pathlib import Path

WIDE, MIDDLE, TALL, SMALL = (120, 40), (80, 24), (45, 45), (40, 12)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


def key_of(character: str) -> str:
    return {"/": "slash", "_": "underscore", ".": "full_stop", "-": "minus"}.get(character, character)


class ProjectorApp(AskedApp):
    @property
    def projector(self) -> ProjectorPane:
        return self.query_one(ProjectorPane)

    @property
    def session(self) -> Any:
        return self.projector.session


def app_of(logs: Path) -> ProjectorApp:
    return ProjectorApp(ProjectorPane(), snapshot_of(logs))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_clusters(tmp_path / "logs" / "run", (10, 20))
    return tmp_path / "logs"


@pytest.mark.parametrize("size", [WIDE, MIDDLE, TALL, SMALL])
async def test_first_screen_says_what_is_shown(logs: Path, size: tuple[int, int]) -> None:
    app = app_of(logs)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "")
        text = screen_text(app)
        assert "layer" in text
        assert "step 20" in text
        assert sum("\u2800" < character <= "\u28ff" for character in text) > 10
        if size != SMALL:
            assert "by class" in text
            assert "cat 20" in text


async def test_first_screen_tells_how_labels_agree(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        text = screen_text(app)
        assert "% 10-NN accuracy by class" in text
        assert "component · variance" in text


async def test_arrow_goes_to_a_point_and_lists_its_neighbours(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right")
        cursor = app.session.cursor
        assert cursor is not None
        assert "59 nearest, cosine" in screen_text(app)
        await pressed(pilot, "right")
        assert app.session.cursor != cursor
        await pressed(pilot, "t minus minus minus")
        assert "10 nearest, Euclidean" in screen_text(app)


async def test_enter_highlights_neighbours_and_escape_ends_that(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right enter")
        assert app.session.centre == app.session.cursor
        assert app.projector.scene.highlighted[0] == app.session.centre
        assert len(app.projector.scene.highlighted) == 60
        await pressed(pilot, "escape")
        assert app.session.centre is None


async def test_search_finds_points_by_expression_and_walks_through_them(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "slash ^ c a r enter")
        found = app.projector.loader.matches
        assert found == tuple(range(2, 60, 3))
        assert app.session.cursor == found[0]
        await pressed(pilot, "n n")
        assert app.session.cursor == found[2]
        await pressed(pilot, "N")
        assert app.session.cursor == found[1]
        assert "20 points found" in screen_text(app)
        await pressed(pilot, "escape")
        assert app.session.query == ""


async def test_search_by_an_invalid_expression_says_so_in_place(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "slash left_parenthesis")
        assert app.projector.widgets.bar.error is not None
        await pressed(pilot, "escape")
        assert app.session.query == ""


async def test_selected_points_are_isolated_with_the_same_distances(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right minus minus minus minus enter")
        before = app.projector.scene.state.positions
        near = app.projector.loader.neighbours
        await pressed(pilot, "s")
        assert app.session.isolated == {near.point, *near.indices.tolist()}
        assert app.projector.scene.state.positions is before
        assert "6 of 60 points isolated" in app.projector.status()
        await pressed(pilot, "a")
        assert app.session.isolated is None


async def test_rectangle_selects_the_points_in_it(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right v")
        corner = app.session.cursor
        await pressed(pilot, "right down right v")
        assert {corner, app.session.cursor} <= app.session.selected
        await pressed(pilot, "y")
        assert app.copied[0].count("\n") == len(app.session.selected) - 1


async def test_space_selects_and_deselects(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right space")
        assert app.session.selected == {app.session.cursor}
        await pressed(pilot, "space")
        assert not app.session.selected


async def test_colours_go_through_the_columns(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "c")
        assert "by number 0" in screen_text(app)
        await pressed(pilot, "c")
        assert "no colour" in screen_text(app)
        await pressed(pilot, "c")
        assert "by class" in screen_text(app)


async def test_step_keys_show_another_step_in_the_same_axes(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right")
        after, cursor = app.projector.scene.state.positions, app.session.cursor
        await pressed(pilot, "left_square_bracket")
        assert "step 10" in screen_text(app)
        assert app.session.cursor == cursor
        before = app.projector.scene.state.positions
        layer = tbtui.open(logs, cache=False)["run"].embeddings["layer"]
        points = layer.at(10), layer.at(20)
        axes = points[1]._points.components
        assert after == pytest.approx(axes.project(points[1].vectors)[:, :2], abs=1e-4)
        assert before == pytest.approx(axes.project(points[0].vectors)[:, :2], abs=1e-4)
        await pressed(pilot, "left_square_bracket")
        assert "step 20" in screen_text(app)


async def test_three_dimensions_rotate_with_shift_and_arrows(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "V")
        assert app.projector.scene.state.positions.shape == (60, 3)
        yaw = app.session.camera.yaw
        await pressed(pilot, "shift+right shift+right")
        assert app.session.camera.yaw == pytest.approx(yaw + 2 * 3.14159265 / 36)
        await pressed(pilot, "F")
        assert app.session.camera.yaw == yaw


async def test_components_of_the_axes_are_chosen(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "X Y")
        assert app.session.layout.components == (2, 3, 2)
        assert "PCA, axes 3 4" in screen_text(app)


async def test_layout_runs_live_and_is_paused_and_resumed(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        pane = app.projector
        pane.change(pane.session.__class__(layout=LayoutChoice("umap", epochs=10_000_000)))
        while pane.loader.state.step < 3:
            await pilot.pause()
        await pilot.press("P")
        await pane.idle()
        await pilot.pause()
        stopped = pane.loader.state.step
        assert "P go on" in screen_text(app)
        await pilot.press("P")
        while pane.loader.state.step < stopped + 3:
            await pilot.pause()
        await pilot.press("m")
        await pane.idle()
        assert pane.session.layout.kind == "axes"


async def test_layout_that_is_done_is_kept(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        pane = app.projector
        tsne = LayoutChoice("tsne", iterations=5, perplexity=5)
        pane.change(pane.session.__class__(layout=tsne))
        await pressed(pilot, "")
        done = pane.loader.state
        assert done.is_done
        pane.change(pane.session.__class__())
        await pressed(pilot, "")
        pane.change(pane.session.__class__(layout=tsne))
        assert pane.loader.state is done


async def test_parameters_are_entered_in_a_form(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "o")
        assert "perplexity" in screen_text(app)
        await pilot.press("right", "right", "enter")
        await app.projector.idle()
        assert app.session.layout.kind == "umap"


async def test_axes_form_refuses_labels_that_do_not_exist(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "x b i r d down c a t enter")
        assert "nothing matches" in screen_text(app)
        await pilot.press("ctrl+u", *"dog", "enter")
        await app.projector.idle()
        await pilot.pause()
        assert app.session.layout.kind == "axes"
        assert app.projector.scene.state.names[0] == "dog → cat"


async def test_lists_tell_mixed_labels_and_odd_points(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "left_square_bracket right B")
        assert "accuracy by label" in screen_text(app)
        assert "10-NN accuracy · purity · points" in screen_text(app)
        await pressed(pilot, "B")
        assert "labels that are mixed" in screen_text(app)
        await pressed(pilot, "B")
        assert "points among other labels" in screen_text(app)


@pytest.mark.parametrize("size", [WIDE, MIDDLE, TALL])
async def test_mixed_labels_name_both_labels_at_any_width(logs: Path, size: tuple[int, int]) -> None:
    app = app_of(logs)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "left_square_bracket right")
        widgets = app.projector.widgets
        assert widgets.rows.rows
        width = widgets.areas.rows.width - 1
        assert measure_rows(widgets.rows.rows) <= width


async def test_row_of_a_label_selects_its_points(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right B")
        app.projector.widgets.rows.focus()
        await pressed(pilot, "down")
        row = app.projector.widgets.rows.cursor_key
        code = int(row.partition(":")[0])
        column = app.projector.scene.colour_column
        assert app.session.selected == {row for row in range(60) if column.codes[row] == code}


async def table_of(pilot: Any, app: ProjectorApp, keys: str) -> list[int]:
    """Press keys, and return the numbers of the points of the table in sight."""
    await pressed(pilot, keys)
    return [int(key) for key in app.projector.widgets.table.rows_in_sight]


async def test_table_lists_all_points_and_sorts_by_any_column(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        assert (await table_of(pilot, app, "T"))[:5] == [0, 1, 2, 3, 4]
        text = screen_text(app)
        assert all(title in text for title in ("class", "number", "norm", "nearest", "label", "away", "alike"))
        assert app.projector.key_word("neighbours") == "nearest"
        assert (await table_of(pilot, app, "right enter"))[:3] == [2, 5, 8]  # class: car, cat, dog
        assert app.projector.key_word("neighbours") == "sort"
        assert app.session.cursor == 2
        assert (await table_of(pilot, app, "enter"))[:3] == [1, 4, 7]
        assert (await table_of(pilot, app, "right enter enter"))[:3] == [59, 58, 57]  # number
        lengths = app.projector.loader.points.index.lengths
        found = await table_of(pilot, app, "right enter")
        assert found == lengths.argsort(kind="stable").tolist()[: len(found)]
        assert (await table_of(pilot, app, "enter enter"))[:3] == [0, 1, 2]


async def test_table_shares_cursor_selection_and_search_with_the_map(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right")
        at = app.session.cursor
        await pressed(pilot, "T")
        assert app.projector.widgets.table.cursor_row == str(at)
        await pressed(pilot, "g down space")
        assert app.session.selected == {1}
        assert app.session.cursor == 1
        await pressed(pilot, "slash c a r enter")
        assert await table_of(pilot, app, "") == list(range(2, 60, 3))
        await pressed(pilot, "escape T")
        assert app.projector.widgets.map.has_focus
        assert app.session.cursor == 2
        await pressed(pilot, "T escape escape")
        assert not app.session.is_table


async def test_table_has_distances_from_the_highlighted_point(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "T down enter")
        assert app.session.centre == 1
        assert "to 1" in screen_text(app)
        pane = app.projector
        pane.change(transitions.sort_by(pane.session, "distance"))
        found = await table_of(pilot, app, "")
        assert found[0] == 1
        near, _ = pane.loader.points.index.find_nearest(1, 10, "cosine")
        assert found[1:11] == near.tolist()
        await pressed(pilot, "slash z z z enter")
        assert "no point is listed" in screen_text(app)


async def test_paths_lead_through_all_steps(tmp_path: Path) -> None:
    write_clusters(tmp_path / "logs" / "run", (10, 20, 30))
    app = app_of(tmp_path / "logs")
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "d")
        assert "all 3 steps" in screen_text(app)
        await pilot.press("enter")
        await pressed(pilot, "")
        assert "moved over 3 steps" in screen_text(app)
        comparison = app.projector.scene.comparison
        assert [path.shape for path in comparison.paths] == [(60, 2)] * 3
        assert comparison.steps == (10, 20, 30)
        assert (comparison.distances > 0).all()


async def test_comparison_follows_layout_and_step(tmp_path: Path) -> None:
    write_clusters(tmp_path / "logs" / "run", (10, 20, 30))
    app = app_of(tmp_path / "logs")
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "d down")
        await pilot.press("enter")
        await pressed(pilot, "")
        first = app.projector.scene.comparison
        await pressed(pilot, "V")
        assert app.projector.scene.comparison.positions.shape == (60, 3)
        await pressed(pilot, "V left_square_bracket")
        assert app.projector.scene.comparison is not None
        assert app.projector.scene.comparison.distances.sum() != first.distances.sum()


async def test_list_moves_the_cursor_on_the_map(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right")
        start, near = app.session.cursor, app.projector.loader.neighbours
        app.projector.widgets.rows.focus()
        await pressed(pilot, "down down")
        assert app.session.cursor == int(near.indices[2])
        assert app.session.centre == start


async def test_comparison_with_a_step_lists_what_moved(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "d")
        assert "step 10" in screen_text(app)
        await pilot.press("enter")
        await pressed(pilot, "")
        assert "points that moved" in screen_text(app)
        assert "of 15 neighbours kept" in screen_text(app)
        await pressed(pilot, "R")
        assert screen_text(app).count("· layer · step") == 2
        await pressed(pilot, "escape")
        assert app.projector.scene.comparison is None


async def test_another_embedding_is_chosen_and_remembered(tmp_path: Path) -> None:
    write_clusters(tmp_path / "a", name="first")
    write_clusters(tmp_path / "b", name="second")
    app = app_of(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "I")
        await pilot.press("down", "enter")
        await pressed(pilot, "")
        assert "second" in screen_text(app)
        assert EMBEDDING.value(app.settings) == "b\nsecond"


async def test_embedding_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "projector_config.pbtxt").write_text('embeddings { tensor_name: "words" }')
    app = app_of(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        text = " ".join(screen_text(app).split())
        assert "this embedding cannot be shown" in text
        assert "projector_config.pbtxt names no checkpoint, and there is no file 'checkpoint' beside it" in text
        await pressed(pilot, "i")
        assert "words" in screen_text(app)


async def test_points_without_metadata_are_shown_by_number(tmp_path: Path) -> None:
    write_embedding(tmp_path / "run", clusters()[0])
    app = app_of(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right c e x")
        assert "points bear numbers" not in screen_text(app)
        assert str(app.session.cursor) in screen_text(app)
        assert any("no metadata" in said for said in app.said)


async def test_escape_sequences_in_labels_do_not_reach_the_terminal(tmp_path: Path) -> None:
    write_embedding(tmp_path / "run", clusters()[0], "\x1b[31mred\n" * 30 + "中文标签\n" * 30)
    app = app_of(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right enter")
        assert "\x1b" not in screen_text(app)
        assert "·[31mred" in screen_text(app)


async def test_changed_file_is_read_again(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right")
        tensors = logs / "run" / "00020" / "layer" / "tensors.tsv"
        tensors.write_text("\n".join(tensors.read_text().splitlines()[:30]) + "\n")
        app.store = snapshot_of(logs)
        app.look()
        await pressed(pilot, "")
        assert app.projector.loader.points.count == 30
        assert "60 rows for 30 points" in app.projector.status()


async def test_sprite_shows_beside_the_point(corpus: Path) -> None:
    app = app_of(corpus / "torch")
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right")
        assert app.projector.loader.sprite is not None
        cells = app.projector.widgets.details._cells
        assert cells.colours is not None
        drawn = cells.colours != 0
        assert int(drawn[-4:].sum()) == 4 * 4 * 8  # the four nearest, below the facts
        assert int(drawn[:-4].sum()) > 30


async def test_damaged_sprite_is_reported_and_points_are_drawn(corpus: Path, tmp_path: Path) -> None:
    logs = tmp_path / "copy"
    shutil.copytree(corpus / "torch", logs)
    sprites = list(logs.rglob("sprite.png"))
    assert sprites
    for sprite in sprites:
        sprite.write_bytes(b"not a picture")
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right")
        assert app.projector.loader.sprite is None
        assert any("sprite" in text.lower() for text in app.said)
        assert app.projector.scene is not None


async def test_variables_of_optimisers_are_listed_on_request(corpus: Path) -> None:
    app = app_of(corpus / "tf" / "tf2_dtypes")
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        assert len(app.projector.loader.listed.sources) == 6
        await pressed(pilot, "A")
        assert len(app.projector.loader.listed.sources) == 12


async def test_points_are_written_with_coordinates_and_metadata(logs: Path, tmp_path: Path) -> None:
    app = app_of(logs)
    target = tmp_path / "points.csv"
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "w")
        await pilot.press("ctrl+u", "ctrl+k", *map(key_of, str(target)), "enter")
        for _ in range(200):
            await pilot.pause(0.01)
            if target.exists():
                break
    rows = target.read_text().splitlines()
    assert rows[0] == "run,tag,step,index,x,y,z,norm,metadata.class,metadata.number"
    assert len(rows) == 61


@pytest.mark.parametrize(("name", "begin"), [("map.svg", b"<svg "), ("map.png", b"\x89PNG")])
async def test_picture_of_the_map_is_written(logs: Path, tmp_path: Path, name: str, begin: bytes) -> None:
    app = app_of(logs)
    target = tmp_path / name
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right enter w")
        await pilot.press("ctrl+u", "ctrl+k", *map(key_of, str(target)), "enter")
        for _ in range(200):
            await pilot.pause(0.01)
            if target.exists():
                break
    assert target.read_bytes().startswith(begin)


async def test_pixels_of_a_terminal_without_any_are_refused_in_words(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        monkeypatch.setattr(app.projector.output, "begin", lambda setting: True)  # it has answered
        await pressed(pilot, "Q")
        await pressed(pilot, "")  # the settings change by a message of their own
        assert app.said == ["dots are shown: this terminal draws no pixels"]
        await pressed(pilot, "Q")
        assert len(app.said) == 1


async def test_view_is_saved_and_shown_again(logs: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "right space c V W")
        assert "save this view" in screen_text(app)
        await pilot.press("enter", *"mine", "enter")
        await pilot.pause()
        saved = app.session
        assert list(VIEWS.value(app.settings)) == ["layer\nmine"]
        await pressed(pilot, "space c V W")
        assert "mine" in screen_text(app)
        await pilot.press("enter")
        await pressed(pilot, "")
        assert app.session == saved


async def test_bookmark_of_the_log_is_listed(corpus: Path) -> None:
    app = app_of(corpus / "tf" / "bytes")
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "W")
        assert "first view" in screen_text(app)
        await pilot.press("enter")
        await pressed(pilot, "")
        assert app.session.selected == {3}


async def test_named_point_is_under_the_cursor_at_the_begin(logs: Path) -> None:
    app = ProjectorApp(ProjectorPane(), snapshot_of(logs), point="17")
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        assert (app.session.cursor, app.session.centre) == (17, 17)


async def test_layout_stops_when_its_tab_is_left_and_goes_on_after(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = app_of(logs)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        pane = app.projector
        pane.change(pane.session.__class__(layout=LayoutChoice("umap", epochs=10_000_000)))
        while pane.loader.state.step < 3:
            await pilot.pause()
        pane.on_hide()
        await pane.layouts.idle()  # would not end if the layout still ran
        stopped = pane.loader.state.step
        assert pane.loader.is_running
        pane.on_show()
        while pane.loader.state.step < stopped + 3:
            await pilot.pause()
        pane.loader.stop_layout()


async def test_another_embedding_replaces_a_running_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    write_clusters(tmp_path / "a", name="first")
    write_clusters(tmp_path / "b", name="second")
    app = app_of(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        pane = app.projector
        pane.change(pane.session.__class__(layout=LayoutChoice("tsne", iterations=10_000_000, perplexity=5)))
        while pane.loader.state.step < 3:
            await pilot.pause()
        pane.navigator.choose(pane.loader.listed.sources[1])
        await pane.idle()
        await pilot.pause()
        assert pane.loader.state.is_done
        assert pane.session.layout.kind == "pca"
        assert "second" in screen_text(app)


async def test_tag_of_the_sidebar_shows_its_embedding(corpus: Path) -> None:
    app = app_of(corpus / "torch")
    async with app.run_test(size=WIDE) as pilot:
        await pressed(pilot, "")
        app.projector.reveal("plain")
        await pressed(pilot, "")
        assert app.projector.loader.source.embedding.name == "plain"
        app.projector.reveal("feat%2fpenultimate")
        await pressed(pilot, "")
        assert app.projector.loader.source.embedding.name == "feat/penultimate"
