"""Unpack the corpus of embeddings, write further ones, and open the Projector tab on them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.projector.catalog import find_embeddings
from tbtui.plugins.projector.points import Points, read_points

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.projector.catalog import Embedding
    from tbtui.plugins.projector.files.metadata import Metadata
    from tbtui.store.snapshot import StoreSnapshot

ARCHIVE = Path(__file__).parents[1] / "corpus" / "projector" / "corpus.tar.xz"
NAMES = ("cat", "dog", "car")


def unpack_corpus(folder: Path) -> Path:
    """Unpack the corpus: `torch/run`, `tf/*` and `expected.json`, what TensorFlow and TensorBoard read of them."""
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            assert member.isfile() or member.isdir()
            archive.extract(member, folder, set_attrs=False, **_filter())
    return folder


def _filter() -> dict[str, Any]:
    return {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


def expected(corpus: Path) -> Any:
    """Return what TensorFlow and TensorBoard read."""
    return json.loads((corpus / "expected.json").read_text())


def embedding(directory: Path, name: str) -> Embedding:
    """Return an embedding of a directory by name."""
    return next(each for each in find_embeddings(str(directory), str(directory)).embeddings if each.name == name)


def last_points(directory: Path, name: str, version: int = -1) -> Points:
    """Return all points of an embedding."""
    *_, points = read_points(embedding(directory, name).versions[version])
    return points


def clusters(points: int = 60, dimensions: int = 6, seed: int = 0) -> tuple[npt.NDArray[np.float32], list[str]]:
    """Return points around one centre for each of `NAMES`, and their names."""
    random = np.random.default_rng(seed)
    codes = np.arange(points) % len(NAMES)
    centres = random.normal(0, 6, (len(NAMES), dimensions))
    values = (centres[codes] + random.normal(size=(points, dimensions))).astype(np.float32)
    return values, [NAMES[code] for code in codes]


def write_embedding(
    directory: Path,
    values: npt.NDArray[np.float32],
    metadata: str | None = None,
    name: str = "layer",
    step: int | None = None,
) -> Path:
    """Write an embedding as PyTorch does: tensors and metadata as text, and a configuration that lists them."""
    folder = directory if step is None else directory / f"{step:05}" / name
    folder.mkdir(parents=True, exist_ok=True)
    lines = ("\t".join(map(repr, row)) for row in values.astype(float).tolist())
    (folder / "tensors.tsv").write_text("\n".join(lines) + "\n")
    prefix = "" if step is None else f"{step:05}/{name}/"
    entry = f'embeddings {{\n  tensor_name: "{name}{"" if step is None else f":{step:05}"}"\n'
    if metadata is not None:
        (folder / "metadata.tsv").write_text(metadata, encoding="utf-8")
        entry += f'  metadata_path: "{prefix}metadata.tsv"\n'
    entry += f'  tensor_path: "{prefix}tensors.tsv"\n}}\n'
    with (directory / "projector_config.pbtxt").open("a") as config:
        config.write(entry)
    return directory


def write_clusters(directory: Path, steps: tuple[int, ...] = (), name: str = "layer") -> Path:
    """Write clusters at some steps, the points of each nearer to their centres than the step before."""
    values, names = clusters()
    text = "class\tnumber\n" + "".join(f"{label}\t{index}\n" for index, label in enumerate(names))
    if not steps:
        return write_embedding(directory, values, text, name)
    noise = np.random.default_rng(1).normal(size=values.shape).astype(np.float32)
    for place, step in enumerate(steps):
        write_embedding(directory, values + noise * 4 / (place + 1), text, name, step)
    return directory


def points_of(values: npt.NDArray[np.float32], metadata: Metadata) -> Points:
    """Return points without a file."""
    return Points(values, metadata)


def snapshot_of(directory: Path) -> StoreSnapshot:
    """Return the runs of a log directory, as they are now."""
    return Loader(parse_sources([str(directory)]), reload_seconds=0).load_all().snapshot
