"""List the embeddings of runs, and cache the lists until a file changes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from tbtui.frozen import frozen
from tbtui.plugins.projector.catalog import PLUGIN_DIRECTORY, Catalog, find_embeddings
from tbtui.plugins.projector.files.config import CONFIG_NAME
from tbtui.store.snapshot import PROJECTOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tbtui.plugins.projector.catalog import Embedding, Version
    from tbtui.store.snapshot import AssetFile, RunSnapshot

MAX_CATALOGS = 256
"""Directories whose catalogs are cached."""


@frozen
class EmbeddingSource:
    """An embedding of one run."""

    run: str
    embedding: Embedding
    fingerprint: tuple[AssetFile, ...]
    """The files of the run that belong to embeddings; equal if none has changed."""

    @property
    def key(self) -> tuple[str, str]:
        """Identity of the embedding while its files change."""
        return self.run, self.embedding.name

    def find_version(self, step: int | None) -> int:
        """Return the index of the version nearest to a step; None: the last."""
        versions = self.embedding.versions
        if step is None:
            return len(versions) - 1
        return min(range(len(versions)), key=lambda index: abs((versions[index].step or 0) - step))

    def build_version_key(self, index: int) -> tuple[Version, tuple[AssetFile, ...]]:
        """Return the identity of the points of a version."""
        return self.embedding.versions[index], self.fingerprint


@frozen
class SourceList:
    """All embeddings of the runs that are drawn."""

    sources: tuple[EmbeddingSource, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    """Run and problem of its configuration."""

    offered: int = 0
    """Checkpoints that no configuration names."""

    hidden: int = 0
    """Variables of checkpoints that are listed on request only: those of optimisers, and of offered checkpoints."""

    def find(self, key: tuple[str, str] | None) -> EmbeddingSource | None:
        """Return the source of a key; None without one."""
        return next((source for source in self.sources if source.key == key), None)


class _CachedCatalog(NamedTuple):
    """A catalog with the state of the files that it was read from."""

    assets: tuple[AssetFile, ...]
    times: tuple[float, ...]
    catalog: Catalog


class Catalogs:
    """Catalogs of directories, which are found again when a file of the run changes."""

    def __init__(self) -> None:
        self._catalogs: dict[tuple[str, bool], _CachedCatalog] = {}

    def list_sources(
        self,
        runs: Iterable[RunSnapshot],
        tag_matches: Callable[[str], bool] | None = None,
        *,
        with_variables: bool = False,
    ) -> SourceList:
        """Return the embeddings of some runs.

        Args:
            runs: The runs in their order.
            tag_matches: Return True if the name of an embedding passes the tag filter.
            with_variables: Also list the variables of optimisers, and of checkpoints that no configuration names.
        """
        sources, problems, offered, hidden = [], [], 0, 0
        for run in runs:
            assets = tuple(asset for asset in run.assets if asset.kind.startswith((PROJECTOR, "checkpoint")))
            for directory in run_directories(assets):
                catalog = self._read_catalog(directory, log_root(directory, run.name), assets, with_variables)
                problems += [(run.name, problem) for problem in catalog.problems]
                offered += len(catalog.offered)
                for embedding in catalog.embeddings:
                    if embedding.is_slot and not with_variables:
                        hidden += 1
                    elif tag_matches is None or is_match(embedding, assets, tag_matches):
                        sources.append(EmbeddingSource(run.name, embedding, assets))
        return SourceList(tuple(sources), tuple(problems), offered, hidden)

    def _read_catalog(self, directory: str, root: str, assets: tuple[AssetFile, ...], with_variables: bool) -> Catalog:
        key, times = (directory, with_variables), _read_modification_times(directory)
        cached = self._catalogs.get(key)
        if cached is None or (cached.assets, cached.times) != (assets, times):
            if len(self._catalogs) >= MAX_CATALOGS:
                self._catalogs.clear()
            catalog = find_embeddings(directory, root, with_checkpoints=with_variables)
            cached = self._catalogs[key] = _CachedCatalog(assets, times, catalog)
        return cached.catalog


def _read_modification_times(directory: str) -> tuple[float, ...]:
    """Return times that change when a checkpoint is saved: that of its directory."""
    try:
        return (os.stat(directory).st_mtime,)  # noqa: PTH116
    except OSError:
        return ()


def is_match(embedding: Embedding, assets: Iterable[AssetFile], tag_matches: Callable[[str], bool]) -> bool:
    """Return True if a filter of tags matches an embedding.

    The sidebar lists the tags of files: those of PyTorch bear the name of the embedding, a configuration alone has one
    for all its embeddings.
    """
    tags = {asset.tag for asset in assets if asset.kind == PROJECTOR}
    named = [tag for tag in tags if unquote(tag) == embedding.name]
    return any(map(tag_matches, {embedding.name, embedding.title, *(named or tags - _list_names(tags))}))


def _list_names(tags: Iterable[str]) -> set[str]:
    """Return the tags that name an embedding, not a configuration."""
    return {tag for tag in tags if tag != PROJECTOR}


def run_directories(assets: Iterable[AssetFile]) -> list[str]:
    """Return the directories of a run that hold its embeddings, without those below them."""
    directories = dict.fromkeys(_run_directory(asset.path) for asset in assets if asset.kind.startswith(PROJECTOR))
    return list(directories)


def _run_directory(path: str) -> str:
    directory, name = os.path.split(path)
    if name == CONFIG_NAME:
        return directory.removesuffix(os.sep + PLUGIN_DIRECTORY)
    parent = os.path.dirname(directory)  # noqa: PTH120
    return os.path.dirname(parent) if os.path.basename(parent).isdecimal() else directory  # noqa: PTH119, PTH120


def log_root(directory: str, run: str) -> str:
    """Return the log directory: the directory of a run without the name of the run."""
    if run in ("", os.curdir):
        return directory
    suffix = os.sep + run.replace("/", os.sep)
    return directory[: -len(suffix)] or os.sep if directory.endswith(suffix) else directory
