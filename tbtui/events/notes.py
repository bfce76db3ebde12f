"""What could not be read of a block, gathered so that a million of the same trouble are one note."""

from __future__ import annotations

from dataclasses import dataclass, field

from tbtui.records.damage import Damage


@dataclass(slots=True)
class _Trouble:
    offset: int
    count: int = 0
    bytes_skipped: int = 0


@dataclass(slots=True)
class Notes:
    """Troubles of one block by what they are; each becomes one `Damage` at the first place it was met."""

    _troubles: dict[tuple[str, str], _Trouble] = field(default_factory=dict)

    def add(self, kind: str, what: str, offset: int, bytes_skipped: int = 0, count: int = 1) -> None:
        """Note a trouble.

        Args:
            kind: `Damage.kind`.
            what: What is counted, in the plural: `records that hold no event`.
            offset: Byte offset in the file.
            bytes_skipped: 0 when what is there was used.
            count: How many of them.
        """
        trouble = self._troubles.setdefault((kind, what), _Trouble(offset))
        trouble.offset = min(trouble.offset, offset)
        trouble.count += count
        trouble.bytes_skipped += bytes_skipped

    def damage(self) -> tuple[Damage, ...]:
        """One `Damage` for each trouble, in the order of the file."""
        found = [
            Damage(kind, trouble.offset, trouble.bytes_skipped, f"{what}: {trouble.count:,}")
            for (kind, what), trouble in self._troubles.items()
        ]
        return tuple(sorted(found, key=lambda damage: damage.offset))
