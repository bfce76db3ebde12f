"""What a block of records says: the frozen values that the events room hands to loading."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from tbtui.records.damage import Damage


@frozen
class TagInfo:
    """What the first value of a tag in a run says about all of that tag's values.

    TensorBoard keeps the first `SummaryMetadata` of a tag for ever, because writers strip it from later values.
    """

    tag: str
    plugin_name: str
    """The plugin after old formats were brought up to date; empty when the writer named none."""

    content: bytes = b""
    """The plugin's own metadata message, serialized."""

    data_class: int = 0
    """`SummaryMetadata.data_class`: 0 unknown, 1 scalar, 2 tensor, 3 blob sequence."""

    display_name: str = ""
    description: str = ""
    """Markdown."""


class ScalarColumns(NamedTuple):
    """Values of one scalar tag in the order of the file."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    values: npt.NDArray[np.float64]


class ReferenceColumns(NamedTuple):
    """Where the values of one tag lie in the file, in the order of the file."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    offsets: npt.NDArray[np.int64]
    """Byte offset in the file of the record's payload (the serialized `Event`)."""

    lengths: npt.NDArray[np.int64]
    """Bytes of that payload."""

    indices: npt.NDArray[np.int32]
    """Index in `Event.summary.value`; -1 when the event itself is the value (graphs, tagged run metadata)."""


@frozen(eq=False)
class EventBlock:
    """Everything that one block of records says."""

    records: int
    """How many events were read."""

    new_tags: tuple[TagInfo, ...] = ()
    """Tags that this run had not shown before, in order of appearance."""

    scalars: Mapping[str, ScalarColumns] = field(default_factory=dict)
    references: Mapping[str, ReferenceColumns] = field(default_factory=dict)
    first_wall_time: float | None = None
    """Wall time of the block's first event (any kind), seconds since the epoch; None when there is none."""

    last_wall_time: float | None = None
    file_version: str | None = None
    """The last `Event.file_version` seen in the block."""

    writer: str | None = None
    """`Event.source_metadata.writer` when given."""

    session_starts: tuple[tuple[int, float], ...] = ()
    """(step, wall_time) of each `SessionLog` START."""

    damage: tuple[Damage, ...] = ()
