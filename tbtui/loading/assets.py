"""Descriptions of files next to event files: embeddings of the projector and profiles.

Formats: `projector_config.proto` and the projector plugin of TensorBoard; the profile plugin (xprof), whose files are
`plugins/profile/SESSION/HOST.xplane.pb`; `torch.profiler.tensorboard_trace_handler`, which writes
`HOST_PID.TIME.pt.trace.json` next to event files.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen
from tbtui.loading.asset_files import PROFILE_SUFFIXES, PROJECTOR_CONFIG, TENSORS, parse_worker
from tbtui.store.snapshot import ASSET_PLUGINS, PROFILE, PROJECTOR
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.loading.asset_files import FoundAsset

MAX_CONFIG_BYTES = 1 << 20
MAX_TENSOR_BYTES = 4 << 20
"""Lines are counted in this many first bytes of a tensor file; from them the number of all lines is estimated."""

_PROFILE_DIRECTORY = re.compile(r"(?:^|/)plugins/profile/[^/]+$")
_STEP = re.compile(r"(?P<name>.*):(?P<step>\d+)$", re.DOTALL)
_CONFIG_TOKEN = re.compile(
    r'(?P<open>\w+\s*:?\s*[{<])|(?P<close>[}>])|(?P<key>\w+)\s*:\s*"(?P<text>(?:[^"\\]|\\.)*)"'
    r"|tensor_shape\s*:\s*(?P<shape>\d+|\[[\d,\s]*\])"
)
_SHAPE = "tensor_shape"
_BINARY_HEAD_BYTES = 4096
"""A file with a zero in this many first bytes holds raw numbers, whose lines have no meaning."""

Shape: TypeAlias = "tuple[int | None, int | None, bool]"
"""Number of points, dimensions, and True if the first is an estimate; None if they are not known."""


@frozen
class Embedding:
    """One embedding of the projector, at all steps at which it was written."""

    name: str
    points: int | None
    """Number of points at the last step; None if they are in a checkpoint or cannot be read."""

    dimensions: int | None
    is_estimate: bool = False
    """True if the file is too long for its lines to be counted."""

    steps: tuple[int, ...] = ()
    """Steps of the versions that PyTorch wrote; empty if there is one version without a step."""

    tensors: tuple[str, ...] = ()
    """Paths of the files of tensors, in the order of the steps; empty if the points are in a checkpoint."""

    metadata: tuple[str, ...] = ()
    sprites: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """Text such as `an embedding of 30 x 8 points at 2 steps`."""
        if self.points is None or self.dimensions is None:
            text = "an embedding" if self.tensors else "an embedding in a checkpoint"
        else:
            text = f"an embedding of {'~' if self.is_estimate else ''}{self.points} x {self.dimensions} points"
        return f"{text} at {len(self.steps)} steps" if len(self.steps) > 1 else text


@frozen
class Profile:
    """One session of a profiler."""

    session: str
    hosts: tuple[str, ...]
    paths: tuple[str, ...]
    bytes: int


@frozen
class RunAssets:
    """Embeddings and profiles in the directory of one run, with or without event files."""

    run: str
    embeddings: tuple[Embedding, ...] = ()
    profiles: tuple[Profile, ...] = ()

    @property
    def descriptions(self) -> tuple[str, ...]:
        """Return descriptions of all data: `1 profile of gpu1`."""
        return self.describe(ASSET_PLUGINS)

    def describe(self, kinds: frozenset[str]) -> tuple[str, ...]:
        """Return descriptions of the data that some of `ASSET_PLUGINS` read."""
        texts = [embedding.description for embedding in self.embeddings] if PROJECTOR in kinds else []
        if self.profiles and PROFILE in kinds:
            hosts = list(dict.fromkeys(host for profile in self.profiles for host in profile.hosts))
            named = ", ".join(hosts[:3]) + (f" and {len(hosts) - 3} more hosts" if len(hosts) > 3 else "")
            count = len(self.profiles)
            texts.append(f"{count:,} profile{'' if count == 1 else 's'} of {named}")
        return tuple(texts)


def describe_assets(assets: Iterable[FoundAsset], shapes: TensorShapes) -> tuple[RunAssets, ...]:
    """Describe the contents of the files of one walk, by run in the order of names.

    Args:
        assets: Files of one walk.
        shapes: Shapes of tensors that were read before; new ones are added.
    """
    embeddings: dict[str, list[Embedding]] = {}
    profiles: dict[str, dict[str, list[str]]] = {}
    named: set[str] = set()
    alone: list[FoundAsset] = []
    for asset in sorted(assets, key=lambda each: (each.name, each.path)):
        name = os.path.basename(asset.path)  # noqa: PTH119
        if name == PROJECTOR_CONFIG:
            listed = list(_iter_configured(asset.path, shapes))
            embeddings.setdefault(asset.name, []).extend(listed)
            named |= {path for embedding in listed for path in embedding.tensors}
        elif name.endswith(PROFILE_SUFFIXES):
            run = _PROFILE_DIRECTORY.sub("", asset.name) or os.curdir
            session = Path(asset.path).parent.name if run != asset.name else name
            profiles.setdefault(run, {}).setdefault(session, []).append(asset.path)
        elif name == TENSORS:
            alone.append(asset)
    for asset in alone:
        if asset.path not in named:
            points, dimensions, is_estimate = shapes.read(asset.path)
            embedding = Embedding(asset.name, points, dimensions, is_estimate, tensors=(asset.path,))
            embeddings.setdefault(asset.name, []).append(embedding)
    return tuple(
        RunAssets(
            run,
            tuple(embeddings.get(run, ())),
            tuple(_build_profile(session, paths) for session, paths in profiles.get(run, {}).items()),
        )
        for run in sorted({*embeddings, *profiles})
        if embeddings.get(run) or run in profiles
    )


class TensorShapes:
    """Shapes of files of tensors; a file is read again when its size or time of modification changes."""

    def __init__(self) -> None:
        self._shapes: dict[str, tuple[tuple[int, int], Shape]] = {}

    def read(self, path: str) -> Shape:
        """Return the shape of the points in a file."""
        try:
            status = os.stat(path)  # noqa: PTH116
            version = status.st_mtime_ns, status.st_size
            known = self._shapes.get(path)
            if known is None or known[0] != version:
                known = self._shapes[path] = version, _read_shape(path)
        except OSError:
            return None, None, False
        return known[1]


def _read_shape(path: str) -> Shape:
    """Return the shape of a file with one point per line and its coordinates separated by tabs; not of raw numbers."""
    with open_file(path) as file:
        if 0 in file.read(0, _BINARY_HEAD_BYTES):
            return None, None, False
        data = file.read(0, MAX_TENSOR_BYTES).tobytes()
        size = file.size
    lines = data.splitlines()
    points = sum(1 for line in lines if line.strip())
    dimensions = lines[0].count(b"\t") + 1 if lines else 0
    if size > len(data):
        return round(points * size / len(data)), dimensions, True
    return points, dimensions, False


def _iter_configured(path: str, shapes: TensorShapes) -> Iterator[Embedding]:
    """Yield the embeddings that a `projector_config.pbtxt` lists."""
    try:
        with open_file(path) as file:
            text = file.read(0, MAX_CONFIG_BYTES).tobytes().decode("utf-8", "replace")
    except OSError:
        return
    directory = os.path.dirname(path)  # noqa: PTH120
    versions: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for entry in _iter_config_entries(text):
        tensor_name = entry.get("tensor_name", "")
        step = _STEP.fullmatch(tensor_name) if "tensor_path" in entry else None
        name, number = (tensor_name, -1) if step is None else (step["name"], int(step["step"]))
        versions.setdefault(name, []).append((number, entry))
    for name, entries in versions.items():
        entries.sort(key=lambda version: version[0])
        paths = {
            key: tuple(filter(None, (_resolve_inner_path(directory, entry.get(key, "")) for _, entry in entries)))
            for key in ("tensor_path", "metadata_path", "image_path")
        }
        points, dimensions, is_estimate = _find_shape(entries[-1][1], paths["tensor_path"], shapes)
        steps = tuple(number for number, _ in entries if number >= 0)
        yield Embedding(name, points, dimensions, is_estimate, steps, *paths.values())


def _find_shape(entry: dict[str, str], tensors: Sequence[str], shapes: TensorShapes) -> Shape:
    """Return the shape of the last version: that of the config if it names one, else that of the file."""
    if not tensors:
        return None, None, False
    named = [int(number) for number in re.findall(r"\d+", entry.get(_SHAPE, ""))]
    return (named[0], named[1], False) if len(named) == 2 and all(named) else shapes.read(tensors[-1])


def _iter_config_entries(text: str) -> Iterator[dict[str, str]]:
    """Yield the texts of each `embeddings` message of a config; those of messages inside it count as its own."""
    depth = 0
    entry: dict[str, str] = {}
    for token in _CONFIG_TOKEN.finditer(text):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
            if not depth:
                yield entry
                entry = {}
        elif depth and token["shape"]:
            entry[_SHAPE] = f"{entry.get(_SHAPE, '')} {token['shape']}"
        elif depth:
            entry.setdefault(token["key"], token["text"])


def _resolve_inner_path(directory: str, relative: str) -> str | None:
    """Return the path of a file that a config names; None if it is outside of the directory of the config."""
    if not relative or "\0" in relative:
        return None
    path = os.path.normpath(os.path.join(directory, relative))  # noqa: PTH118
    root, real = os.path.realpath(directory), os.path.realpath(path)
    return path if os.path.commonpath([root, real]) == root else None


def _build_profile(session: str, paths: Sequence[str]) -> Profile:
    hosts = dict.fromkeys(_parse_host(os.path.basename(path)) for path in paths)  # noqa: PTH119
    return Profile(session, tuple(hosts), tuple(paths), sum(map(_read_size, paths)))


def _parse_host(name: str) -> str:
    """Return the host in the name of a file of a profile."""
    if name.endswith((".pt.trace.json", ".pt.trace.json.gz")):
        return parse_worker(name)[0]
    return next(name.removesuffix(suffix) for suffix in PROFILE_SUFFIXES if name.endswith(suffix)) or "one host"


def _read_size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
