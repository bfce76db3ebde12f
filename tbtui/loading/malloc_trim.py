"""When memory that was freed goes back to the system."""

from __future__ import annotations

from contextlib import suppress

TRIM_BYTES = 64 << 20
"""Bytes read after which it is worth while: reading leaves about as much behind as it keeps."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Of `malloc.h`."""

_KEPT_BYTES = 16 << 20
_OWN_BYTES = 8 << 20


def tune_malloc() -> None:
    """Let what reading a piece has taken be there for the next one, where the C library can be told (glibc).

    By itself it gives arrays of a megabyte back as soon as they are freed, and to get them again costs a third of the
    time that reading takes. At most 16 MB are kept at the end of the heap, and what is larger than 8 MB never is.
    """
    import ctypes  # needed by nothing else

    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
        library.mallopt(_M_MMAP_THRESHOLD, _OWN_BYTES)


def trim_memory() -> None:
    """Hand the pages that are free back, where the C library has a call for it (glibc); takes a few milliseconds.

    Growing columns leave holes of every size behind, which the library keeps for later: without this a log directory
    stays twice as large in memory as its points are.
    """
    import ctypes  # needed by nothing else

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
