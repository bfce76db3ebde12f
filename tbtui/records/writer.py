"""Frame a payload as a TFRecord."""

from __future__ import annotations

import struct

from tbtui.records.checksum import length_checksum, payload_checksum


def frame_record(payload: bytes) -> bytes:
    """Return the record of `payload`: its length, the length's checksum, the payload, the payload's checksum."""
    header = struct.pack("<QI", len(payload), length_checksum(len(payload)))
    return header + payload + struct.pack("<I", payload_checksum(payload))
