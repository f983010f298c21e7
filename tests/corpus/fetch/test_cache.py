from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.fetch.cache import Cache, Entry
from lunwen.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEYS = [f"{place:02x}" * 20 for place in range(8)]
WRITER = """
import sys
from pathlib import Path
from lunwen.corpus.fetch.cache import Cache, Entry
cache, letter = Cache(Path(sys.argv[1]), 1 << 30), sys.argv[2].encode()
print("begun", flush=True)
while True:
    cache.store(sys.argv[3], Entry(url=sys.argv[2]), (letter * 9000 for _ in range(20)))
"""


def _fill(cache: Cache, size: int = 100) -> None:
    """Keep eight bodies, the last longest ago; all long enough that they may go."""
    for place, key in enumerate(KEYS):
        cache.store(key, Entry(url=key), [bytes(size)])
        for path in cache.folder.glob(f"*/{key}*"):
            os.utime(path, (time.time() - 5000 - place,) * 2)


def _there(cache: Cache) -> list[bool]:
    return [cache.find(key) is not None for key in KEYS]


def test_what_is_kept_is_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)
    assert cache.find(KEYS[0]) is None
    kept = cache.store(KEYS[0], Entry(url="u", etag='"1"'), [b"one ", b"two"])
    assert cache.find(KEYS[0]) == kept == Entry(url="u", etag='"1"', size=7, digest=kept.digest)
    assert cache.body(KEYS[0], kept).read_bytes() == b"one two"


def test_a_body_that_breaks_off_changes_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    cache = Cache(tmp_path, 1 << 20)
    kept = cache.store(KEYS[0], Entry(), [b"old"])
    files = sorted(tmp_path.rglob("*"))
    for begin in (lambda: cache.store(KEYS[0], Entry(), broken()), lambda: cache.hold(broken())):
        with pytest.raises(KeyboardInterrupt):
            begin()
    assert cache.find(KEYS[0]) == kept
    assert sorted(tmp_path.rglob("*")) == files


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"size": 3}', '{"other": 1}', "\x00\xff"])
def test_a_damaged_entry_is_not_there(damage: str, tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)
    cache.store(KEYS[0], Entry(), [b"old"])
    (tmp_path / "00" / f"{KEYS[0]}.json").write_text(damage)
    assert cache.find(KEYS[0]) is None
    cache.store(KEYS[0], Entry(), [b"new"])
    assert cache.find(KEYS[0]) is not None


def test_an_entry_without_its_whole_body_is_not_there(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)
    body = cache.body(KEYS[0], cache.store(KEYS[0], Entry(), [b"old"]))
    body.write_bytes(b"ol")  # as after a power cut
    assert cache.find(KEYS[0]) is None
    body.unlink()
    assert cache.find(KEYS[0]) is None


def test_what_was_used_least_lately_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 10_000)
    _fill(cache, 1000)
    cache.find(KEYS[6])  # used now
    Cache(tmp_path, 6_000).store("ff" * 20, Entry(), [bytes(1000)])
    assert _there(cache) == [True, True, False, False, False, False, True, False]
    assert sum(path.stat().st_size for path in tmp_path.glob("*/*")) <= 6_000


def test_what_somebody_may_be_about_to_read_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 100)
    for key in KEYS:
        cache.store(key, Entry(), [bytes(1000)])
    assert _there(cache) == [True] * 8


def test_what_is_of_others_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 20)
    _fill(cache)
    theirs = [tmp_path / "notes.txt", tmp_path / "00" / "mine.json"]
    for path in theirs:
        path.write_text("mine")
        os.utime(path, (1, 1))
    last = "ff" * 20
    Cache(tmp_path, 1).store(last, Entry(), [b"new"])
    assert _there(cache) == [False] * 8
    files = {path for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith(last)}
    assert files == set(theirs)


def test_a_folder_that_is_only_read_still_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path, 1 << 20)
    kept = cache.store(KEYS[0], Entry(), [b"old"])

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    monkeypatch.setattr("lunwen.corpus.fetch.cache.tempfile.mkstemp", lambda **_: refuse())
    assert cache.find(KEYS[0]) == kept
    with pytest.raises(FetchError) as failed:
        cache.store(KEYS[0], Entry(), [b"new"])
    assert str(failed.value) == (
        f"the cache in {tmp_path} cannot be written (Permission denied). "
        "Make room, or set LUNWEN_CACHE to a folder of your own"
    )


def test_two_processes_that_are_killed_leave_a_whole_body(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1 << 30)
    for _ in range(3):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(tmp_path), letter, KEYS[0]], stdout=subprocess.PIPE
            )
            for letter in "ab"
        ]
        for one in writers:
            assert one.stdout is not None
            one.stdout.readline()
        seen = set()
        while len(seen) < 2:  # while both write
            entry = cache.find(KEYS[0])
            if entry is not None:
                assert cache.body(KEYS[0], entry).read_bytes() == entry.url.encode() * 180_000
                seen.add(entry.url)
        for one in writers:
            one.send_signal(signal.SIGKILL)
            one.communicate()
        entry = cache.find(KEYS[0])
        assert entry is not None
        assert cache.body(KEYS[0], entry).read_bytes() == entry.url.encode() * 180_000
