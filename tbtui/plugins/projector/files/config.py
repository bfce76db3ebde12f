"""Read `projector_config.pbtxt`: the tensors that are embeddings, and the paths of their files.

Format: text form of `ProjectorConfig` (TensorBoard, `plugins/projector/projector_config.proto`). TensorBoard refuses a
file with an unknown field; here such a field is skipped. A damaged message costs that embedding alone: tensorboardX
writes tags without escaping them, which may end a string too early.

Paths inside the log directory are followed; those outside are only named.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from tbtui.charts.text import safe
from tbtui.events.schema import get_message_class
from tbtui.frozen import frozen
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG_NAME = "projector_config.pbtxt"
MAX_CONFIG_BYTES = 4 << 20
MAX_IMAGE_SIDE = 8192
"""Longest side of a sprite in pixels, as in TensorBoard."""


@frozen
class ConfigEntry:
    """One embedding as a configuration lists it; all paths are as written."""

    tensor_name: str
    """Without the `:0` of TensorFlow 1."""

    tensor_path: str = ""
    tensor_shape: tuple[int, ...] = ()
    metadata_path: str = ""
    bookmarks_path: str = ""
    image_path: str = ""
    image_size: tuple[int, int] | None = None
    """Width and height of one picture of the sprite."""


@frozen
class ProjectorConfig:
    """The content of one configuration."""

    entries: tuple[ConfigEntry, ...] = ()
    checkpoint_path: str = ""
    checkpoint_directory: str = ""
    problems: tuple[str, ...] = ()
    """Parts that cannot be read, one sentence each."""


def read_config(path: str) -> ProjectorConfig:
    """Return the content of a configuration.

    Raises:
        OSError: The file cannot be read.
    """
    with open_file(path) as file:
        data = file.read(0, MAX_CONFIG_BYTES).tobytes()
        size = file.size
    config = parse_config(data.decode("utf-8", "replace"))
    if size > len(data):
        problem = f"{CONFIG_NAME} has {size:,} bytes; the first {MAX_CONFIG_BYTES:,} are read"
        return ProjectorConfig(
            config.entries, config.checkpoint_path, config.checkpoint_directory, (problem, *config.problems)
        )
    return config


def parse_config(text: str) -> ProjectorConfig:
    """Return the content of a configuration in text format."""
    from google.protobuf.text_format import ParseError

    try:
        return _build_config(_parse(text))
    except (ParseError, ValueError) as error:
        reason = str(error)
    entries: list[ConfigEntry] = []
    checkpoint, directory, damaged = "", "", 0
    for part in _iter_top_level_fields(text):
        try:
            config = _build_config(_parse(part))
        except (ParseError, ValueError):
            damaged += 1
            continue
        entries += config.entries
        checkpoint, directory = config.checkpoint_path or checkpoint, config.checkpoint_directory or directory
    position = re.match(r"(\d+):\d+ ?: ?(.*)", reason, re.DOTALL)
    detail = f"line {position[1]}: {position[2]}" if position else reason
    count = f"; {damaged} of its parts cannot be read" if entries and damaged else ""
    return ProjectorConfig(tuple(entries), checkpoint, directory, (f"{CONFIG_NAME} is damaged in {detail}{count}",))


def _parse(text: str) -> Any:
    from google.protobuf import text_format

    return text_format.Parse(text, get_message_class("ProjectorConfig")(), allow_unknown_field=True)


def _build_config(parsed: Any) -> ProjectorConfig:
    return ProjectorConfig(
        tuple(_build_entry(info) for info in parsed.embeddings),
        parsed.model_checkpoint_path,
        parsed.model_checkpoint_dir,
    )


def _build_entry(info: Any) -> ConfigEntry:
    size = tuple(info.sprite.single_image_dim)
    return ConfigEntry(
        info.tensor_name.removesuffix(":0"),
        info.tensor_path,
        tuple(info.tensor_shape),
        info.metadata_path,
        info.bookmarks_path,
        info.sprite.image_path,
        (size[0], size[1]) if len(size) == 2 and all(0 < side <= MAX_IMAGE_SIDE for side in size) else None,
    )


def _iter_top_level_fields(text: str) -> Iterator[str]:
    """Yield the parts of a damaged text that may each be read alone: from one `embeddings` to the next."""
    starts = [match.start() for match in re.finditer(r"^(?:embeddings|model_checkpoint_\w+)\b", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[start:end]


class MissingFileError(Exception):
    """A file that a configuration names is not available; the text names the file and the reason."""


@frozen
class Locator:
    """Resolve paths of one configuration.

    TensorBoard follows a path only below the directory of the configuration, so that shared sprites in a parent
    directory do not work there. Here the bound is the log directory that the user has opened.
    """

    directory: str
    """Directory of the configuration."""

    root: str
    """Log directory."""

    def find(self, written: str, noun: str) -> str:
        """Return the path of an existing file.

        A path that does not exist may come from another machine. Then its last part is tried in the directory of the
        configuration.

        Args:
            written: Path as written in the configuration; relative to its directory.
            noun: Noun for the content of the file, for the message: "metadata".

        Raises:
            MissingFileError: The file does not exist, or is outside of the log directory.
        """
        return self._find(written, noun, ("",))

    def find_prefix(self, written: str, suffixes: tuple[str, ...]) -> str:
        """Return the prefix of a checkpoint, of which a file with one of these suffixes exists.

        Raises:
            MissingFileError: No such file exists, or it is outside of the log directory.
        """
        return self._find(written, "checkpoint", suffixes)

    def _find(self, written: str, noun: str, suffixes: tuple[str, ...]) -> str:
        shown = safe(written)
        if "\0" in written:
            raise MissingFileError(f"the path of the {noun} holds a NUL byte: {shown}")
        is_outside = False
        candidates = [os.path.join(self.directory, written)]  # noqa: PTH118 - pathlib would change some paths
        name = os.path.basename(written.replace("\\", "/").rstrip("/"))  # noqa: PTH119
        if name and name != written:
            candidates.append(os.path.join(self.directory, name))  # noqa: PTH118
        for path in map(os.path.normpath, candidates):
            existing = [path + suffix for suffix in suffixes if os.path.lexists(path + suffix)]
            if not self.contains(existing[0] if existing else path):
                is_outside = True
            elif any(map(os.path.isfile, existing)):
                return path
        if is_outside:
            raise MissingFileError(
                f"the {noun} is not in the log directory, and nothing outside of it is read: {shown}"
            )
        raise MissingFileError(f"the {noun} does not exist: {shown}")

    def contains(self, path: str) -> bool:
        """Return True if a path is inside the log directory once links are followed."""
        root, real = os.path.realpath(self.root), os.path.realpath(path)
        try:
            return os.path.commonpath([root, real]) == root
        except ValueError:
            return False
