from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from lunwen.doors.web.app import create_app
from lunwen.doors.web.server import serve
from lunwen.doors.web.worker import make_server
from lunwen.errors import LimitError
from lunwen.retrieval.chinese import reading
from lunwen.retrieval.chinese.glossary import load_glossary

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the workers in /proc")


class Served:
    """A library served by processes of its own, as from a terminal."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "lunwen", "--json", "--library", str(folder)]
        self.program = subprocess.Popen(
            [*command, "serve", "--port", "0", "--workers", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.program.stdout
        self.url = json.loads(self.program.stdout.readline())["url"]

    def ask(self) -> int:
        return httpx.get(f"{self.url}?q=descent", timeout=20, trust_env=False).status_code

    def workers(self) -> set[int]:
        """The ids of its processes that serve."""
        children = Path(f"/proc/{self.program.pid}/task/{self.program.pid}/children").read_text().split()
        return {
            int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
        }


@pytest.fixture
def served(tmp_path):
    served = Served(tmp_path)
    yield served
    if served.program.poll() is None:
        os.killpg(served.program.pid, signal.SIGKILL)
    served.program.communicate()


def wait_until(holds) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_killed_worker_is_replaced_and_ctrl_c_ends_all_of_them_quietly(served):
    assert served.ask() == 200
    wait_until(lambda: len(served.workers()) == 2)
    killed, other = served.workers()
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(served.workers() - {killed, other}) == 1)
    assert served.ask() == 200
    os.killpg(served.program.pid, signal.SIGINT)
    out, err = served.program.communicate(timeout=10)
    assert (out, err, served.program.returncode) == ("", "lunwen: stopped\n", 130)
    with pytest.raises(httpx.ConnectError):
        served.ask()


def test_workers_end_with_the_program(served):
    assert served.ask() == 200
    workers = served.workers()
    served.program.kill()
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def test_being_asked_to_end_is_quiet_too(served):
    assert served.ask() == 200
    served.program.terminate()
    out, err = served.program.communicate(timeout=10)
    assert (out, err, served.program.returncode) == ("", "", 128 + signal.SIGTERM)


def test_the_chinese_word_lists_are_loaded_before_anyone_asks(shelf):
    reading._read.cache_clear()
    load_glossary.cache_clear()
    make_server(create_app(shelf))
    wait_until(lambda: load_glossary.cache_info().currsize == 1)


@pytest.mark.parametrize("workers", [0, 65])
def test_a_number_of_workers_outside_its_range(shelf, workers):
    with pytest.raises(
        LimitError, match=rf"^{workers} workers are not possible\. Allowed: 1 to 64\. Usual: one per core$"
    ):
        serve(shelf, workers=workers)
