from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.loading.asset_files import SETTLE_SECONDS, FollowedAssets, FoundAsset, assign_run
from tbtui.loading.assets import MAX_TENSOR_BYTES, Embedding, Profile, TensorShapes, describe_assets
from tbtui.loading.discovery import Discovery
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tests.helpers.log_directory import LogDirectory

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.loading.assets import RunAssets

TORCH_ENTRY = """embeddings {{
  tensor_name: "{name}:{step:05}"
  metadata_path: "{step:05}/{name}/metadata.tsv"
  sprite {{
    image_path: "{step:05}/{name}/sprite.png"
    single_image_dim: 8
  }}
  tensor_path: "{step:05}/{name}/tensors.tsv"
}}
"""


def embed(root: Path, name: str, step: int, points: int, dimensions: int) -> None:
    """Write what `add_embedding` of PyTorch writes."""
    directory = root / f"{step:05}" / name
    directory.mkdir(parents=True)
    row = "\t".join(["0.5"] * dimensions)
    (directory / "tensors.tsv").write_text(f"{row}\n" * points)
    (directory / "metadata.tsv").write_text("label\n" * points)
    (directory / "sprite.png").write_bytes(b"\x89PNG")
    with (root / "projector_config.pbtxt").open("a") as config:
        config.write(TORCH_ENTRY.format(name=name, step=step))


def profile(root: Path, session: str, file: str, content: bytes = b"\x22\x04host") -> Path:
    path = root / "plugins" / "profile" / session / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def assets(root: Path) -> tuple[RunAssets, ...]:
    state = Loader(parse_sources([str(root)])).load_all()
    assert tbtui.open(root, cache=False).assets == state.assets
    return state.assets


def test_embeddings_of_pytorch_are_grouped_by_name(tmp_path: Path) -> None:
    embed(tmp_path, "words", 0, 30, 8)
    embed(tmp_path, "words", 10, 30, 8)
    embed(tmp_path, "default", 0, 5, 3)
    (entry,) = assets(tmp_path)
    assert entry.run == "."
    assert entry.embeddings[0] == Embedding(
        "words",
        30,
        8,
        False,
        (0, 10),
        tuple(str(tmp_path / step / "words" / "tensors.tsv") for step in ("00000", "00010")),
        tuple(str(tmp_path / step / "words" / "metadata.tsv") for step in ("00000", "00010")),
        tuple(str(tmp_path / step / "words" / "sprite.png") for step in ("00000", "00010")),
    )
    assert entry.descriptions == (
        "an embedding of 30 x 8 points at 2 steps",
        "an embedding of 5 x 3 points",
    )


def test_embedding_in_a_checkpoint_is_named(tmp_path: Path) -> None:
    config = 'embeddings {\n  tensor_name: "embedding/.ATTRIBUTES/VARIABLE_VALUE"\n  metadata_path: "metadata.tsv"\n}\n'
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "projector_config.pbtxt").write_text(config)
    (entry,) = assets(tmp_path)
    assert (entry.run, entry.descriptions) == ("run", ("an embedding in a checkpoint",))


def test_tensors_without_a_config_are_an_embedding(tmp_path: Path) -> None:
    (tmp_path / "tensors.tsv").write_text("1\t2\n3\t4\n")
    (entry,) = assets(tmp_path)
    assert entry.descriptions == ("an embedding of 2 x 2 points",)


