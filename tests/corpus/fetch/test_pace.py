from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from lunwen.corpus.fetch.limit import PACES
from lunwen.corpus.fetch.pace import Pace

if TYPE_CHECKING:
    from pathlib import Path

TURN = """
import sys
from pathlib import Path
from lunwen.corpus.fetch.pace import Pace
for _ in range(10):
    Pace(Path(sys.argv[1]), {"arxiv.org": 3.0}, wait=print, clock=lambda: 1000.0).take_turn("arxiv.org")
"""


class _Clock:
    """A time that passes by waiting alone."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waited: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds

    def pace(self, folder: Path) -> Pace:
        return Pace(folder, PACES, wait=self.wait, clock=lambda: self.now)


def test_arxiv_is_asked_once_in_three_seconds_whatever_its_name(tmp_path: Path) -> None:
    clock = _Clock()
    for host in ("export.arxiv.org", "oaipmh.arxiv.org", "arxiv.org"):
        clock.pace(tmp_path).take_turn(host)
    assert clock.waited == [3.0, 3.0]
    clock.now += 2.0
    clock.pace(tmp_path).take_turn("arxiv.org")
    assert clock.waited[-1] == 1.0
    clock.now += 60.0
    clock.pace(tmp_path).take_turn("arxiv.org")
    assert len(clock.waited) == 3


def test_sites_do_not_wait_for_one_another(tmp_path: Path) -> None:
    clock = _Clock()
    for host in ("icml.cc", "notarxiv.org", "arxiv.org", "dblp.org"):
        clock.pace(tmp_path).take_turn(host)
    assert clock.waited == []
    clock.pace(tmp_path).take_turn("icml.cc")
    assert [round(seconds, 6) for seconds in clock.waited] == [0.1]
    clock.pace(tmp_path).take_turn("icml.cc", at_least=10)
    clock.pace(tmp_path).take_turn("icml.cc")
    assert round(clock.waited[-1], 6) == 10


def test_a_turn_far_ahead_or_no_number_is_not_waited_for(tmp_path: Path) -> None:
    clock = _Clock()
    pace = clock.pace(tmp_path)
    for written in ("999999999.0", "soon", ""):
        (tmp_path / "arxiv.org").write_text(written)
        pace.take_turn("arxiv.org")
    assert clock.waited == []


def test_no_two_processes_have_the_same_turn(tmp_path: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", TURN, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    waits = [float(line) for one in started for line in one.communicate()[0].split()]
    assert sorted(waits) == [3.0 * turn for turn in range(1, 20)]  # the first has none
