"""Names without what all of them share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.text import cell_width, safe
from tbtui.view.run_names import fit_names, fit_run_name, shorten_to_distinct


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("exp/adam/seed0", "exp/adam/seed1"), ("seed0", "seed1")),
        (("lr1e-3_seed0", "lr1e-3_seed11"), ("seed0", "seed11")),
        (("ddp [rank0]", "ddp [rank1]"), ("[rank0]", "[rank1]")),  # writers of one run
        (("a/b(x) c1", "a/b(x) c2"), ("c1", "c2")),
        (("exp/run_1", "exp/run_2"), ("run_1", "run_2")),
        (("lr-0.1", "lr-0.01"), ("lr-0.1", "lr-0.01")),
        (("exp/1", "exp/2"), ("1", "2")),
        (("2026-11-21_a", "2026-11-22_b"), ("21_a", "22_b")),
        (("train", "validation"), ("train", "validation")),
        (("exp/a",), ("exp/a",)),
        (("exp", "exp/a"), ("exp", "exp/a")),
        (("", "00"), ("␣", "00")),
        ((), ()),
    ],
)
def test_what_all_names_begin_with_is_left_out(names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert shorten_to_distinct(names) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("lr=1E-04,bs=64", "lr=1E-03,bs=64"), ("lr=1E-04,bs=64", "lr=1E-03,bs=64")),
        (("exp/opt=sgd,lr=1E-04", "exp/opt=sgd,lr=1E-03"), ("lr=1E-04", "lr=1E-03")),
        (("weight_decay=1", "weight_norm=1"), ("weight_decay=1", "weight_norm=1")),
        (("a/model=resnet-50", "a/model=resnet-18"), ("model=resnet-50", "model=resnet-18")),
        (("x/lr=0.001", "x/lr=0.0001"), ("lr=0.001", "lr=0.0001")),
        (("lr=1e-4", "lr=1e-4,bs=8"), ("lr=1e-4", "lr=1e-4,bs=8")),
        (("lr-3e-4", "lr-3e-5"), ("lr-3e-4", "lr-3e-5")),
        (("sgd/3E-4_a", "sgd/3E-5_b"), ("3E-4_a", "3E-5_b")),
        (("sgd/1.5e+10", "sgd/1.5e+11"), ("1.5e+10", "1.5e+11")),
        (("sgd/.001", "sgd/.002"), (".001", ".002")),
        (("a/0.001", "a/0.01", "a/0"), ("0.001", "0.01", "0")),
    ],
)
def test_distinct_names_cut_no_number_and_no_setting(names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert shorten_to_distinct(names) == expected


@pytest.mark.parametrize(
    ("names", "width", "expected"),
    [
        (("lr=1E-04,bs=64", "lr=1E-03,bs=64"), 14, ("lr=1E-04,bs=64", "lr=1E-03,bs=64")),
        (("lr=1E-04,bs=64", "lr=1E-03,bs=64"), 11, ("lr=1E-04", "lr=1E-03")),
        (("lr=1E-04,bs=64", "lr=1E-03,bs=64"), 6, ("lr1e-4", "lr1e-3")),
        (("adam_weight_decay=0.1", "adam_weight_decay=0.01"), 10, ("0.1", "0.01")),
        (("adam_lr=1e-4/seed=0", "sgd_lr=3e-4/seed=1"), 13, ("…seed=0", "…seed=1")),
        (("model_0.001_big", "model_0.002_tiny"), 10, ("0.001_big", "0.002_tiny")),
        (("run-20000-steps-0.001", "run-30000-steps-0.002"), 12, ("20000-…0.001", "30000-…0.002")),
    ],
)
def test_fit_names_narrow_column_keeps_numbers_whole(
    names: tuple[str, ...], width: int, expected: tuple[str, ...]
) -> None:
    assert fit_names(names, width) == expected


HYDRA = tuple(
    f"{number:02}/optimizer=adamw,optimizer.lr={lr},model={model},data.augment=rand-m9,seed={seed}"
    for number, (lr, model, seed) in enumerate(
        (lr, model, seed)
        for lr in ("0.0001", "0.0003")
        for model in ("vit_base_patch16", "resnet50")
        for seed in (0, 1)
    )
)


@pytest.mark.parametrize(
    ("width", "first", "last"),
    [
        (100, HYDRA[0], HYDRA[-1]),
        (50, "lr=0.0001 model=vit_base_patch16 seed=0", "lr=0.0003 model=resnet50 seed=1"),
        (30, "lr=1e-4 vit seed=0", "lr=3e-4 resnet50 seed=1"),
        (18, "lr1e-4 vit s0", "lr3e-4 res s1"),
        (12, "1e-4 vit 0", "3e-4 res 1"),
    ],
)
def test_fit_names_sweep_shows_the_settings_that_differ(width: int, first: str, last: str) -> None:
    shown = fit_names(HYDRA, width)
    assert (shown[0], shown[-1]) == (first, last)
    assert len(set(shown)) == len(HYDRA)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("adam/lr=0.1,bs=8", "sgd/lr=0.2,bs=8"), ("adam lr=0.1", "sgd lr=0.2")),  # what else differs stays
        (("a,x.lr=1,y.lr=3,z=0", "b,x.lr=2,y.lr=4,z=0"), ("a x.lr=1 y.lr=3", "b x.lr=2 y.lr=4")),
        (("lr=1,bs=8,aug=true", "lr=1,bs=8,aug=false"), ("aug=true", "aug=false")),
    ],
)
def test_fit_names_settings_keep_what_tells_runs_apart(names: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert fit_names(names, max(map(len, expected))) == expected


WRITERS = tuple(
    f"lr={lr},optimizer={name},seed=0 [node.{number}]"
    for lr in ("0.1", "0.01")
    for name in ("adamw", "sgd")
    for number in (17000000028, 17000000031)
)


@pytest.mark.parametrize(
    ("width", "first", "last"),
    [
        (50, WRITERS[0], WRITERS[-1]),
        (42, "lr=0.1 optimizer=adamw [node.17000000028]", "lr=0.01 optimizer=sgd [node.17000000031]"),
        (30, "lr=0.1 adamw [17000000028]", "lr=0.01 sgd [17000000031]"),
        (16, "lr0.1 ada […28]", "lr0.01 sgd […31]"),
        (14, "0.1 ada […28]", "0.01 sgd […31]"),
    ],
)
def test_fit_names_settings_stay_beside_the_writers_of_runs(width: int, first: str, last: str) -> None:
    shown = fit_names(WRITERS, width)
    assert (shown[0], shown[-1]) == (first, last)
    assert len(set(shown)) == len(WRITERS)


SWEEP = tuple(f"{name}_lr1e-{lr}/seed{seed}" for name in ("adamw", "sgd") for lr in (2, 3) for seed in (0, 3))


@pytest.mark.parametrize(
    ("names", "width", "expected"),
    [
        pytest.param(("exp/a", "exp/b"), 5, ("exp/a", "exp/b"), id="where there is room nothing is left out"),
        pytest.param(("exp/a", "exp/b"), 4, ("a", "b"), id="what all begin with goes first"),
        pytest.param(
            ("adam_lr1e-3_b64/seed0", "sgd_lr1e-2_b64/seed1"),
            18,
            ("adam_lr1e-3/seed0", "sgd_lr1e-2/seed1"),
            id="then whole parts that all share",
        ),
        pytest.param(("a/x/train", "b/x/train"), 6, ("a", "b"), id="at the end, too"),
        pytest.param(
            SWEEP,
            15,
            tuple(f"{name}…1e-{lr}/seed{seed}" for name in ("adam", "sgd_") for lr in (2, 3) for seed in (0, 3)),
            id="then what tells least apart",
        ),
        pytest.param(
            ("x" * 30 + "a" + "y" * 9, "x" * 30 + "b" + "y" * 9), 12, ("x…ayyyyyyyyy", "x…byyyyyyyyy"), id="wherever"
        ),
        pytest.param(
            ("xxaxxbxx", "xxbxxbxx", "xxaxxcxx", "xxbxxcxx"), 4, ("xxa…", "xxb…", "x~2", "x~3"), id="or numbers"
        ),
        pytest.param(
            ("debug", *(f"vit_b{some}_wd1e-4_cosine_seed42" for some in ("256_lr0.1", "512_lr0.1", "256_lr0.01"))),
            13,
            ("debug", "vit…b256…0.1…", "vit…b512…0.1…", "vit…b…0.01…"),
            id="or what those have in common that begin alike",
        ),
        pytest.param(
            ("bert-base-sst2-lr2e-5-s1", "bert-base-sst2-lr5e-5-s1", "bert-large-sst2-lr2e-5-s1", "xlm-s1"),
            12,
            ("bert…b…2e-5…", "bert…b…5e-5…", "bert…l…2e-5…", "xlm-s1"),
            id="an exponent's hyphen parts nothing",
        ),
        pytest.param(
            (
                "debug",
                *(f"adam_of_long_names_{lr}_and_some_more_words_{seed}_behind/end" for lr in "ab" for seed in "xy"),
            ),
            12,
            ("debug", "adam…a…x…end", "adam…a…y…end", "adam…b…x…end", "adam…b…y…end"),
            id="and their end where there is room",
        ),
        pytest.param(("", "a"), 3, ("␣", "a"), id="no name is a name"),
        pytest.param(("a" * 9,) * 2, 5, ("aa…aa",) * 2, id="the same run twice is the same"),
        pytest.param((), 5, (), id="none"),
    ],
)
def test_names_in_a_tight_place(names: tuple[str, ...], width: int, expected: tuple[str, ...]) -> None:
    assert fit_names(names, width) == expected


@given(
    st.lists(st.text("ab/_·\x00漢", max_size=40) | st.text(max_size=12), max_size=40, unique=True),
    st.integers(4, 40),
)
def test_names_that_differ_never_read_alike(names: list[str], width: int) -> None:
    shown = fit_names(tuple(names), width)
    assert len(set(shown)) == len(names)
    assert all(cell_width(text) <= width and safe(text) == text for text in shown)


LRS = "adam_lr1e-4_seed0", "adam_lr1e-3_seed0", "sgd_lr1e-4_seed0"


@pytest.mark.parametrize(
    ("rooms", "expected"),
    [
        ((17, 17, 17), LRS),
        ((12, 17, 17), ("a…1e-4_seed0", *LRS[1:])),
        ((17, 17, 12), (*LRS[:2], "s…1e-4_seed0")),
        ((30, 12, 14), (LRS[0], "a…1e-3_seed0", "sgd…1e-4_seed0")),
    ],
)
def test_fit_names_tightest_name_stays_distinct(rooms: tuple[int, ...], expected: tuple[str, ...]) -> None:
    assert fit_names(LRS, 17, rooms) == expected


def test_what_all_do_without_depends_on_the_usual_room_alone() -> None:
    names = "exp/seed0", "exp/seed1"
    assert fit_names(names, 9, (9, 5)) == ("exp/seed0", "ex…d1")
    assert fit_names(names, 8, (9, 5)) == ("seed0", "seed1")


@given(
    st.lists(
        st.tuples(st.text("ab/_·\x00漢", max_size=40) | st.text(max_size=12), st.integers(4, 40)),
        max_size=40,
        unique_by=lambda each: each[0],
    ),
    st.integers(4, 40),
)
def test_each_name_fits_its_own_room_and_reads_like_no_other(names: list[tuple[str, int]], width: int) -> None:
    rooms = tuple(room for _, room in names)
    shown = fit_names(tuple(name for name, _ in names), width, rooms)
    assert len(set(shown)) == len(names)
    assert all(cell_width(text) <= room for text, room in zip(shown, rooms, strict=True))


def test_no_room_at_all() -> None:
    assert max(len(name) - width for width in range(3) for name in fit_names(SWEEP, width)) == 0


def test_fit_names_by_ends_keeps_ends_that_are_distinct() -> None:
    functions = ("graph_9___inference_grab_batch_1992", "graph_13___inference_one_step_2134", "main")
    assert fit_names(functions, 80, (18, 20, 18), by_ends=True) == (
        "…e_grab_batch_1992",
        "…rence_one_step_2134",
        "main",
    )
    assert fit_names(("a_same_end", "b_same_end"), 80, (6, 6), by_ends=True) == ("a…_end", "b…_end")


def test_cut_of_a_setting_longer_than_its_room_fills_the_room() -> None:
    names = ("lr=1e-3+aug[v2]", "train", "train2")
    assert fit_names(names, 14)[0] == "lr=1e-3…ug[v2]"


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (40, "digits/adam_lr1e-3_h64/seed0"),
        (12, "seed0"),
        (5, "seed0"),
    ],
)
def test_fit_run_name_keeps_what_tells_a_run_apart(width: int, expected: str) -> None:
    runs = ("digits/adam_lr1e-3_h64/seed0", "digits/adam_lr1e-3_h64/seed1")
    assert fit_run_name(runs[0], runs, width) == expected


def test_fit_run_name_of_a_run_that_is_gone_loses_its_middle() -> None:
    assert fit_run_name("digits/adam_lr1e-3", ("other",), 9) == "digi…1e-3"
