"""Files of profiles and embeddings: recognised by their names, assigned to runs, and followed for changes.

Formats of the names: the profile plugin of TensorBoard (xprof) reads `plugins/profile/SESSION/HOST.xplane.pb`;
`torch.profiler.tensorboard_trace_handler` writes `WORKER.TIME.pt.trace.json[.gz]`; `SummaryWriter.add_embedding` of
PyTorch writes `STEP/TAG/tensors.tsv` next to a `projector_config.pbtxt`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen
from tbtui.store.snapshot import PROFILE, PROJECTOR, AssetFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PROJECTOR_PART, CHECKPOINT = "projector_part", "checkpoint"
"""Kinds of files that belong to an embedding; alone they make no run and no tab."""

PROJECTOR_CONFIG, TENSORS = "projector_config.pbtxt", "tensors.tsv"

PROFILE_SUFFIXES = (".xplane.pb", ".trace.json.gz", ".pt.trace.json", ".trace.json", ".raw.json.gz")

_KIND_BY_SUFFIX = (
    *((suffix, PROFILE) for suffix in PROFILE_SUFFIXES),
    (PROJECTOR_CONFIG, PROJECTOR),
    (TENSORS, PROJECTOR),
)
_PARTS = frozenset({"metadata.tsv", "sprite.png"})
"""Names of files next to `tensors.tsv` that PyTorch writes."""

_SUFFIXES = tuple(suffix for suffix, _ in _KIND_BY_SUFFIX)

_TORCH_TRACE = re.compile(r"(?P<worker>.+?)(?:\.(?P<time>\d+))?(?:\.pt)?(?:\.trace|\.raw)?\.json(?:\.gz)?$")

SETTLE_SECONDS = 2.0
"""Time without changes after which a new or changed file is read: it is whole only when its writer has finished."""


class _AssetOwner(NamedTuple):
    """Position of a file in the directory of its run."""

    depth: int
    """Number of directories between the directory of the run and the file."""

    tag: str


@frozen
class FoundAsset:
    """A file next to event files, as a walk of the directories finds it."""

    name: str
    """Name that a run in its directory would have."""

    path: str


class OwnedAsset(NamedTuple):
    """A file with the run that it belongs to."""

    run: str
    directory: str
    kind: str
    tag: str
    path: str


def is_asset(name: str) -> bool:
    """Return True if a file of this name belongs to a profile or an embedding."""
    return name.endswith(_SUFFIXES) or name in _PARTS or name == CHECKPOINT


def is_named_asset(path: str) -> bool:
    """Return True if a file that the user names may be a profile: a trace in JSON can have any name."""
    name = os.path.basename(path)  # noqa: PTH119
    return name.endswith((*_SUFFIXES, ".json", ".json.gz"))


def assign_run(asset: FoundAsset) -> OwnedAsset:
    """Return a file with its run: the directory that holds `plugins/profile`, `STEP/TAG` or the file itself.

    Directories above the one that the user opened are never its run.
    """
    directory, name = os.path.split(asset.path)
    kind = _choose_kind(name)
    owner = _find_owner(directory, name, kind)
    parts = [] if asset.name == os.curdir else asset.name.split("/")
    depth = min(owner.depth, len(parts))
    for _ in range(depth):
        directory = os.path.dirname(directory)  # noqa: PTH120
    return OwnedAsset("/".join(parts[: len(parts) - depth]) or os.curdir, directory, kind, owner.tag, asset.path)


def parse_worker(name: str) -> tuple[str, int | None]:
    """Return worker and time in nanoseconds of a trace of PyTorch by the name of its file; None without a time."""
    match = _TORCH_TRACE.fullmatch(name)
    if match is None:
        return name, None
    return match["worker"], int(match["time"]) if match["time"] else None


def _choose_kind(name: str) -> str:
    if name == CHECKPOINT:
        return CHECKPOINT
    if name in _PARTS:
        return PROJECTOR_PART
    return next((kind for suffix, kind in _KIND_BY_SUFFIX if name.endswith(suffix)), PROFILE)


def _find_owner(directory: str, name: str, kind: str) -> _AssetOwner:
    """Return the owner of a file by the names of the directories above it."""
    above = list(Path(directory).parts[-3:])
    if kind == PROFILE:
        if above[:-1] == ["plugins", "profile"]:
            return _AssetOwner(3, above[-1])
        return _AssetOwner(0, parse_worker(name)[0])
    if above[-2:] == ["plugins", "org_tensorflow_tensorboard_projector"]:
        return _AssetOwner(2, PROJECTOR)
    if name == TENSORS or name in _PARTS:
        if len(above) > 1 and above[-2].isdecimal():
            return _AssetOwner(2, above[-1])
        return _AssetOwner(0, above[-1])
    return _AssetOwner(0, PROJECTOR)


class FollowedAssets:
    """The files of profiles and embeddings of one run, polled for changes.

    A new or changed file keeps its former entry, or none, until it has not changed for `settle_seconds`.
    """

    def __init__(
        self,
        *,
        status_of: Callable[[str], os.stat_result],
        now: Callable[[], float],
        settle_seconds: float,
    ) -> None:
        """Follow no file yet.

        Args:
            status_of: `os.stat` or a replacement for tests.
            now: Seconds since the epoch.
            settle_seconds: Seconds for which a file must not have changed; 0: it is taken as it is.
        """
        self._status_of, self._now, self._settle_seconds = status_of, now, settle_seconds
        self._owned: tuple[OwnedAsset, ...] = ()
        self._waiting: dict[str, tuple[AssetFile, float]] = {}
        """Changed files by path, with the time at which they were first seen like this."""

        self._missing: set[str] = set()
        self.files: tuple[AssetFile, ...] = ()
        """The files as they were when they had settled, in order of their tags and paths."""

    @property
    def is_settling(self) -> bool:
        """True if a file has changed and should be polled again soon."""
        return bool(self._waiting)

    @property
    def modified(self) -> float:
        """Last modification of any file, in seconds since the epoch; 0 without files."""
        return max((file.modified for file in self.files), default=0.0)

    def put(self, owned: Iterable[OwnedAsset]) -> bool:
        """Set the files that the run currently has. Return True if `files` changed."""
        self._owned = tuple(sorted(owned, key=lambda asset: (asset.kind, asset.tag, asset.path)))
        self._missing.clear()
        before = self.files
        self.poll()
        return self.files != before

    def poll(self) -> bool:
        """Poll the files. Return True if one of them is gone since the last poll."""
        now, settled, is_gone = self._now(), [], False
        before = {file.path: file for file in self.files}
        waiting, self._waiting = self._waiting, {}
        for asset in self._owned:
            try:
                status = self._status_of(asset.path)
            except OSError:
                is_gone |= asset.path not in self._missing
                self._missing.add(asset.path)
                continue
            file = AssetFile(
                asset.kind, asset.tag, asset.path, status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino
            )
            known = before.get(asset.path)
            if known != file and not self._has_settled(file, waiting.get(asset.path), now):
                self._waiting[asset.path] = file, self._find_first_seen(file, waiting.get(asset.path), now)
                if known is None:
                    continue
                file = known
            settled.append(file)
        self.files = tuple(settled)
        return is_gone

    def _has_settled(self, file: AssetFile, waiting: tuple[AssetFile, float] | None, now: float) -> bool:
        """Return True if a file is old enough; the clock of a file system may be ahead of ours."""
        since = self._find_first_seen(file, waiting, now)
        return max(now - file.modified, now - since) >= self._settle_seconds

    @staticmethod
    def _find_first_seen(file: AssetFile, waiting: tuple[AssetFile, float] | None, now: float) -> float:
        return waiting[1] if waiting is not None and waiting[0] == file else now
