"""What long work keeps of the machine's memory."""

from __future__ import annotations

from contextlib import suppress

_MMAP_THRESHOLD = -3  # of mallopt, in glibc's malloc.h
_LARGE = 256 * 1024


def return_large_blocks() -> None:
    """Have large blocks go back to the system when they are freed, from now on.

    glibc keeps those of up to 32 MB for later, between small ones that are in use: each time that vectors are
    joined, a process would grow by as much. Elsewhere nothing is done, and nothing has to be.
    """
    import ctypes  # noqa: PLC0415 - only long work needs it

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
