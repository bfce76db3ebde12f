from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.settings import GraphNavigation
from tbtui.plugins.images.settings import ImageViewport
from tbtui.plugins.registry import list_plugin_settings
from tbtui.settings import kinds
from tbtui.settings import persistence as saved_module
from tbtui.settings.persistence import SavedState, SettingsFile, SidebarState, build_state_document, read_state
from tbtui.settings.settings import SETTINGS, ChartSettings, ReferenceLine, Settings, TagMerge
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

DECLARED = list_plugin_settings()

CHOICES = settings_of(
    run_filter="adam",
    tag_filter="(",
    hidden_runs=frozenset({"a", "b\udcff", "ü"}),
    solo="a",
    hidden_groups=frozenset({"loss"}),
    x_axis="wall",
    smoothing=0.85,
    empty_cards=True,
    pinned=("loss/val", "loss/train"),
    joints=(TagMerge(pattern="(.*)/(?:train|val)"), TagMerge(tags=("a", "b"))),
    group_level=2,
    group_pattern="(.*)_seed",
    spread="minmax",
    baseline="b\udcff",
    x_scale="symlog",
    x_range=(None, 12.5),
    skip_steps=2**60,
    y_scale="log",
    outliers="keep",
    charts={
        "loss/train": ChartSettings(
            "symlog", (0.0, None), (-1.0, 1e300), (ReferenceLine(0.5, "goal"),), "max", (0.5, None)
        )
    },
    extremes=True,
    superseded=True,
    linked=True,
    columns=3,
    row_order="nearest",
    max_steps=100_000,
    images="half",
    image_brightness=1.5,
    image_contrast=0.0,
    image_comparison="difference",
    text_raw=True,
    text_wrap=False,
    graph=("a", "keras"),
    graph_view="operations",
    graph_colour="memory",
    graph_aside=False,
    graph_across=True,
    graph_devices=frozenset({"/device:GPU:0"}),
    graph_looks={
        "keras": GraphNavigation(
            frozenset({"dense", "b\udcff/x"}), "dense", "dense/MatMul", frozenset({"dense/n_[1-9]"})
        ),
        "": GraphNavigation(),
    },
    graph_sort="time",
    graph_descending=True,
    figure="best",
    deltas=False,
    sort_tag="acc",
    sort_descending=True,
    tab="images",
)
KEPT = SavedState(
    CHOICES, SidebarState(open=False, folded_folders=frozenset({"dadam/"}), width=31), {"a": 3, "b\udcff": 0}, "nord"
)


def test_what_was_chosen_comes_back(tmp_path: Path) -> None:
    saved = SettingsFile(tmp_path / "deep" / "one.json", DECLARED)
    assert saved.load() == SavedState()
    saved.save(KEPT)
    saved.save(KEPT)
    assert saved.load() == KEPT
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["one.json"]


def test_the_same_directory_by_another_way_is_the_same_file(tmp_path: Path, own_directories: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (tmp_path / "link").symlink_to(logs)
    path = SettingsFile.of_paths([str(logs)]).path
    assert SettingsFile.of_paths([str(tmp_path / "link")]).path == path
    assert SettingsFile.of_paths([str(tmp_path / "x" / ".." / "logs")]).path == path
    assert SettingsFile.of_paths([str(tmp_path)]).path != path
    assert own_directories in path.parents


def test_settings_file_expands_the_home_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = SettingsFile.of_paths([str(tmp_path / "logs")]).path
    assert SettingsFile.of_paths(["~/logs"]).path == path
    assert SettingsFile.of_paths(["~/x/../logs"]).path == path


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"version": 2, "choices": {"tab": "x"}}',
        b"[" * 100_000,
        b'{"version": 1}',
    ],
)
def test_a_damaged_file_counts_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "one.json").write_bytes(content)
    assert SettingsFile(tmp_path / "one.json").load() == SavedState()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_counts_as_none(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "one.json")
    assert SettingsFile(tmp_path / "one.json").load() == SavedState()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("smoothing", 1.0),
        ("smoothing", -0.1),
        ("smoothing", float("nan")),
        ("smoothing", True),
        ("smoothing", "0.5"),
        ("x_axis", "sideways"),
        ("x_axis", ["step"]),
        ("hidden_runs", "abc"),
        ("hidden_runs", [1]),
        ("hidden_runs", ["x"] * 100_000),
        ("solo", 3),
        ("linked", 1),
        ("tab", None),
        ("y_scale", "logarithmic"),
        ("x_range", [1]),
        ("x_range", [2, 1]),
        ("x_range", [1, 1]),
        ("x_range", [0, float("inf")]),
        ("x_range", [0, 10**400]),
        ("columns", 99),
        ("columns", 2.0),
        ("skip_steps", -1),
        ("skip_steps", 2**63),
        ("max_steps", 0),
        ("joints", [{}]),
        ("joints", [{"tags": "ab"}]),
        ("pinned", [1]),
        ("charts", ["loss"]),
        ("charts", {"loss": {"y_scale": "odd", "lines": [{"name": "no value"}]}}),
        ("tag_filter", "x" * 100_000),
        ("graph", ["a"]),
        ("graph_view", "none"),
        ("graph_looks", {"keras": {}, "x" * 100_000: {}}),
    ],
)
def test_a_value_out_of_range_alone_is_dropped(field: str, value: Any) -> None:
    document = json.loads(json.dumps(build_state_document(KEPT)))
    document["choices"][field] = value
    default = {each.name: each.value(Settings()) for each in (*SETTINGS.values(), *DECLARED)}[field]
    assert read_state(document, DECLARED) == replace(KEPT, settings=settings_of(CHOICES, **{field: default}))


