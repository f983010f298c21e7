from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import feedparser
import pytest
from tests.corpus.sync.site import test_virtual

if TYPE_CHECKING:
    from tests.server import Server


def take_in(run: Any, *papers: dict[str, Any]) -> None:
    lines = [json.dumps({"authors": ["Ana Díaz"], "venue": "ICML", **paper}) for paper in papers]
    Path("owls.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    assert run("import", "owls.jsonl").code == 0


def new(run: Any) -> dict[str, int]:
    return {one["watch"]: one["new"] for one in run("watch", "--json").json}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUNWEN_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("LUNWEN_CONTACT", "LUNWEN_OFFLINE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    take_in(run, {"title": "Bats"})
    run("watch", "add", "owls", "owls")
    run("watch", "add", "all of icml", "--venue", "icml")


OWL = {
    "title": "Owls at night",
    "authors": [f"Ana Díaz{number}" for number in range(12)],
    "year": 2026,
    "topic": ["Birds", "Owls"],
    "abstract": "An owl hears a mouse.",
    "url": "https://example.org/owls?a=1&b=2",
}


def test_all_of_it_is_shown_and_stays_new(run: Any) -> None:
    take_in(run, OWL, {"title": "Bees"})
    shown = run("watch", "--all", "-n", "1")
    assert (shown.code, shown.err) == (0, "")
    first, second = shown.out.split("\nowls · ")
    assert first.startswith("all of icml · 2 new since 20")
    assert first.splitlines()[1:3] == ["--venue icml", ""]
    assert first.splitlines()[-1] == (
        "1 more: lunwen watch --offset 1 'all of icml'. They stay new until the last of them is shown"
    )
    assert "why:" not in first
    lines = second.splitlines()
    assert lines[1:6] == ["owls", "", "Birds · Owls", "Owls at night", lines[5]]
    assert lines[5].startswith("Ana Díaz0, ")
    assert lines[6].endswith("et al.")
    assert lines[7:9] == ["ICML 2026 · accepted", "An owl hears a mouse."]
    assert lines[10].startswith("why: words #1 (Owls, owl)")
    assert lines[11:] == ["https://example.org/owls?a=1&b=2", ""]
    assert new(run) == {"all of icml": 2, "owls": 1}


def test_what_is_shown_to_its_end_is_seen_where_that_is_asked_for(run: Any) -> None:
    take_in(run, OWL, {"title": "Bees"})
    shown = run("watch", "--all", "--mark", "-n", "1", "--json").json
    assert [(one["watch"], one["new"], one["seen"]) for one in shown] == [
        ("all of icml", 2, False),
        ("owls", 1, True),
    ]
    assert new(run) == {"all of icml": 2, "owls": 0}
    assert run("watch", "--all", "--mark").out.startswith("all of icml · 2 new")
    nothing = run("watch", "--all")
    assert (nothing.out, nothing.err) == ("", "lunwen: nothing is new to all of icml, owls\n")


def test_in_chinese(run: Any) -> None:
    take_in(run, OWL, {"title": "Bees"})
    assert " 2 篇新论文  20" in run("watch", "--lang", "zh").out
    shown = run("watch", "--all", "--lang", "zh", "-n", "1").out
    assert "all of icml · 2 篇新论文，上次查看：20" in shown
    assert "还有 1 篇：lunwen watch --offset 1 'all of icml'（全部看完之前都算新的）" in shown
    assert "Ana Díaz9 等\n" in shown
    assert "依据：词 #1（Owls、owl）" in shown


def test_a_feed_has_each_paper_once_and_says_how_many_more(run: Any) -> None:
    take_in(run, OWL, {"title": "Bees \u202e\x0b <b>"})
    written = run("watch", "--format", "atom", "-o", "new.xml")
    assert (written.code, written.out, written.err) == (0, "", "lunwen: wrote new.xml\n")
    parsed = feedparser.parse(Path("new.xml").read_bytes())
    assert not parsed.bozo
    assert parsed.feed.title == "Saved searches · lunwen 论文"
    assert {one.title: [tag.term for tag in one.tags] for one in parsed.entries} == {
        "Owls at night": ["all of icml", "owls", "ICML", "Birds", "Owls"],
        "Bees <b>": ["all of icml", "ICML"],
    }
    (owls,) = [one for one in parsed.entries if one.title == "Owls at night"]
    assert owls.link == OWL["url"]
    (bees,) = [one for one in parsed.entries if one is not owls]
    assert [one.value for one in bees.content] == ["Bees <b>"]
    cut = feedparser.parse(run("watch", "all of icml", "--format", "atom", "-n", "1").out)
    assert cut.feed.title == "all of icml · lunwen 论文"
    assert cut.feed.subtitle.startswith("all of icml: 1 more: lunwen watch --offset 1 'all of icml'. ")
    assert new(run) == {"all of icml": 2, "owls": 1}
    run("watch", "--all", "--mark")
    empty = feedparser.parse(run("watch", "--format", "atom").out)
    assert (empty.bozo, empty.entries, empty.feed.id) == (False, [], parsed.feed.id)


def test_what_the_last_sync_brought_seen_or_not(
    run: Any, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LUNWEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LUNWEN_MIRROR", server.url)
    refused = run("watch", "--since-sync")
    said = "lunwen: nothing was synced yet. Follow a venue with: lunwen sync VENUE YEAR\n"
    assert (refused.code, refused.out, refused.err) == (2, "", said)
    take_in(run, {"title": "Bees"})
    for numbers in ([1, 2], [1, 2, 3]):
        events = test_virtual.program(*map(test_virtual.event, numbers))
        server.put("icml.cc", test_virtual.PROGRAM, events, etag=f'"{len(numbers)}"')
        server.put("icml.cc", test_virtual.ABSTRACTS, "{}")
        assert run("sync", "icml", "2026").code == 0
        found = run("watch", "all of icml", "--since-sync", "--json").json
        assert (found["response"]["total"], found["seen"]) == (2 if numbers == [1, 2] else 1, False)
        assert found["since"] > found["visited"]
    assert new(run)["all of icml"] == 4
    run("watch", "all of icml")
    assert run("watch", "--since-sync").out.startswith("all of icml · 1 new since the last sync, 20")
    more = run("watch", "--since-sync", "--lang", "zh").out
    assert "1 篇新论文，上次同步：20" in more
    run("sync", "--all")
    assert run("watch", "--since-sync").out == ""


def test_json_is_no_feed(run: Any) -> None:
    wrong = run("watch", "--json", "--format", "atom")
    assert (wrong.code, wrong.out) == (2, "")
    said = "--json and --format atom both want standard output. Leave one out"
    assert json.loads(wrong.err)["message"] == said


def test_one_that_cannot_be_asked_is_told_beside_the_others(run: Any) -> None:
    run("watch", "add", "gone", "owls", "--source", "jsonl")
    take_in(run, OWL)
    run("import", "catalogue")
    with closing(sqlite3.connect(Path("library") / "library.sqlite")) as db:
        db.execute("UPDATE watches SET request = '{\"colour\":[1]}' WHERE name = 'gone'")
        db.commit()
    shown = run("watch", "--all", "-n", "1")
    assert shown.code == 1
    assert "\nowls · 1 new since" in shown.out
    assert shown.err.startswith("lunwen: gone: a saved search cannot be read (")
    assert len(shown.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--all", "-o", "x"], "-o is for a feed. Add --format atom, or leave -o out"),
        (["--to", "a@example.org"], "--to and --from are for a mail. Add --format mail, or leave them out"),
        (
            ["--since-sync", "--mark"],
            "--mark counts all since the last visit as seen, --since-sync shows less. Leave one out",
        ),
        (
            ["--all", "--offset", "1"],
            "--offset is for one saved search. Give its NAME: lunwen watch NAME --offset N",
        ),
        (["--all", "owls"], "--all is every saved search. Leave out the NAME, or --all"),
        (["add", "x", "--mark"], "add shows nothing. Leave out how: lunwen watch add NAME"),
        (["--format", "html"], 'no format "html". Closest: mail or atom. Allowed: text, atom, mail'),
    ],
)
def test_what_does_not_go_together_is_one_line(run: Any, given: list[str], said: str) -> None:
    wrong = run("watch", *given)
    assert (wrong.code, wrong.out, wrong.err) == (2, "", f"lunwen: {said}\n")
