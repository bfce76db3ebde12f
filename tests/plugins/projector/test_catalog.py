"""Find the embeddings of a directory, and read their points."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.plugins.projector.catalog import find_embeddings
from tbtui.plugins.projector.files.sprite import SpriteError
from tbtui.plugins.projector.files.tensor_file import TensorFileError
from tbtui.plugins.projector.points import PointCache, load_sprite, read_points
from tests.helpers.projector_logs import clusters, embedding, expected, last_points, write_clusters, write_embedding

if TYPE_CHECKING:
    from pathlib import Path

TENSORBOARD = "torch/run", "tf/bytes", "tf/tf2_tutorial", "tf/tf1_v2", "tf/tf1_v1", "tf/tf1_sharded", "tf/tf1_parts"


@pytest.mark.parametrize("directory", TENSORBOARD)
def test_embeddings_of_tensorboard_are_found_with_equal_values(directory: str, corpus: Path) -> None:
    first, second = directory.split("/")
    served = expected(corpus)["tensorboard"][first][second]["."]["embeddings"]
    found = {}
    for each in find_embeddings(str(corpus / directory), str(corpus)).embeddings:
        for version in each.versions:
            found[version.entry.tensor_name] = version
    assert {entry["tensorName"] for entry in served} <= set(found)
    for entry in served:
        *_, points = read_points(found[entry["tensorName"]])
        assert list(points.values.shape) == entry["tensorShape"]
        assert zlib.crc32(points.values.tobytes()) == entry["crc_f4"]


@pytest.mark.parametrize("step", [0, 1, 2])
def test_components_and_neighbours_equal_those_expected(step: int, corpus: Path) -> None:
    points = last_points(corpus / "torch/run", "feat/penultimate", step)
    facts = expected(corpus)["analysis"]["tensors"][f"torch/run/{step * 10:05}/feat%2fpenultimate/tensors.tsv"]
    assert np.allclose(points.components.shares[:5], facts["pca_variance"], atol=1e-4)
    for metric in ("cosine", "euclidean"):
        found, distances = points.index.find_nearest(0, 5, metric)
        wanted = facts[f"nearest_{metric}_of_first_finite_row"]
        assert found.tolist() == [row for row, _ in wanted]
        assert np.allclose(distances, [distance for _, distance in wanted], atol=1e-4)


def test_steps_of_a_tag_are_versions_of_one_embedding(corpus: Path) -> None:
    found = embedding(corpus / "torch/run", "feat/penultimate")
    assert found.steps == (0, 10, 20)
    assert [version.entry.tensor_name for version in found.versions][-1] == "feat/penultimate:00020"


def test_folders_that_the_configuration_lacks_are_found(tmp_path: Path) -> None:
    write_clusters(tmp_path, (10, 20))
    config = tmp_path / "projector_config.pbtxt"
    config.write_text(config.read_text()[config.read_text().index("embeddings", 5) :])
    found = embedding(tmp_path, "layer")
    assert found.steps == (10, 20)
    assert last_points(tmp_path, "layer", 0).metadata.columns[0].name == "class"


def test_checkpoints_are_steps_and_slots_are_marked(corpus: Path) -> None:
    found = find_embeddings(str(corpus / "tf/tf2_dtypes"), str(corpus)).embeddings
    assert found[0].title == "emb_f4"
    assert found[0].steps == (10, 20)
    assert [each.is_slot for each in found] == sorted(each.is_slot for each in found)
    assert sum(each.is_slot for each in found) == 6
    assert "words" not in {each.title for each in found}


def test_checkpoint_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { tensor_name: "embed0:0" metadata_path: "w.tsv" }')
    with pytest.raises(TensorFileError, match="names no checkpoint, and there is no file 'checkpoint' beside it"):
        last_points(tmp_path, "embed0")
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "/data/model.ckpt-7"')
    with pytest.raises(TensorFileError, match=r"the checkpoint is not in the log directory, .*: /data/model\.ckpt-7"):
        last_points(tmp_path, "embed0")
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-7"')
    with pytest.raises(TensorFileError, match=r"the checkpoint does not exist: model\.ckpt-7"):
        last_points(tmp_path, "embed0")


def test_checkpoint_without_the_tensor_says_so(corpus: Path, tmp_path: Path) -> None:
    for file in (corpus / "tf/tf2_tutorial").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { tensor_name: "other" }')
    with pytest.raises(TensorFileError, match="the checkpoint has no tensor other"):
        last_points(tmp_path, "other")


def test_checkpoint_tensor_of_texts_is_no_matrix(corpus: Path, tmp_path: Path) -> None:
    for file in (corpus / "tf/tf2_dtypes").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    name = "words/.ATTRIBUTES/VARIABLE_VALUE"
    (tmp_path / "projector_config.pbtxt").write_text(f'embeddings {{ tensor_name: "{name}" }}')
    with pytest.raises(TensorFileError, match="no matrix of numbers: string, 2 x 2"):
        last_points(tmp_path, name)


def test_checkpoints_without_configuration_are_read_on_request_only(corpus: Path, tmp_path: Path) -> None:
    for file in (corpus / "tf/tf2_tutorial").iterdir():
        if file.name != "projector_config.pbtxt":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    found = find_embeddings(str(tmp_path), str(tmp_path))
    assert found.embeddings == ()
    assert len(found.offered) == 1
    listed = find_embeddings(str(tmp_path), str(tmp_path), with_checkpoints=True).embeddings
    assert [each.title for each in listed] == ["embedding"]


def test_configuration_in_the_plugin_directory_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "org_tensorflow_tensorboard_projector"
    write_clusters(folder)
    assert [each.name for each in find_embeddings(str(tmp_path), str(tmp_path)).embeddings] == ["layer"]


def test_template_without_name_gives_metadata_to_all_tensors(corpus: Path, tmp_path: Path) -> None:
    for file in (corpus / "tf/tf2_tutorial").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "projector_config.pbtxt").write_text('embeddings { metadata_path: "metadata.tsv" }')
    (found,) = find_embeddings(str(tmp_path), str(tmp_path)).embeddings
    assert found.versions[0].entry.metadata_path == "metadata.tsv"


def test_metadata_outside_of_the_logs_is_named_and_points_are_shown(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write_embedding(logs, clusters()[0])
    (tmp_path / "secret.tsv").write_text("secret\n" * 60)
    config = logs / "projector_config.pbtxt"
    config.write_text(config.read_text().replace("  tensor_path", '  metadata_path: "../secret.tsv"\n  tensor_path'))
    points = last_points(logs, "layer")
    assert points.metadata.columns == ()
    assert points.problems == (
        "the metadata is not in the log directory, and nothing outside of it is read: ../secret.tsv",
    )


def test_points_that_are_not_finite_are_left_out_of_components(corpus: Path) -> None:
    points = last_points(corpus / "torch/run", "nonfinite")
    facts = expected(corpus)["analysis"]["tensors"]["torch/run/00020/nonfinite/tensors.tsv"]
    assert (~points.finite).sum() == facts["nonfinite_rows"] == 2
    assert np.allclose(points.components.shares[:5], facts["pca_variance"], atol=1e-4)


def test_sprite_of_an_unlisted_step_is_divided_by_the_number_of_points(corpus: Path, tmp_path: Path) -> None:
    source = corpus / "torch/run/00020/feat%2fpenultimate"
    folder = tmp_path / "00020" / "feat%2fpenultimate"
    folder.mkdir(parents=True)
    for file in source.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    version = embedding(tmp_path, "feat/penultimate").versions[0]
    sprite = load_sprite(version, 300)
    assert sprite is not None
    assert (sprite.width, sprite.height, sprite.columns) == (8, 8, 18)
    (folder / "sprite.png").write_bytes(b"no picture")
    with pytest.raises(SpriteError):
        load_sprite(version, 300)


def test_points_are_kept_until_a_file_changes(tmp_path: Path) -> None:
    write_clusters(tmp_path)
    version = embedding(tmp_path, "layer").versions[0]
    cache = PointCache()
    *_, first = cache.read(version, 1)
    *_, second = cache.read(version, 1)
    *_, third = cache.read(version, 2)
    assert first is second
    assert third is not second


def test_log_directory_is_not_changed(tmp_path: Path) -> None:
    write_clusters(tmp_path, (1, 2))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for each in find_embeddings(str(tmp_path), str(tmp_path)).embeddings:
        for version in each.versions:
            list(read_points(version))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