@pytest.mark.parametrize("width", [0, -5, 10**6, 31.0, True, "31", None])
def test_a_sidebar_of_no_width_that_a_terminal_has_is_as_wide_as_usual(width: object) -> None:
    document = build_state_document(KEPT)
    document["sidebar"]["width"] = width
    assert read_state(document, DECLARED) == replace(KEPT, sidebar=replace(KEPT.sidebar, width=None))


def test_where_the_user_looked_is_not_kept() -> None:
    looking = replace(KEPT, settings=settings_of(CHOICES, cursor=3.0, mark=5.0, focus="a", threshold=0.5))
    looking = replace(
        looking,
        settings=settings_of(
            looking.settings, image_steps={"a": 3.0}, image_sights={"a": ImageViewport(1.0, 0.5, 0.5)}
        ),
    )
    assert read_state(build_state_document(looking), DECLARED) == KEPT


def test_what_can_be_used_of_one_chart_is_kept() -> None:
    document = json.loads(json.dumps(build_state_document(KEPT)))
    document["choices"]["charts"]["loss/train"] |= {"y_scale": "odd", "lines": [{"y": "1"}], "x_range": [3, 3]}
    kept = read_state(document, DECLARED).settings.charts
    assert kept == {"loss/train": ChartSettings(y_range=(-1.0, 1e300), best="max", across_range=(0.5, None))}


def test_unknown_fields_are_ignored_and_bad_inks_dropped() -> None:
    document = build_state_document(KEPT) | {"later": 1}
    document["choices"]["later"] = 1
    document["inks"] = {"a": 3, "b": -1, "c": 4096, "d": True, "e": "1", "f": None}
    assert read_state(document, DECLARED) == replace(KEPT, inks={"a": 3})
    document["inks"] = ["a"]
    document["theme"] = 7
    assert (read_state(document, DECLARED).inks, read_state(document, DECLARED).theme) == ({}, None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = sorted(build_state_document(KEPT)["choices"]) + sorted(build_state_document(KEPT)["sidebar"])


@given(
    st.dictionaries(
        st.sampled_from(["choices", "sidebar", "inks", "theme"]),
        json_values | st.dictionaries(st.sampled_from(FIELDS), json_values),
    )
)
def test_no_document_raises(document: dict[str, Any]) -> None:
    assert isinstance(read_state({"version": 1, **document}, DECLARED), SavedState)


def test_only_so_many_directories_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_module, "MAX_FILES", 3)
    for i in range(5):
        SettingsFile(tmp_path / f"{i}.json").save(KEPT)
        os.utime(tmp_path / f"{i}.json", (i, i))
    SettingsFile(tmp_path / "new.json").save(KEPT)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["3.json", "4.json", "new.json"]


def test_too_many_names_are_cut_so_that_the_file_can_be_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (kinds,):
        monkeypatch.setattr(module, "MAX_NAMES", 3)
    many = frozenset(map(str, range(9)))
    saved = SettingsFile(tmp_path / "one.json", DECLARED)
    saved.save(SavedState(Settings(hidden_runs=many), SidebarState(folded_folders=many), {str(i): i for i in range(9)}))
    kept = saved.load()
    assert len(kept.settings.hidden_runs) == len(kept.sidebar.folded_folders) == len(kept.inks) == 3


def test_a_name_too_long_to_be_read_again_takes_no_other_with_it(tmp_path: Path) -> None:
    names = "short", "x" * (kinds.MAX_TEXT_CHARS + 1)

    def chosen(*names: str) -> SavedState:
        kept = frozenset(names)
        charts = dict.fromkeys(names, ChartSettings(y_scale="log"))
        looks = dict.fromkeys(names, GraphNavigation(opened=kept))
        joints = (TagMerge(tags=names), TagMerge(pattern="a"))
        settings = settings_of(
            hidden_runs=kept, hidden_groups=kept, pinned=names, charts=charts, joints=joints, graph_looks=looks
        )
        return SavedState(settings, SidebarState(folded_folders=kept))

    saved = SettingsFile(tmp_path / "one.json", DECLARED)
    saved.save(chosen(*names))
    assert saved.load() == chosen(names[0])


def test_a_directory_that_cannot_be_written_raises_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        SettingsFile(tmp_path / "file" / "one.json").save(KEPT)
