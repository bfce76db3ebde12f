"""File names and folders that the save dialogs propose."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.widgets.file_saver import MAX_NAME_LETTERS, create_path_field, propose_chart_name, propose_name
from tests.helpers.views import plain_view


@pytest.mark.parametrize(
    ("default", "names", "proposed"),
    [
        ("scalars.csv", ("digits/seed0", "loss/train"), "digits-seed0-loss-train.csv"),
        ("scalars.csv", (".", "loss"), "loss.csv"),
        ("scalars.csv", ("", ""), "scalars.csv"),
        ("image", ("run", "../../etc/passwd"), "run-etc-passwd"),
        ("image", (), "image"),
        ("image", ("v1.2",), "v1-2"),
        ("sound.wav", ("-rf", "a b;c$(d)"), "rf-a-b-c-d.wav"),
        ("scalars.csv", ("lr=3e-4", "größe"), "lr=3e-4-größe.csv"),
    ],
)
def test_proposed_name_keeps_letters_of_runs_and_tags(default: str, names: tuple[str, ...], proposed: str) -> None:
    assert propose_name(default, *names) == proposed


@given(st.lists(st.text()))
def test_proposed_name_of_any_text_is_one_plain_file_name(names: list[str]) -> None:
    name = propose_name("scalars.csv", *names)
    assert Path(name).name == name
    assert name.endswith(".csv")
    assert name.isprintable()
    assert not name.startswith((".", "-"))
    assert len(name) <= MAX_NAME_LETTERS + len(".csv")


def test_chart_file_name_has_the_only_run() -> None:
    assert propose_chart_name("scalars.csv", plain_view({"a": {"loss": [1.0]}}), None, "loss") == "a-loss.csv"
    both = plain_view({"a": {"loss": [1.0]}, "b": {"loss": [1.0]}})
    assert propose_chart_name("scalars.csv", both, None, "loss") == "loss.csv"
    assert propose_chart_name("scalars.csv", both, "b", "loss") == "b-loss.csv"


def test_path_field_names_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert create_path_field("a.csv").hint.startswith(f"in {tmp_path}; ")
    tmp_path.rmdir()
    assert create_path_field("a.csv").hint.startswith("give a full path: the present directory is gone; ")
