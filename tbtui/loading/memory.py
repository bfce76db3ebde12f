"""Giving memory that was freed back to the system."""

from __future__ import annotations

from contextlib import suppress

TRIM_BYTES = 64 << 20
"""Bytes read after which it is worth while: reading leaves about as much behind as it keeps."""


def give_back() -> None:
    """Hand the pages that are free back, where the C library has a call for it (glibc); takes a few milliseconds.

    Growing columns leave holes of every size behind, which the library keeps for later: without this a log directory
    stays twice as large in memory as its points are.
    """
    import ctypes  # needed by nothing else

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
