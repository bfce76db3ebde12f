"""The Mesh tab as a user sees it: cards, keys, mouse, words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from textual.events import MouseScrollUp

from tbtui.charts.mesh_camera import MeshCamera
from tbtui.plugins.mesh.pane.pane import MeshPane
from tbtui.plugins.mesh.pane.view import MeshView
from tbtui.plugins.mesh.settings import COLOURS, COMPARISON, MODE, SHARED
from tests.helpers.mesh_logs import MeshLogs, cube, sphere
from tests.helpers.pane_app import PaneApp, pressed
from tests.helpers.screen_text import until

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

RED = np.array([[255, 0, 0]], np.uint8)


@pytest.fixture(autouse=True)
def true_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def logs(tmp_path: Path) -> MeshLogs:
    found = MeshLogs(tmp_path / "logs")
    points, faces = sphere()
    corners, sides = cube()
    found.add(
        "a",
        "ball",
        {step: {"vertices": points * (1 + step / 10), "faces": faces} for step in (0, 10, 20)},
    )
    found.add("a", "box", {0: {"vertices": corners, "faces": sides, "colours": np.repeat(RED, 8, 0)}})
    found.add("b", "ball", {20: {"vertices": points * 5, "faces": faces}})
    return found


def pane_of(app: PaneApp) -> MeshPane:
    assert isinstance(app.pane, MeshPane)
    return app.pane


def camera_of(app: PaneApp) -> MeshCamera:
    mesh = pane_of(app).opened.mesh
    assert mesh is not None
    return mesh.camera


async def rested(pilot: Pilot[None]) -> None:
    """Wait until the mesh is drawn with all its faces."""
    app = pilot.app
    assert isinstance(app, PaneApp)
    await until(pilot, lambda: pane_of(app)._rest is None)
    await pressed(pilot, "")


def drawn_colours(app: PaneApp) -> set[tuple[int, int, int]]:
    found = set()
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                if colour is not None and colour.triplet is not None:
                    found.add(tuple(colour.triplet))
    return found


async def test_cards_show_each_mesh_of_each_run(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(90, 40)) as pilot:
        await pressed(pilot, "")
        text = "\n".join(app.lines())
        assert text.count("ball ") == 2
        assert "box " in text
        assert "8 vertices · 12 faces" in text
        assert "⚠ 32 degenerate faces" in text
        assert "● a · step 20" in text
        assert "● b · step 20" in text
        assert "▀" in text or "▄" in text
        reds = [colour for colour in drawn_colours(app) if colour[0] > 60 and not colour[1] and not colour[2]]
        assert len(reds) >= 2, "the sides of the red box have different shades"


async def test_samples_have_a_card_each(tmp_path: Path) -> None:
    logs = MeshLogs(tmp_path / "logs")
    corners, sides = cube()
    logs.add("a", "m", {0: {"vertices": np.stack([corners] * 3), "faces": sides}})
    app = logs.app()
    async with app.run_test(size=(90, 40)) as pilot:
        await pressed(pilot, "")
        text = "\n".join(app.lines())
        assert all(f"m · {number} of 3" in text for number in (1, 2, 3))


async def test_opened_mesh_says_what_it_is(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter")
        text = "\n".join(app.lines())
        assert "‹ ball  a · step 20 · 128 vertices · 224 faces" in text
        assert "slanted · shaded" in text
        assert "⚠ 32 degenerate faces" in text
        assert "3 of 3 steps, newest" in text
        await pressed(pilot, "escape")
        assert pane_of(app).opened.key is None


async def test_sidebar_lists_meshes_rather_than_tags(logs: MeshLogs) -> None:
    logs.add("a", "body/hand", {0: {"vertices": cube()[0]}})
    app = logs.app()
    async with app.run_test(size=(90, 40)) as pilot:
        await pressed(pilot, "")
        pane = pane_of(app)
        assert pane.outline is not None
        assert [row.label for row in pane.outline.rows] == ["ball", "box", "body", "hand"]
        assert pane.outline.names == ("ball", "body/hand", "box")
        pane.reveal(pane.outline.rows[1].key)
        assert pane.grid.focused_key == pane.outline.rows[1].key
        pane.fold_group(pane.outline.rows[2].key)
        await pressed(pilot, "")
        assert [row.label for row in pane.outline.rows] == ["ball", "box", "body"]
        assert len(pane.grid.keys) == 3


async def test_filter_without_a_match_says_so(logs: MeshLogs) -> None:
    app = logs.app(tag_filter="nothing like it")
    async with app.run_test(size=(90, 40)) as pilot:
        await pressed(pilot, "")
        assert "no mesh matches “nothing like it”" in "\n".join(app.lines())


@pytest.mark.parametrize(("height", "bars"), [(40, 1), (12, 0)])
async def test_bar_of_steps_stands_below_cards_alone(logs: MeshLogs, height: int, bars: int) -> None:
    app = logs.app()
    async with app.run_test(size=(100, height)) as pilot:
        await pressed(pilot, "")
        assert "\n".join(app.lines()).count("of 3 steps, newest") == bars
        await pressed(pilot, "enter")
        assert "\n".join(app.lines()).count("of 3 steps, newest") == 1


async def test_arrows_orbit_and_capitals_do_so_a_little(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter right right up H")
        camera = camera_of(app)
        assert (camera.yaw, camera.pitch) == (30 - 20 + 2, 20 - 10)
        await rested(pilot)
        assert "yaw 12° pitch 10°" in "\n".join(app.lines())
        assert app.settings.cursor is None, "the arrows move no cursor"


async def test_keys_faster_than_frames_all_count(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter")
        await pilot.press(*["left"] * 9)
        await rested(pilot)
        assert camera_of(app).yaw == 120


async def test_zoom_shift_fit_and_sides(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter z z shift+right shift+up")
        camera = camera_of(app)
        assert camera.zoom == pytest.approx(2)
        assert (camera.x, camera.y) == (pytest.approx(0.1), pytest.approx(0.1))
        await pressed(pilot, "f V")
        camera = camera_of(app)
        assert (camera.zoom, camera.x, camera.side) == (1, 0, "front")
        names = []
        for _ in range(4):
            await pressed(pilot, "V")
            names.append(camera_of(app).side)
        assert names == ["side", "top", "slanted", "front"]


async def test_camera_of_the_log_comes_first_and_among_the_sides(tmp_path: Path) -> None:
    logs = MeshLogs(tmp_path / "logs")
    corners, sides = cube()
    config = '{"camera": {"cls": "PerspectiveCamera", "position": [0, 0, 6], "lookAt": [0, 0, 0], "fov": 50}}'
    logs.add("a", "m", {0: {"vertices": corners, "faces": sides}}, config=config)
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter")
        assert camera_of(app).view_angle == 50
        assert "camera of the log" in "\n".join(app.lines())
        await pressed(pilot, "V")
        assert camera_of(app).view_angle == 0
        await pressed(pilot, "V V V V")
        assert camera_of(app).view_angle == 50


async def test_mode_and_colours_change_by_key_and_are_named(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(110, 30)) as pilot:
        await pressed(pilot, "enter m")
        assert MODE.value(app.settings) == "wireframe"
        assert "wireframe" in "\n".join(app.lines())
        await pressed(pilot, "m m m m")
        assert MODE.value(app.settings) == "shaded"
        for name in ("none", "by height", "by part", "by how far moved"):
            await pressed(pilot, "D")
            assert f"colours {name}" in "\n".join(app.lines())
        assert "moved since step 10" in "\n".join(app.lines())
        assert COLOURS.value(app.settings) == "moved"


async def test_steps_move_all_cards_or_one(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter comma")
        assert app.settings.cursor == 10
        assert "step 10" in app.lines()[0]
        await pressed(pilot, "left_square_bracket")
        assert "step 0 alone" in "\n".join(app.lines())
        await pressed(pilot, "escape escape")
        assert app.settings.cursor is None


async def test_comparison_shows_two_runs_and_what_moved(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pressed(pilot, "enter d")
        text = "\n".join(app.lines())
        assert COMPARISON.value(app.settings) == "beside"
        assert "● b · step 20 · 128 vertices · 224 faces" in text
        assert "● a · step 20 · 128 vertices · 224 faces" in text
        await pressed(pilot, "d")
        assert "distance to b, step 20: mean 2.00, 95 % within 2.00, greatest 2.00" in "\n".join(app.lines())
        await pressed(pilot, "d")
        assert COMPARISON.value(app.settings) == "off"


async def test_marked_step_is_shown_beside(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 30)) as pilot:
        await pressed(pilot, "enter comma v comma")
        text = "\n".join(app.lines())
        assert "● a · step 10" in text
        assert "● a · step 0" in text
        await pressed(pilot, "d")
        assert "moved since step 10: mean 1.00, 95 % within 1.00, greatest 1.00" in "\n".join(app.lines())


async def test_one_camera_for_all_cards(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "enter V S n")
        assert SHARED.value(app.settings)
        assert camera_of(app).side == "front"
        await pressed(pilot, "S")
        assert camera_of(app).side == "slanted"


async def test_mouse_orbits_moves_and_zooms(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter")
        await pilot.mouse_down(MeshView, offset=(40, 10))
        await pilot.hover(MeshView, offset=(50, 10))
        await pilot.mouse_up(MeshView, offset=(50, 10))
        await rested(pilot)
        assert camera_of(app).yaw < 0, "the mesh follows the mouse to the right"
        view = app.query_one(MeshView)
        before = camera_of(app).zoom
        x, y = view.region.x + 20, view.region.y + 5
        view.post_message(MouseScrollUp(view, x, y, 0, -1, 0, False, False, False, screen_x=x, screen_y=y))
        await rested(pilot)
        camera = camera_of(app)
        assert camera.zoom > before
        assert camera.x > 0, "what is under the pointer stays there"
        await pilot.click(MeshView, offset=(40, 10), times=2)
        await rested(pilot)
        assert camera_of(app) == MeshCamera()


async def test_playing_shows_the_steps_in_turn(logs: MeshLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbtui.plugins.mesh.pane.pane.STEP_SECONDS", 0.01)
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter P")
        seen: set[Any] = set()
        await until(pilot, lambda: seen.add(app.settings.cursor) or {0, 10, 20} <= seen)
        await pressed(pilot, "P")
        assert pane_of(app).turn.is_playing
        await pressed(pilot, "P")
        assert not pane_of(app).turn.is_playing


async def test_figures_and_files(logs: MeshLogs, tmp_path: Path) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "end i")
        text = "\n".join(app.lines())
        assert "box 10 x 10 x 10" in text or "box 2 x 2 x 2" in text
        await pressed(pilot, "escape w")
        target = tmp_path / "out.ply"
        for _ in range(12):
            await pilot.press("backspace")
        await pilot.press(*str(target).replace("/", "\0").split("\0")[0])
        assert "write" in "\n".join(app.lines())


async def test_nothing_is_drawn_at_rest(logs: MeshLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter left")
        await rested(pilot)
        pane = pane_of(app)
        assert pane._rest is None
        painted = pane.opened._opened
        for _ in range(5):
            await pilot.pause()
        assert pane.opened._opened is painted


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (45, 45), (40, 12), (20, 6), (8, 3)])
@pytest.mark.parametrize("keys", ["", "enter", "enter c", "enter c c"])
async def test_every_size_is_drawn(logs: MeshLogs, size: tuple[int, int], keys: str) -> None:
    app = logs.app()
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, keys)
        assert "cannot be drawn" not in "\n".join(app.lines())


async def test_without_colours_meshes_are_dots(logs: MeshLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    app = logs.app(images="off")
    async with app.run_test(size=(60, 24)) as pilot:
        await pressed(pilot, "enter")
        picture = "\n".join(app.lines())
        assert any("⠀" < glyph <= "⣿" for glyph in picture)
        assert "dots" in picture
