"""``lunwen sync`` and ``lunwen sources`` against a real server on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.corpus.sync.site import test_openreview, test_virtual
from tests.server import FAULTS

from lunwen.corpus.sync.state import Follows
from lunwen.doors.cli.sync import read_editions
from lunwen.library import open_library

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server import Request, Server

HOST, PROGRAM, ABSTRACTS = "icml.cc", test_virtual.PROGRAM, test_virtual.ABSTRACTS


def put(server: Server, *numbers: int, etag: str = '"1"') -> None:
    events = [test_virtual.event(number) for number in numbers]
    abstracts = {str(number): f"Wheel {number} turns." for number in numbers}
    server.put(HOST, PROGRAM, test_virtual.program(*events), etag=etag)
    server.put(HOST, ABSTRACTS, json.dumps(abstracts), etag=etag)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server) -> Path:
    monkeypatch.setenv("LUNWEN_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("LUNWEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LUNWEN_MIRROR", server.url)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("LUNWEN_OFFLINE", "LUNWEN_CONTACT", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.usefixtures("home")
def test_a_venue_is_synced_and_synced_again_without_a_body(run: Any, server: Server) -> None:
    put(server, 1, 2, 3)
    first = run("sync", "icml", "2026")
    assert first.code == 0
    assert first.out.splitlines() == [
        "edition            outcome  new  changed  gone  back  unchanged  failed",
        "icml 2026 virtual  done       3        0     0     0          0       0",
    ]
    assert re.fullmatch(r"lunwen: \d+\.\d s\n", first.err)
    sent = server.sent
    again = run("sync", "--all", "--json").json
    assert server.sent == sent
    assert [request.status for request in server.requests[-2:]] == [304, 304]
    (edition,) = again["editions"]
    assert (edition["outcome"], edition["unchanged"], edition["new"]) == ("done", 3, 0)
    assert run("search", "wheel", "--json").json["total"] == 3


@pytest.mark.usefixtures("home")
def test_a_paper_that_is_no_longer_listed_says_so_until_it_is_back(run: Any, server: Server) -> None:
    put(server, 1, 2, 3)
    run("sync", "icml", "2026")
    put(server, 1, 2, etag='"2"')
    assert run("sync", "icml", "2026", "--json").json["editions"][0]["gone"] == 1
    (gone,) = run("search", "title:'wheel 3'", "--json").json["items"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", gone["gone"])
    shown = run("show", gone["paper_id"])
    assert f"no longer listed by ICML 2026 since {gone['gone']}" in shown.out
    put(server, 1, 2, 3, etag='"3"')
    assert run("sync", "icml", "2026", "--json").json["editions"][0]["back"] == 1
    assert "gone" not in run("show", gone["paper_id"], "--json").json


@pytest.mark.usefixtures("home")
def test_an_abstract_that_stays_keeps_no_paper_listed(run: Any, server: Server) -> None:
    put(server, 1, 2, 3)
    run("sync", "icml", "2026")
    events = [test_virtual.event(number) for number in (1, 2)]
    server.put(HOST, PROGRAM, test_virtual.program(*events), etag='"2"')
    (one,) = run("sync", "icml", "2026", "--json").json["editions"]
    assert (one["changed"], one["gone"], one["unchanged"]) == (0, 1, 2)
    assert "icml 2026 virtual: 2 papers, done" in run("sources", "icml").out
    (one,) = run("sync", "icml", "2026", "--json").json["editions"]
    assert (one["gone"], one["unchanged"]) == (0, 2)
    put(server, 1, 2, 3, etag='"3"')
    (one,) = run("sync", "icml", "2026", "--json").json["editions"]
    assert (one["changed"], one["back"], one["unchanged"]) == (0, 1, 2)


@pytest.mark.usefixtures("home")
def test_one_that_fails_is_told_and_the_others_come(run: Any, server: Server) -> None:
    put(server, 1)
    server.misbehave(HOST, PROGRAM.replace("2026", "2025"), FAULTS["403"])
    done = run("sync", "icml", "2024..2026")
    assert done.code == 1
    assert [line.split("  ")[:2] for line in done.out.splitlines()[1:]] == [
        ["icml 2024 virtual", "not published yet"],
        ["icml 2025 virtual", "failed           "[:6]],
        ["icml 2026 virtual", "done"],
    ]
    said = done.err.splitlines()
    assert said[0].startswith("lunwen: icml 2024 virtual: The program of ICML 2024 is not published yet")
    assert said[1].startswith("lunwen: icml 2025 virtual: ")
    assert "refuses (HTTP 403)" in said[1]
    assert len(said) == 3


@pytest.mark.usefixtures("home")
def test_a_reason_names_its_edition_once(run: Any, server: Server) -> None:
    put(server, 1, 2, 3)
    run("sync", "icml", "2026")
    put(server, 1, etag='"2"')
    failed = run("sync", "icml", "2026")
    assert failed.code == 1
    assert failed.err.startswith("lunwen: icml 2026 virtual: lists 1 records and listed 3 before, as if")


@pytest.mark.usefixtures("home")
def test_not_published_yet_is_no_failure(run: Any, server: Server) -> None:
    server.put(HOST, PROGRAM, test_virtual.program())
    done = run("sync", "icml", "2026", "--json")
    assert done.code == 0
    assert done.json["editions"][0]["outcome"] == "not published yet"


@pytest.mark.usefixtures("home")
def test_offline_the_cache_answers(run: Any, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    put(server, 1)
    run("sync", "icml", "2026")
    asked = len(server.requests)
    monkeypatch.setenv("LUNWEN_LIBRARY", os.environ["LUNWEN_LIBRARY"] + "2")
    done = run("sync", "icml", "2026", "--offline")
    assert (done.code, len(server.requests)) == (0, asked)
    assert "done       1" in done.out
    assert "lunwen: offline: nobody was asked, all of it is what was fetched before" in done.err


@pytest.mark.usefixtures("home")
def test_fresh_fetches_all_again(run: Any, server: Server) -> None:
    put(server, 1)
    run("sync", "icml", "2026")
    assert run("sync", "icml", "2026", "--fresh", "--json").json["editions"][0]["unchanged"] == 1
    assert [request.status for request in server.requests[-2:]] == [200, 200]


@pytest.mark.usefixtures("home")
def test_sources_say_what_there_is_and_how_it_stands(run: Any, server: Server) -> None:
    put(server, 1, 2)
    run("sync", "icml", "2026")
    listed = run("sources", "icml", "virtual")
    first, second = listed.out.splitlines()
    assert first.startswith("ICML  virtual       2020–2026  ")
    assert re.fullmatch(r"      icml 2026 virtual: 2 papers, done \d{4}-\d\d-\d\d \d\d:\d\d", second)
    (row,) = run("sources", "icml", "virtual", "--json").json
    assert set(row) == {"venue", "site", "years", "licence", "editions"}
    assert row["licence"]
    assert row["editions"][0]["papers"] == 2
    assert len(run("sources", "--json").json) > 50
    assert run("sources", "nowhere").err == (
        'lunwen: no source has "nowhere". List all with: lunwen sources\n'
    )


@pytest.mark.usefixtures("home")
def test_what_is_forgotten_is_no_longer_synced_and_its_papers_stay(run: Any, server: Server) -> None:
    put(server, 1)
    run("sync", "icml", "2026")
    done = run("sync", "--forget", "icml", "2026")
    assert done.err == "lunwen: icml 2026 virtual is no longer followed; its papers stay\n"
    assert run("sync", "--forget", "icml", "2026").err == (
        'lunwen: "icml 2026 virtual" is not followed. Followed: nothing. More: lunwen sources\n'
    )
    assert run("sync", "--all").err == (
        "lunwen: nothing is followed yet. Follow a venue with: lunwen sync VENUE YEAR; "
        "known: lunwen sources\n"
    )
    assert run("search", "wheel", "--json").json["total"] == 1


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "nothing to sync. Give a VENUE with a YEAR, a URL, or --all; known: lunwen sources"),
        (["--all", "icml"], "--all is everything that is followed. Leave out the rest, or --all"),
        (["icml", "1950"], "no ICML 1950."),
        (["iclm", "2026"], 'no venue "iclm" among the sources. Closest: ICML'),
        (["icml", "2026", "--site", "mars"], 'ICML is not followed at "mars".'),
        (["http://example.org/a.json"], "Give an address that begins with https://"),
    ],
)
def test_what_cannot_be_asked_is_refused(run: Any, given: list[str], said: str) -> None:
    done = run("sync", *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_words_name_editions() -> None:
    def names(*words: str) -> list[str]:
        return [one.name for one in read_editions(words)]

    assert names("icml", "2024..2026", "2026") == [f"icml {year} virtual" for year in (2024, 2025, 2026)]
    assert names("icml", "2026", "openreview") == ["icml 2026 openreview"]
    assert names("arxiv", "cs.LG") == ["arxiv cs.LG"]
    assert [
        one.address for one in read_editions(["https://a.example/x.json", "https://b.example/y.bib"])
    ] == [
        "https://a.example/x.json",
        "https://b.example/y.bib",
    ]


class Notes:
    """OpenReview with many notes; it tells after which request the reader is to be killed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.due, self.over = threading.Event(), threading.Event()
        self.left = -1  # requests until then

    def answer(self, request: Request) -> str:
        if self.due.is_set():
            self.over.wait(60)  # nothing more comes while the reader is being killed
        if self.left == 0:
            self.due.set()
        self.left -= 1
        start, limit = (int(request.query.get(name, 0)) for name in ("offset", "limit"))
        numbers = range(start, min(start + limit, self.count))
        return json.dumps(
            {"notes": [test_openreview.note(number) for number in numbers], "count": self.count}
        )