def test_number_of_points_of_a_long_file_is_an_estimate(tmp_path: Path) -> None:
    (tmp_path / "tensors.tsv").write_bytes(b"0\t1\n" * (MAX_TENSOR_BYTES // 2))
    (entry,) = assets(tmp_path)
    assert entry.descriptions == (f"an embedding of ~{MAX_TENSOR_BYTES // 2} x 2 points",)


@pytest.mark.parametrize("path", ["/etc/hostname", "../secret.tsv", "link.tsv"])
def test_config_does_not_lead_outside_of_its_directory(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.tsv").write_text("1\t2\n")
    directory = tmp_path / "run"
    directory.mkdir()
    (directory / "link.tsv").symlink_to(tmp_path / "secret.tsv")
    config = f'embeddings {{ tensor_name: "a" tensor_path: "{path}" }}'
    (directory / "projector_config.pbtxt").write_text(config)
    (entry,) = assets(directory)
    assert (entry.embeddings[0].tensors, entry.embeddings[0].points) == ((), None)


def test_profiles_are_counted_by_session(tmp_path: Path) -> None:
    paths = [
        profile(tmp_path / "train", "2026_11_25", "gpu1.xplane.pb"),
        profile(tmp_path / "train", "2026_11_25", "gpu2.xplane.pb"),
        profile(tmp_path / "train", "2026_11_26", "gpu1.trace.json.gz"),
    ]
    (entry,) = assets(tmp_path)
    assert entry.run == "train"
    assert entry.profiles == (
        Profile("2026_11_25", ("gpu1", "gpu2"), tuple(map(str, paths[:2])), 12),
        Profile("2026_11_26", ("gpu1",), (str(paths[2]),), 6),
    )
    assert entry.descriptions == ("2 profiles of gpu1, gpu2",)


def test_profile_in_the_log_directory_itself_is_named(tmp_path: Path) -> None:
    profile(tmp_path, "2026_11_25", "vm.xplane.pb")
    assert [(entry.run, entry.descriptions) for entry in assets(tmp_path)] == [(".", ("1 profile of vm",))]


@pytest.mark.parametrize("suffix", [".pt.trace.json", ".pt.trace.json.gz"])
def test_trace_of_pytorch_is_named(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"node-1_4242.1700000000123{suffix}").write_bytes(b"{}")
    assert [entry.descriptions for entry in assets(tmp_path)] == [("1 profile of node-1_4242",)]


def test_assets_beside_event_files_leave_the_run_as_it_is(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    logs.log("run", range(5))
    embed(tmp_path / "run", "words", 3, 4, 2)
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert [*state.snapshot.runs] == ["run"]
    assert [entry.descriptions for entry in state.assets] == [("an embedding of 4 x 2 points",)]


def test_assets_that_appear_later_are_found(tmp_path: Path) -> None:
    loader = Loader(parse_sources([str(tmp_path)]))
    assert loader.load_all().assets == ()
    profile(tmp_path, "now", "vm.xplane.pb")
    assert [entry.run for entry in loader.load_all().assets] == ["."]


def test_walk_makes_no_further_system_call_for_assets(tmp_path: Path) -> None:
    embed(tmp_path, "words", 0, 3, 2)
    polled: list[str] = []

    def status_of(path: str) -> object:
        polled.append(path)
        return (tmp_path / path).stat()

    discovery = Discovery(parse_sources([str(tmp_path)]), status_of=status_of)  # type: ignore[arg-type]
    assert [found.name for found in filter(None, discovery.walk())] == ["."]
    assert len(discovery.assets) == 4
    assert sorted(polled) == sorted(str(path) for path in (tmp_path, tmp_path / "00000", tmp_path / "00000" / "words"))


def test_missing_files_of_a_config_are_no_failure(tmp_path: Path) -> None:
    found = [FoundAsset(".", str(tmp_path / "projector_config.pbtxt")), FoundAsset(".", str(tmp_path / "tensors.tsv"))]
    (entry,) = describe_assets(found, TensorShapes())
    assert entry.descriptions == ("an embedding",)


@pytest.mark.parametrize(
    ("name", "path", "run", "tag"),
    [
        ("train/plugins/profile/s1", "/logs/train/plugins/profile/s1/vm.xplane.pb", "train", "s1"),
        ("plugins/profile/s1", "/logs/plugins/profile/s1/vm.xplane.pb", ".", "s1"),
        ("s1", "/logs/plugins/profile/s1/vm.xplane.pb", ".", "s1"),
        (".", "/logs/plugins/profile/s1/vm.xplane.pb", ".", "s1"),
        ("a", "/logs/a/rank0.1695835535.pt.trace.json.gz", "a", "rank0"),
        ("a", "/logs/a/odd.json", "a", "odd"),
        ("a/00010/words", "/logs/a/00010/words/tensors.tsv", "a", "words"),
        ("a/words", "/logs/a/words/tensors.tsv", "a/words", "words"),
        ("a", "/logs/a/projector_config.pbtxt", "a", "projector"),
        (
            "a/plugins/org_tensorflow_tensorboard_projector",
            "/logs/a/plugins/org_tensorflow_tensorboard_projector/projector_config.pbtxt",
            "a",
            "projector",
        ),
    ],
)
def test_asset_belongs_to_the_run_above_it(name: str, path: str, run: str, tag: str) -> None:
    owned = assign_run(FoundAsset(name, path))
    assert (owned.run, owned.tag) == (run, tag)
    # The directory is as many levels above the file as the run is above its directory.
    levels = len(path.split("/")) - len(owned.directory.split("/"))
    assert levels - 1 == len([part for part in name.split("/") if part != "."]) - len(
        [part for part in run.split("/") if part != "."]
    )


def test_directories_of_assets_are_runs_with_tags(tmp_path: Path) -> None:
    profile(tmp_path / "train", "now", "vm.xplane.pb")
    embed(tmp_path / "words", "default", 3, 4, 2)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "checkpoint").write_text('model_checkpoint_path: "m"')
    runs = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs
    assert {name: run.asset_tags for name, run in runs.items()} == {
        "train": {"profile": {"now"}},
        "words": {"projector": {"default", "projector"}},
    }
    assert [run.problem for run in runs.values()] == [None, None]
    read = tbtui.open(tmp_path, cache=False)
    assert {name: run.snapshot.assets for name, run in read.items()} == {n: run.assets for n, run in runs.items()}


def test_assets_beside_event_files_belong_to_their_run(tmp_path: Path) -> None:
    LogDirectory(tmp_path).log("train", range(5))
    profile(tmp_path / "train", "now", "vm.xplane.pb")
    (run,) = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs.values()
    assert ([*run.series], run.asset_tags) == (["loss"], {"profile": {"now"}})


def test_trace_named_on_the_command_line_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "any.json"
    path.write_text('{"traceEvents": []}')
    (run,) = Loader(parse_sources([str(path)]), reload_seconds=0).load_all().snapshot.runs.values()
    assert [(asset.tag, asset.path) for asset in run.assets] == [("any", str(path))]
    assert Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs == {}


def test_changed_and_removed_assets_make_another_revision(tmp_path: Path) -> None:
    first, second = (profile(tmp_path, session, "vm.xplane.pb") for session in ("a", "b"))
    loader = Loader(parse_sources([str(tmp_path)]), reload_seconds=0)
    before = loader.load_all().snapshot.runs["."]
    first.write_bytes(b"longer than before")
    changed = loader.load_all().snapshot.runs["."]
    second.unlink()
    removed = loader.load_all().snapshot.runs["."]
    first.unlink()
    assert before.revision < changed.revision < removed.revision
    assert [len(run.assets) for run in (before, changed, removed)] == [2, 2, 1]
    assert loader.load_all().snapshot.runs["."].vanished


def test_growing_asset_is_published_when_it_has_settled(tmp_path: Path) -> None:
    path = profile(tmp_path, "a", "vm.xplane.pb")
    modified = path.stat().st_mtime
    time = modified
    followed = FollowedAssets(status_of=os.stat, now=lambda: time, settle_seconds=SETTLE_SECONDS)
    owned = [assign_run(FoundAsset("plugins/profile/a", str(path)))]
    assert (followed.put(owned), followed.files, followed.is_settling) == (False, (), True)
    time = modified + 2.5
    followed.poll()
    assert ([file.bytes for file in followed.files], followed.is_settling) == ([6], False)
    path.write_bytes(b"0123456789")
    os.utime(path, (modified + 60, modified + 60))  # the clock of the file system is ahead
    followed.poll()
    assert ([file.bytes for file in followed.files], followed.is_settling) == ([6], True)
    time += SETTLE_SECONDS
    followed.poll()
    assert ([file.bytes for file in followed.files], followed.is_settling) == ([10], False)
    path.unlink()
    assert (followed.poll(), followed.poll(), followed.files) == (True, False, ())


@pytest.mark.parametrize("shape", ["[3, 5]", "3 tensor_shape: 5", "3, tensor_shape: 5"])
def test_embedding_of_raw_numbers_has_the_shape_of_its_config(tmp_path: Path, shape: str) -> None:
    (tmp_path / "t.bytes").write_bytes(b"\0\n\n\n" * 15)
    config = f'embeddings {{ tensor_name: "raw" tensor_path: "t.bytes" tensor_shape: {shape} }}'
    (tmp_path / "projector_config.pbtxt").write_text(config)
    (entry,) = assets(tmp_path)
    assert entry.descriptions == ("an embedding of 3 x 5 points",)


def test_embedding_of_raw_numbers_without_shape_has_no_invented_one(tmp_path: Path) -> None:
    (tmp_path / "t.bytes").write_bytes(b"\0\n\n\n" * 15)
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { tensor_name: "raw" tensor_path: "t.bytes" }')
    (entry,) = assets(tmp_path)
    assert entry.descriptions == ("an embedding",)
