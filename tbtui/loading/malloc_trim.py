"""Control when the C library (glibc) returns freed memory to the system."""

from __future__ import annotations

from contextlib import suppress

TRIM_BYTES = 64 << 20
"""Bytes read between two trims: reading leaves about as much free memory behind as it keeps in use."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Parameter numbers from `malloc.h`."""

_KEPT_BYTES = 16 << 20
_OWN_BYTES = 8 << 20


def tune_malloc() -> None:
    """Keep up to 16 MB of freed memory for the next piece, where the C library supports it (glibc).

    By default glibc returns arrays of a megabyte immediately; getting them again costs a third of the reading time.
    Blocks above 8 MB are always returned.
    """
    import ctypes  # needed by nothing else

    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
        library.mallopt(_M_MMAP_THRESHOLD, _OWN_BYTES)


def trim_memory() -> None:
    """Return free pages to the system, where the C library supports it (glibc). Takes a few milliseconds.

    Growing columns leave holes of every size, which glibc keeps. Without trimming, a log directory uses twice the
    memory of its points.
    """
    import ctypes  # needed by nothing else

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
