"""Texts about the embeddings of a run and their files, for `tbtui inspect` and the page about an embedding."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from tbtui.charts.numbers import format_count, format_size, format_step
from tbtui.charts.text import safe
from tbtui.plugins.projector.bookmarks import read_bookmarks
from tbtui.plugins.projector.files.config import MissingFileError
from tbtui.plugins.projector.files.sprite import SpriteError
from tbtui.plugins.projector.files.tensor_file import TensorFileError
from tbtui.plugins.projector.points import list_data_notes, load_sprite, read_points
from tbtui.plugins.projector.sources import Catalogs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.projector.catalog import Version
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.sources import EmbeddingSource
    from tbtui.store.snapshot import RunSnapshot

MAX_DESCRIBED_BYTES = 128 << 20
"""Files up to this size are read; of larger ones only the size is shown."""

MAX_DESCRIBED_STEPS = 20
MAX_NAMED_COLUMNS = 8


def describe_version(version: Version) -> list[str]:
    """Return one line for each file of a version."""
    entry = version.entry
    lines = [f"directory   {safe(version.locator.directory)}"]
    if version.checkpoint:
        lines.append(f"checkpoint  {safe(os.path.relpath(version.checkpoint, version.locator.directory))}")
    for name, path in (
        ("tensor", entry.tensor_path),
        ("metadata", entry.metadata_path),
        ("sprite", entry.image_path),
        ("bookmarks", entry.bookmarks_path),
    ):
        if path:
            lines.append(f"{name:<11} {safe(path)}")
    if version.problem:
        lines.append(f"problem     {version.problem}")
    return lines


def describe_embeddings(run: RunSnapshot) -> Iterator[str]:
    """Yield lines about the embeddings of a run with the problems of each; reads their files."""
    listed = Catalogs().list_sources([run])
    for source in listed.sources:
        yield from _describe_source(source)
    for _, problem in listed.problems:
        yield f"! {problem}"
    if listed.offered:
        noun = format_count(listed.offered, "checkpoint")
        yield f"{noun} without a configuration: A in the Projector tab lists their variables"
    if listed.hidden:
        yield f"{format_count(listed.hidden, 'variable')} of optimisers not listed: A in the Projector tab lists them"


def _describe_source(source: EmbeddingSource) -> Iterator[str]:
    """Yield the lines about the versions of an embedding; versions with equal lines share them."""
    versions = source.embedding.versions
    described = [(version, tuple(list_version_lines(version))) for version in versions[-MAX_DESCRIBED_STEPS:]]
    name = f"embedding {safe(source.embedding.title)}"
    for lines, members in groupby(described, key=lambda pair: pair[1]):
        steps = [format_step(version.step) for version, _ in members if version.step is not None]
        steps_text = f" at step{'' if len(steps) == 1 else 's'} {', '.join(steps)}" if steps else ""
        yield f"{name}{steps_text}: {lines[0]}"
        yield from lines[1:]
    if others := len(versions) - len(described):
        yield f"{name}: {format_count(others, 'earlier step')} not read"


def list_version_lines(version: Version) -> Iterator[str]:
    """Yield the shape, source and metadata of a version in one line, then one line for each problem."""
    origin = _describe_origin(version)
    try:
        path = version.locator.find(version.entry.tensor_path, "tensor") if version.entry.tensor_path else ""
        nbytes = os.stat(path).st_size if path else 0  # noqa: PTH116
        if nbytes > MAX_DESCRIBED_BYTES:
            yield f"{format_size(nbytes)} {origin}, too large to be read here"
            return
        *_, points = read_points(version)
    except (TensorFileError, MissingFileError, OSError) as error:
        yield f"cannot be read {origin}".rstrip()
        yield f"! {error}"
        return
    sprite, sprite_problem = _describe_sprite(version, points)
    yield "; ".join(
        filter(None, (f"{points.count:,} x {points.dimensions:,} {origin}", _describe_metadata(points), sprite))
    )
    _, bookmarks_problem = read_bookmarks(version)
    for text in filter(None, (*list_data_notes(points), sprite_problem, bookmarks_problem)):
        yield f"! {text}"


def _describe_origin(version: Version) -> str:
    """Return the origin of the values of a version."""
    if version.checkpoint:
        return "in a checkpoint"
    if not version.entry.tensor_path:
        return ""
    return f"in {safe(os.path.basename(version.entry.tensor_path))}"  # noqa: PTH119


def _describe_metadata(points: Points) -> str:
    metadata = points.metadata
    if not metadata.columns:
        return "no metadata"
    names = [safe(column.name) for column in metadata.columns[:MAX_NAMED_COLUMNS]]
    others = len(metadata.columns) - len(names)
    more = f" and {others:,} more" if others else ""
    return f"metadata of {format_count(metadata.rows, 'row')}: {', '.join(names)}{more}"


def _describe_sprite(version: Version, points: Points) -> tuple[str, str]:
    """Return a text about the sprite, and the reason if it cannot be read or does not fit."""
    try:
        sprite = load_sprite(version, points.count)
    except SpriteError as error:
        return "", str(error)
    if sprite is None:
        return "", ""
    height, width = sprite.pixels.shape[:2]
    text = f"sprite of {width} x {height} pixels, pictures of {sprite.width} x {sprite.height}"
    if sprite.count < points.count:
        return text, f"the sprite has {format_count(sprite.count, 'picture')} for {format_count(points.count, 'point')}"
    return text, ""
