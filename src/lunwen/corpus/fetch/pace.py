"""Not asking a site faster than it can bear, whichever processes of this user ask it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_FURTHEST = 300.0  # seconds that a turn may be ahead; more, and the file or a clock is wrong


class Pace:
    """Gives everybody a turn, in a file per site that holds the time of the next.

    Args:
        folder: where the files are.
        seconds: between two requests, by name; "" is for names that are not listed.
        wait: waits some seconds.
        clock: the time, the same in all processes.
    """

    def __init__(
        self,
        folder: Path,
        seconds: Mapping[str, float],
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._seconds, self._wait, self._clock = folder, seconds, wait, clock

    def take_turn(self, host: str, at_least: float = 0.0) -> None:
        """Wait until ``host`` may be asked; the next turn comes ``at_least`` so many seconds later.

        Raises:
            OSError: the file cannot be written.
        """
        site = next((name for name in self._seconds if name and f".{host}".endswith(f".{name}")), "")
        seconds = max(self._seconds.get(site, 0.0), at_least)
        if not seconds:
            return
        path = self._folder / (site or host).replace(":", "_")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(path.with_name(path.name + ".lock")):
            now = self._clock()
            turn = max(now, _read(path))
            if turn > now + _FURTHEST:
                turn = now
            path.write_text(repr(turn + seconds), "ascii")
        if turn > now:
            self._wait(turn - now)


def _read(path: Path) -> float:
    try:
        return float(path.read_text("ascii"))
    except (OSError, ValueError):
        return 0.0
