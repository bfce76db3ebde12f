"""Test file names derived from any run and tag names."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tbtui.export.output import FileNames, StepNames

ANYTHING = st.text(max_size=300) | st.sampled_from(
    ["..", "../..", "/", "CON", "nul.txt", "a" * 500, "\udcff", "\0", ""]
)


@pytest.mark.parametrize(
    ("run", "tag", "stem"),
    [
        ("adam/seed0", "loss/train", "adam_seed0-loss_train"),
        (".", "samples", "samples"),
        ("lr=1e-3", "x y", "lr=1e-3-x_y"),
        ("../../etc", "passwd", "etc-passwd"),
        ("..", "..", "unnamed"),
        ("-rf", ".hidden", "rf-hidden"),
        ("con", "", "_con"),
        ("Aux.old", "x", "_Aux.old-x"),
        ("COM¹", "", "_COM¹"),
        ("run", "错误预测样本", "run-错误预测样本"),
        ("run", "cafe\u0301", "run-café"),
        ("run", "evil\x1b]0;title\x07", "run-evil_0_title"),
        ('a\\b:c*d?e"f<g>h|i', "\udcff", "a_b_c_d_e_f_g_h_i"),
        ("r", "x" * 60 + "y" * 60, "r-" + "x" * 26 + "_" + "y" * 53),
    ],
)
def test_file_names_stay_readable(run: str, tag: str, stem: str) -> None:
    assert FileNames().stem(run, tag) == stem


def test_file_names_that_would_collide_are_distinct() -> None:
    names = FileNames()
    pairs = [("a/b", "x"), ("a_b", "x"), ("A/B", "X"), ("a/b", "ｘ"), ("a", "b-x"), ("a-b", "x"), ("a-b~2", "x")]
    stems = [names.stem(run, tag) for run, tag in pairs]
    assert stems == ["a_b-x", "a_b-x~2", "A_B-X~3", "a_b-ｘ~4", "a-b-x", "a-b-x~2", "a-b_2-x"]


@given(st.lists(st.tuples(ANYTHING, ANYTHING), max_size=20), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8))
@example([("con", ""), ("CON", "")], [1, 1])
@example([("straße", "x"), ("STRASSE", "X")], [-1, 1, 1])
def test_file_names_never_leave_the_folder_or_collide(series: list[tuple[str, str]], steps: list[int]) -> None:
    stems = FileNames()
    found = []
    for run, tag in series:
        names = StepNames(stems.stem(run, tag), np.array(steps, np.int64))
        found += [names.name(point, ".png") for point in range(len(steps))]
        found += [names.name(point, ".bin", sample) for point in range(len(steps)) for sample in (0, 10)]
    for name in found:
        assert len(name.encode()) < 255
        assert name[0] not in ".-~ "
        assert not set(name) & set('/\\:*?"<>|')
        assert not any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"} for letter in name)
        assert name.split(".")[0].upper() not in {"CON", "PRN", "AUX", "NUL", "COM1", "LPT9"}
    assert len({unicodedata.normalize("NFD", name).casefold() for name in found}) == len(found)


def test_file_names_of_steps_sort_and_state_the_sample() -> None:
    names = StepNames("x", np.array([5, 100, 5, 5]))
    assert [names.name(point, ".png") for point in range(4)] == [
        "x-step005.png",
        "x-step100.png",
        "x-step005~2.png",
        "x-step005~3.png",
    ]
    assert names.name(2, ".wav", 0) == "x-step005~2_0.wav"
