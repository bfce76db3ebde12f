"""Find the embeddings of a directory: those of its configuration, of folders that it lacks, and of checkpoints.

PyTorch's writer overwrites the configuration with its own list, so that a second writer drops the entries of the first
although their files stay; those are offered too. The name `TAG:STEP` of PyTorch and tensorboardX makes one embedding
with a version for each step.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.plugins.projector.files.checkpoint import (
    STATE_NAME,
    Checkpoint,
    parse_checkpoint_step,
    read_state,
)
from tbtui.plugins.projector.files.checkpoint_table import CheckpointError
from tbtui.plugins.projector.files.config import (
    CONFIG_NAME,
    ConfigEntry,
    Locator,
    MissingFileError,
    ProjectorConfig,
    read_config,
)
from tbtui.plugins.projector.files.hdf5 import Hdf5Error, read_datasets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PLUGIN_DIRECTORY = os.path.join("plugins", "org_tensorflow_tensorboard_projector")  # noqa: PTH118
TENSORS_NAME = "tensors.tsv"
MAX_SCANNED = 10_000
"""Directories that are searched for tensors without an entry in the configuration."""

MAX_CHECKPOINTS = 100
"""Checkpoints of one directory whose indices are read, the latest."""

_STEP = re.compile(r"(?P<name>.*):(?P<step>\d+)", re.DOTALL)
_ATTRIBUTES = "/.ATTRIBUTES/VARIABLE_VALUE"
_KERAS_FILE = re.compile(r"keras_embedding\.ckpt-(\d+)\.weights\.h5")
_KERAS_LAYER = re.compile(r"(?:.*/)?(embedding(?:_\d+)?)/vars/0")


@frozen
class Version:
    """One tensor of an embedding, at one step."""

    step: int | None
    """None if there is only one version, which names no step."""

    entry: ConfigEntry
    locator: Locator
    checkpoint: str = ""
    """Prefix of the checkpoint that holds the values; empty: they are in `entry.tensor_path`."""

    problem: str = ""
    """Reason for which the values cannot be read; empty if not known."""


@frozen
class Embedding:
    """An embedding at all steps."""

    name: str
    versions: tuple[Version, ...]
    """Versions in the order of the steps, at least one."""

    is_configured: bool = True
    """False if no configuration names it."""

    is_slot: bool = False
    """True for a variable of an optimiser, which is only listed on request."""

    @property
    def steps(self) -> tuple[int, ...]:
        """Steps of the versions; empty if there is one without step."""
        return tuple(version.step for version in self.versions if version.step is not None)

    @property
    def title(self) -> str:
        """The name without the parts that TensorFlow 2 and Keras add to the names of all variables."""
        keras = _KERAS_LAYER.fullmatch(self.name)
        return keras[1] if keras else self.name.removesuffix(_ATTRIBUTES) or self.name


@frozen
class Catalog:
    """The embeddings of one directory."""

    embeddings: tuple[Embedding, ...] = ()
    """Configured ones first."""

    problems: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    """Checkpoints that no configuration names; their variables are only read on request."""


def find_embeddings(directory: str, root: str, *, with_checkpoints: bool = False) -> Catalog:
    """Return the embeddings of a directory.

    Args:
        directory: The directory of a run.
        root: The log directory: nothing outside of it is read.
        with_checkpoints: Also list the variables of checkpoints if there is no configuration.
    """
    directories = [directory, os.path.join(directory, PLUGIN_DIRECTORY)]  # noqa: PTH118
    catalogs = [
        _read_configured(folder, root)
        for folder in directories
        if os.path.isfile(os.path.join(folder, CONFIG_NAME))  # noqa: PTH113, PTH118
    ]
    embeddings = [embedding for catalog in catalogs for embedding in catalog.embeddings]
    problems = [problem for catalog in catalogs for problem in catalog.problems]
    listed_paths = {
        os.path.normpath(os.path.join(version.locator.directory, version.entry.tensor_path))  # noqa: PTH118
        for embedding in embeddings
        for version in embedding.versions
        if version.entry.tensor_path
    }
    unlisted = _find_unlisted(directory, listed_paths)
    embeddings = _add_unlisted(embeddings, unlisted, Locator(directory, root))
    offered: tuple[str, ...] = ()
    if not catalogs:
        prefixes, reason = _find_checkpoints(ProjectorConfig(), Locator(directory, root), parents=False)
        offered = tuple(prefixes)
        if with_checkpoints:
            variables, damage = _read_variables(prefixes, {}, None, Locator(directory, root))
            embeddings += variables
            problems += [*damage, *([reason] if reason and not prefixes else [])]
    return Catalog(tuple(_order_embeddings(embeddings)), tuple(problems), offered)


def _read_configured(directory: str, root: str) -> Catalog:
    """Return the embeddings that the configuration in a directory names, and all variables of its checkpoint."""
    locator = Locator(directory, root)
    try:
        config = read_config(os.path.join(directory, CONFIG_NAME))  # noqa: PTH118
    except OSError as error:
        return Catalog(problems=(f"{CONFIG_NAME} cannot be read: {error.strerror or error}",))
    with_files = [_with_name(entry) for entry in config.entries if entry.tensor_path]
    nameless = config.entries[0] if config.entries and not config.entries[0].tensor_name else None
    template = nameless if nameless is not None and not nameless.tensor_path else None
    in_checkpoint = {
        entry.tensor_name: entry for entry in config.entries if entry.tensor_name and not entry.tensor_path
    }
    embeddings = _group_by_name(with_files, locator)
    problems = list(config.problems)
    if in_checkpoint or template is not None or config.checkpoint_path or config.checkpoint_directory:
        prefixes, missing_reason = _find_checkpoints(config, locator)
        variables, damage = _read_variables(prefixes, in_checkpoint, template, locator)
        embeddings += variables
        problems += damage
        variable_names = {embedding.name for embedding in variables}
        missing_entries = [entry for name, entry in in_checkpoint.items() if name not in variable_names]
        keras_files = _find_keras_files(directory) if missing_entries else []
        if keras_files:
            entries = [entry for entry in config.entries if entry.tensor_name in in_checkpoint]
            weights, damage = _read_keras_embeddings(entries, keras_files, locator)
            embeddings += weights
            problems += damage
        for entry in () if keras_files else missing_entries:
            name = entry.tensor_name
            reason = f"the checkpoint has no tensor {safe(name)}" if prefixes else missing_reason
            embeddings.append(Embedding(name, (Version(None, entry, locator, problem=reason),)))
    if not config.entries and not embeddings:
        problems.append(f"{CONFIG_NAME} lists no embedding")
    return Catalog(tuple(embeddings), tuple(problems))


def _with_name(entry: ConfigEntry) -> ConfigEntry:
    """Return an entry with the name of its file if it has none."""
    if entry.tensor_name:
        return entry
    name = os.path.basename(entry.tensor_path.rstrip("/"))  # noqa: PTH119
    return ConfigEntry(
        name,
        entry.tensor_path,
        entry.tensor_shape,
        entry.metadata_path,
        entry.bookmarks_path,
        entry.image_path,
        entry.image_size,
    )


def _group_by_name(entries: Sequence[ConfigEntry], locator: Locator) -> list[Embedding]:
    """Return one embedding for all steps of a name; a later entry of the same step replaces an earlier one."""
    versions: dict[str, dict[int | None, Version]] = {}
    for entry in entries:
        match = _STEP.fullmatch(entry.tensor_name)
        name, step = (entry.tensor_name, None) if match is None else (match["name"], int(match["step"]))
        versions.setdefault(name, {})[step] = Version(step, entry, locator)
    return [Embedding(name, _sort_by_step(by_step)) for name, by_step in versions.items()]


def _sort_by_step(versions: dict[int | None, Version]) -> tuple[Version, ...]:
    return tuple(versions[step] for step in sorted(versions, key=lambda step: -1 if step is None else step))


# Folders that the configuration lacks


class _TagFolder(NamedTuple):
    """A folder that may hold a tensor."""

    name: str
    """Name of the embedding."""

    step: int | None
    path: str
    """Path within the directory."""


def _find_unlisted(directory: str, listed_paths: set[str]) -> Iterator[_TagFolder]:
    """Yield the folders `STEP/TAG`, and the directory itself, whose tensor no entry names."""
    for folder in _iter_tag_folders(directory):
        path = os.path.join(directory, folder.path, TENSORS_NAME)  # noqa: PTH118
        if os.path.normpath(path) not in listed_paths and os.path.isfile(path):  # noqa: PTH113
            yield folder


def _iter_tag_folders(directory: str) -> Iterator[_TagFolder]:
    yield _TagFolder(Path(directory).name or TENSORS_NAME, None, "")
    scanned = 0
    for step_folder in _list_folders(directory):
        if not step_folder.isdecimal():
            continue
        for tag in _list_folders(os.path.join(directory, step_folder)):  # noqa: PTH118
            scanned += 1
            if scanned > MAX_SCANNED:
                return
            yield _TagFolder(unquote(tag), int(step_folder), f"{step_folder}/{tag}")


def _list_folders(directory: str) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []


def _add_unlisted(embeddings: list[Embedding], unlisted: Iterator[_TagFolder], locator: Locator) -> list[Embedding]:
    """Add tensors without an entry: to the embedding of the same name, else as embeddings of their own."""
    by_name = {embedding.name: embedding for embedding in embeddings}
    for name, step, folder in unlisted:
        listed = by_name.get(name)
        size = (
            next((version.entry.image_size for version in listed.versions if version.entry.image_size), None)
            if listed
            else None
        )
        prefix = f"{folder}/" if folder else ""

        def path_of(file: str, prefix: str = prefix) -> str:
            path = os.path.join(locator.directory, prefix + file)  # noqa: PTH118
            return prefix + file if os.path.isfile(path) else ""  # noqa: PTH113

        entry = ConfigEntry(
            name,
            prefix + TENSORS_NAME,
            metadata_path=path_of("metadata.tsv"),
            image_path=path_of("sprite.png"),
            image_size=size,
        )
        versions = {version.step: version for version in listed.versions} if listed else {}
        versions.setdefault(step, Version(step, entry, locator))
        by_name[name] = Embedding(
            name, _sort_by_step(versions), is_configured=listed is not None and listed.is_configured
        )
    return list(by_name.values())


# Checkpoints


def _find_checkpoints(config: ProjectorConfig, locator: Locator, *, parents: bool = True) -> tuple[list[str], str]:
    """Return the prefixes of the checkpoints in order, and the reason if there are none.

    As in TensorBoard: the path in the configuration, else those of the directory of the configuration, else of its
    parent. TensorBoard never reads `model_checkpoint_dir`.
    """
    suffixes = ("", ".index")
    if config.checkpoint_path:
        try:
            return [locator.find_prefix(config.checkpoint_path, suffixes)], ""
        except MissingFileError as error:
            return [], str(error)
    directories = [locator.directory, *([os.path.dirname(locator.directory)] if parents else [])]  # noqa: PTH120
    if config.checkpoint_directory:
        directories.insert(0, os.path.normpath(os.path.join(locator.directory, config.checkpoint_directory)))  # noqa: PTH118
    reason = f"{CONFIG_NAME} names no checkpoint, and there is no file {STATE_NAME!r} beside it"
    for directory in directories:
        if not locator.contains(directory):
            if directory != directories[-1] or config.checkpoint_directory:
                shown = safe(directory)
                reason = f"the checkpoints are not in the log directory, and nothing outside of it is read: {shown}"
            continue
        state = read_state(directory)
        if state is None:
            continue
        prefixes = []
        for path in state.paths[-MAX_CHECKPOINTS:]:
            try:
                prefixes.append(Locator(directory, locator.root).find_prefix(path, suffixes))
            except MissingFileError as error:  # noqa: PERF203 - each checkpoint may be missing
                reason = str(error)
        if prefixes:
            return list(dict.fromkeys(prefixes)), ""
    return [], reason


def _read_variables(
    prefixes: Sequence[str], entries: dict[str, ConfigEntry], template: ConfigEntry | None, locator: Locator
) -> tuple[list[Embedding], list[str]]:
    """Return the matrices of checkpoints with a version for each checkpoint, and the problems of those that failed."""
    versions: dict[str, list[Version]] = {}
    slots: dict[str, bool] = {}
    problems = []
    for number, prefix in enumerate(prefixes):
        try:
            checkpoint = Checkpoint(prefix)
        except (CheckpointError, OSError) as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            problems.append(f"the checkpoint {safe(os.path.basename(prefix))} {reason}")  # noqa: PTH119
            continue
        step = parse_checkpoint_step(prefix)
        for name, stored in checkpoint.entries.items():
            entry = entries.get(name)
            problem = ""
            if not stored.is_matrix:
                if entry is None:
                    continue
                shape = " x ".join(map(str, stored.shape)) or "one value"
                problem = f"{safe(name)} is no matrix of numbers: {stored.type_name}, {shape}"
            if entry is None:
                entry = ConfigEntry(
                    name,
                    metadata_path=template.metadata_path if template else "",
                    bookmarks_path=template.bookmarks_path if template else "",
                )
            slots[name] = stored.is_slot and name not in entries
            version = Version(step if step is not None else number, entry, locator, prefix, problem)
            versions.setdefault(name, []).append(version)
    embeddings = [
        Embedding(name, tuple(of_name), is_configured=name in entries, is_slot=slots[name])
        for name, of_name in versions.items()
    ]
    return embeddings, problems


def _order_embeddings(embeddings: Sequence[Embedding]) -> list[Embedding]:
    """Return configured embeddings in their order, then others, then variables of optimisers."""
    return sorted(embeddings, key=lambda embedding: (embedding.is_slot, not embedding.is_configured))


# Keras


def _find_keras_files(directory: str) -> list[tuple[int, str]]:
    """Return epochs and paths of the weights that Keras 3 writes instead of the checkpoint that its entries name."""
    files = []
    for folder in ("", "train"):
        try:
            names = os.listdir(os.path.join(directory, folder))  # noqa: PTH118, PTH208
        except OSError:
            continue
        for name in names:
            match = _KERAS_FILE.fullmatch(name)
            if match:
                files.append((int(match[1]), os.path.join(folder, name)))  # noqa: PTH118
    return sorted(files)


def _read_keras_embeddings(
    entries: Sequence[ConfigEntry], files: Sequence[tuple[int, str]], locator: Locator
) -> tuple[list[Embedding], list[str]]:
    """Return the embedding layers in the weights of each epoch, and the problems of files that failed.

    Keras gives all its layers the same name in the configuration, one entry for each layer in their order.
    """
    versions: dict[str, list[Version]] = {}
    problems = []
    for epoch, path in files:
        try:
            names = [dataset.name for dataset in read_datasets(locator.find(path, "weights"))]
        except (Hdf5Error, OSError, MissingFileError) as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            problems.append(f"{safe(os.path.basename(path))} {reason}")  # noqa: PTH119
            continue
        for number, name in enumerate(filter(_KERAS_LAYER.fullmatch, names)):
            layer_entry = entries[min(number, len(entries) - 1)]
            entry = ConfigEntry(name, path, metadata_path=layer_entry.metadata_path)
            versions.setdefault(name, []).append(Version(epoch, entry, locator))
    return [Embedding(name, tuple(of_name)) for name, of_name in versions.items()], problems
