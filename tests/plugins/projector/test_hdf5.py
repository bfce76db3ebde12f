"""Read the weights of Keras without the HDF5 library."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.plugins.projector.catalog import find_embeddings
from tbtui.plugins.projector.files.hdf5 import Hdf5Error, read_datasets
from tests.helpers.projector_logs import last_points

if TYPE_CHECKING:
    from pathlib import Path

LAYER = "layers/embedding/vars/0"


def weights(corpus: Path, epoch: int = 1) -> Path:
    return corpus / "tf" / "keras" / "train" / f"keras_embedding.ckpt-{epoch}.weights.h5"


def test_datasets_of_keras_have_names_shapes_and_values(corpus: Path) -> None:
    found = {dataset.name: dataset for dataset in read_datasets(str(weights(corpus)))}
    assert found[LAYER].shape == (50, 6)
    assert found["layers/dense/vars/0"].shape == (30, 3)
    assert found["optimizer/vars/0"].values.tolist() == 3
    assert found["optimizer/vars/1"].values.tolist() == pytest.approx(0.001)
    assert found[LAYER].values.tobytes() in weights(corpus).read_bytes()


def test_embedding_layers_of_keras_are_epochs_with_metadata(corpus: Path) -> None:
    directory = corpus / "tf" / "keras"
    (embedding,) = find_embeddings(str(directory), str(directory)).embeddings
    assert (embedding.title, embedding.steps) == ("embedding", (0, 1))
    first, last = (last_points(directory, LAYER, version) for version in (0, 1))
    assert last.values.shape == (50, 6)
    assert 0 < float(np.abs(first.values - last.values).max()) < 0.1
    assert last.metadata.columns[0].texts[:2] == ("tok0", "tok1")


def test_weights_cut_anywhere_are_refused_or_whole(corpus: Path, tmp_path: Path) -> None:
    whole = weights(corpus).read_bytes()
    wanted = [dataset.values.tobytes() for dataset in read_datasets(str(weights(corpus)))]
    path = tmp_path / "cut.h5"
    refused = 0
    for size in range(0, len(whole), 997):
        path.write_bytes(whole[:size])
        try:
            found = [dataset.values.tobytes() for dataset in read_datasets(str(path))]
        except Hdf5Error:
            refused += 1
        else:
            assert found == wanted[: len(found)]
    assert refused > 15


def test_weights_with_flipped_bytes_do_not_fail_otherwise(corpus: Path, tmp_path: Path) -> None:
    whole = weights(corpus).read_bytes()
    random = np.random.default_rng(0)
    path = tmp_path / "damaged.h5"
    for place in random.integers(0, 4000, 150):
        damaged = bytearray(whole)
        damaged[int(place)] ^= int(random.integers(1, 256))
        path.write_bytes(damaged)
        with suppress(Hdf5Error):
            read_datasets(str(path))


def test_weights_that_are_no_hdf5_are_named(corpus: Path, tmp_path: Path) -> None:
    for file in (corpus / "tf" / "keras").rglob("*"):
        if file.is_file():
            copied = tmp_path / file.relative_to(corpus / "tf" / "keras")
            copied.parent.mkdir(exist_ok=True)
            copied.write_bytes(b"text" if "ckpt-0" in file.name else file.read_bytes())
    found = find_embeddings(str(tmp_path), str(tmp_path))
    assert found.problems == ("keras_embedding.ckpt-0.weights.h5 is not an HDF5 file",)
    assert found.embeddings[0].steps == (1,)
