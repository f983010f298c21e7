from __future__ import annotations

import subprocess
import sys

import pytest

# small blocks and large ones in turn, of which the large ones are freed
CODE = """
import ctypes
from lunwen.corpus.memory import return_large_blocks
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes, libc.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]
def held():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def use():
    large, small = [], []
    for _ in range(40):
        large.append(libc.malloc(4_000_000)); ctypes.memset(large[-1], 1, 4_000_000)
        small.append(libc.malloc(100_000))
    for block in large:
        libc.free(block)
libc.free(libc.malloc(30_000_000))  # from here on glibc keeps what is smaller
before = held()
if {asked}:
    return_large_blocks()
use()
print(held() - before)
"""


def grown(*, asked: bool) -> int:
    code = CODE.replace("{asked}", str(asked))
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps large blocks")
def test_large_blocks_go_back_to_the_system() -> None:
    assert grown(asked=False) > 100_000_000
    assert grown(asked=True) < 20_000_000
