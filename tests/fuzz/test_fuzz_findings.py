"""Repeat inputs that once broke a promise, reduced to the bytes that matter."""

from __future__ import annotations

import pytest
from fuzz_checks import CHECKS


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param(
            "records",
            b"@\xa0\x03\0\0\0\0\0\0\0\xb0\x99I\x0e\x86$\x0f\x99\x96+\xdc#\0\0\0\0\0\0\0\xb0\x9fwC\0\0\0\0=c\xd4\xa6\x0b\n"
            b"\x05dtype\x12\x020\x03*\x1d\n\x05val\x08\0\0\0\0\0\0\0\xff\x86$\x0fL\0\0\0\0\0\0\0\xf5\xd4\xa2\xa0\0\0\x17"
            b"\\\n\x08\x12\x06put_shapes\x12\x0c\n\n:o\x1c?\x7f\n\0\0\0\0\0\0\0\xae\xa3\xbf:d2\x12\x02\x18\0*\x0b\n\x05"
            b"\xb4S[:\n\0\0\0\0\0\0\0\xae\xa3\xbf:ass\x12\n\n\x08\x12\x06l\xfb\x9eL:w",
            id="a wrong record ends with a header whose payload is the next header",
        ),
        pytest.param(
            "records",
            b"@\xa0%\0\0\0\0\0\0\0\xea\xbc6\xf3,\0\0\0\0\0\0\0\xf4\xae\xccEu\r\0\0\0\0\0\0\0<7\xb84\0\0\0\0\0\0\0\0\0\0\0\0"
            b"\0\x8fcL\xee:\x8a\xae\xbf\0\0\0\xbb\xb5\xf5\xd5\0\0\0\0\0\xff\xff\0\0BER\x04\n\x07rcU)\xf0xs",
            id="two chains of headers cross in one byte",
        ),
        pytest.param(
            "records",
            b"@t\x08\0\0\0\0\0\0\0\xff\x86$\x0f\x08\0\0\0\0\0\0\0\xff\x86$\x0f3\0\0\0\0\0\0\0\x0c\xa7 V="
            b"\0\0\0\0\0\x0b\0\0\0\0\0\0\0\x86\x15\xf5\x04\x11\0\0\0\0\0\x000@\xf00\xe0,=\0\0\0\0\0\0\0`I\xf1\xecR\x04g\x936\0\0\0%\xc5\xe2Y",
            id="headers that may all be payloads of one another",
        ),
        pytest.param(
            "values",
            b"\0\n\x02t2B\x18\x08\x0f\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02B\x01aB\x01b:\x01cB\x01\x06\n\x04text",
            id="a tensor of numbers holds texts, too",
        ),
        pytest.param(
            "values",
            b"\0\n\x02t2B\x18\x08\x07\x12\x08\x10\x02\x08\x02\x12\x02\x08\x02B\x01aB\x01bB\x01cB\x01\x06\n\x04text",
            id="a shape in which a number stands in place of a dimension",
        ),
        pytest.param(
            "events",
            b"\x14\r+\0\t\xdd\xb3A\x91\x1f\xc0\xdaA* \n\x1e\n\x02t1B\x0e\x08\x07\x12\x04\x10\x02\x08\x02B\x01aB\x01b"
            b"J\x08\n\x06\n\x04text\x14\r5\0\t\xd0\xb8A\x91\x1f\xc0\xdaA**\n(\n\x02t2B\x18\x08\x07\x12\x08\x12\x02\x08\x02"
            b"\x12\x02\x08\x02B\x01aB\x01bB\x01cB\x01dJ\x08\n\x06\n\x04t\x1f\xc0\xdaA*\x1c\n\x1a\n\x06dt/f16B\x10\x08\x13"
            b'\x12\x04\x12\x02\x08\x03"\x06\0\0\0<\0\0',
            id="the same in an event, whose sounds are counted by their first bytes",
        ),
    ],
)
def test_fuzz_findings_stay_fixed(name: str, data: bytes) -> None:
    CHECKS[name](data)