SMALL = "from lunwen.corpus.sync.site import openreview; openreview._SIZES['v2'] = 10"  # notes a page
SYNC = ("sync", "iclr", "2024", "--site", "openreview", "--json")


def start(*command: str) -> subprocess.Popen[str]:
    code = f"import sys; from lunwen.doors.cli import main; {SMALL}; sys.exit(main({list(command)}))"
    piped = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code], stdout=piped, stderr=piped, text=True)


def test_killed_five_times_it_ends_as_if_it_had_not_been(run: Any, home: Path, server: Server) -> None:
    notes = Notes(145)
    server.route(test_openreview.V2, "/notes", notes.answer)
    for seconds in (0, 0.1, 0, 0.2, 0):  # after the third request of each life was answered
        notes.left = 2  # by then the page of the first is in
        notes.due.clear()
        notes.over.clear()
        child = start(*SYNC)
        assert notes.due.wait(120)
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        notes.over.set()
    notes.due.clear()
    asked = len(server.asked)
    out, err = start(*SYNC).communicate()
    (edition,) = json.loads(out)["editions"]
    assert (edition["new"], edition["unchanged"], edition["outcome"]) == (notes.count, 0, "done"), err
    assert 5 <= len(server.asked) - asked <= 10  # it went on, it did not begin again
    undisturbed = home / "undisturbed"
    start("--library", str(undisturbed), *SYNC).communicate()
    assert _stored(home / "library") == _stored(undisturbed)
    assert run("doctor", "--json").json["sound"]


def _stored(folder: Path) -> tuple[list[Any], list[Any]]:
    with open_library(folder) as library:
        store = library._store
        (follow,) = Follows(store).all()
        met = Follows(store).count_met(follow)
        counted = (follow.cursor, follow.began, follow.outcome, follow.counts, met)
        found = sorted((one.title, one.abstract, one.authors, one.gone) for one in store.all_papers())
        return found, list(counted)


def test_ctrl_c_says_that_it_goes_on(home: Path, server: Server) -> None:
    notes = Notes(45)
    server.route(test_openreview.V2, "/notes", notes.answer)
    notes.left = 2
    child = start(*SYNC[:-1])
    assert notes.due.wait(120)
    notes.over.set()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert child.returncode == 130
    assert err.splitlines()[-1] == "lunwen: stopped; what came is kept, and the same sync goes on from there"
    assert "interrupted" in out
    with open_library(home / "library") as library:
        assert not library.behind
