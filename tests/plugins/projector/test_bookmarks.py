"""Saved views in the form of TensorBoard's bookmarks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tbtui.charts.point_cloud import Camera
from tbtui.plugins.projector.bookmarks import (
    encode_bookmarks,
    parse_bookmarks,
    read_bookmarks,
    restore_session,
    save_state,
)
from tbtui.plugins.projector.files.metadata import parse_metadata
from tbtui.plugins.projector.layouts import AxisQuery, LayoutChoice
from tbtui.plugins.projector.session import MapSession
from tests.helpers.projector_logs import clusters, embedding, last_points, points_of

if TYPE_CHECKING:
    from pathlib import Path

VALUES, NAMES = clusters()
POINTS = points_of(VALUES, parse_metadata("class\tnumber\n" + "".join(f"{name}\t1\n" for name in NAMES), 60))
SESSION = MapSession(
    layout=LayoutChoice("tsne", 3, perplexity=12, seed=4, axes=AxisQuery(left="cat", right="dog"), is_sphereised=True),
    camera=Camera(0.5, 0.25, 2.0, 0.1, -0.1),
    colour="class",
    label="number",
    selected=frozenset({3, 4}),
    isolated=frozenset(range(10)),
    cursor=3,
)


def test_view_reads_back_to_the_same_session() -> None:
    (bookmark,) = parse_bookmarks(encode_bookmarks([save_state(SESSION, POINTS, "mine")]))
    assert bookmark.label == "mine"
    assert restore_session(bookmark.state, POINTS, MapSession()) == SESSION


def test_view_has_the_names_of_selected_points() -> None:
    state = save_state(replace(SESSION, label="class"), POINTS, "mine")
    assert state["tbtuiSelectedLabels"] == ["cat", "dog"]


def test_bookmark_of_tensorboard_is_read(corpus: Path) -> None:
    points = last_points(corpus / "tf/bytes", "raw")
    (bookmark,), problem = read_bookmarks(embedding(corpus / "tf/bytes", "raw").versions[0])
    session = restore_session(bookmark.state, points, MapSession())
    assert problem == ""
    assert bookmark.label == "first view"
    assert (session.colour, session.label, session.selected) == ("group", "name", {3})
    assert (session.layout.kind, session.layout.components[:2], session.layout.perplexity) == ("pca", (0, 1), 8)


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"selectedProjection": 7, "pcaComponentDimensions": "x", "tSNEPerplexity": "many", "umapMinDist": None},
        {"selectedPoints": [1, 999, "a", None], "filteredPoints": {}, "tbtuiCamera": [0, 0, 0, 0, 0]},
        {"tSNEPerplexity": 1e300, "umapNeighbors": -5, "selectedColorOptionName": "gone", "tbtuiCursor": True},
    ],
)
def test_bookmark_with_odd_values_gives_a_valid_session(state: dict[str, object]) -> None:
    session = restore_session(state, POINTS, MapSession())
    assert session.selected <= {1}
    assert session.colour is None
    assert 2 <= session.layout.perplexity <= 100
    assert session.camera.zoom > 0
    assert len(set(session.layout.components)) == 3


@pytest.mark.parametrize("text", ["", "{", '{"label": 1}', "[" * 100_000])
def test_bookmarks_that_are_no_list_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_bookmarks(text)


def test_bookmarks_that_are_missing_or_damaged_are_named(corpus: Path, tmp_path: Path) -> None:
    for file in (corpus / "tf/bytes").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "state.json").write_text(json.dumps({"a": 1}))
    version = embedding(tmp_path, "raw").versions[0]
    assert read_bookmarks(version) == ([], "the bookmarks state.json are damaged: they are no list")
    (tmp_path / "state.json").unlink()
    assert read_bookmarks(version) == ([], "the file of bookmarks does not exist: state.json")
