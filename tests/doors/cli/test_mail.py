from __future__ import annotations

import json
from email import message_from_string, policy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from lunwen.corpus.paper import Author, Paper
from lunwen.doors.cli.mail import addresses, compose
from lunwen.doors.cli.news import Showing
from lunwen.retrieval.request import Item, SearchRequest, SearchResponse
from lunwen.retrieval.watch import News, Watch

if TYPE_CHECKING:
    from email.message import EmailMessage

TO = ("--format", "mail", "--to", "ana@example.org")
TAGS = {"html", "head", "meta", "title", "body", "h2", "p", "code", "div", "a"}
HOSTILE = (
    "Owls\r\nBcc: all@example.org\r\n\r\n<script>alert(1)</script> \u202edlrow\u2028</title>",
    '"><img src=x onerror=alert(1)>',
    "\x1b[2J\x07Owls\x00",
)


def take_in(run: Any, *titles: str) -> None:
    lines = [json.dumps({"title": title, "authors": ["Ana Díaz"], "venue": "ICML"}) for title in titles]
    Path("owls.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    assert run("import", "owls.jsonl").code == 0


def read(text: str) -> EmailMessage:
    assert text.isascii()
    assert max(map(len, text.splitlines())) < 998
    message = message_from_string(text, policy=policy.default)
    assert [part.defects for part in message.walk()] == [[], [], []]
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    return message


def text_of(message: EmailMessage, kind: str) -> str:
    body = message.get_body((kind,))
    assert body is not None
    return body.get_content()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUNWEN_LIBRARY", str(tmp_path / "library"))
    for name in ("LUNWEN_CONTACT", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    take_in(run, "Bats")
    run("watch", "add", "owls", "owls")


@pytest.mark.usefixtures("home")
def test_a_mail_is_whole_and_marks_nothing(run: Any) -> None:
    run("watch", "add", "猫头鹰", "owls", "--venue", "icml")
    take_in(run, "Owls at night", "Owls & $x^2$")
    sent = run("watch", *TO, "-n", "1")
    assert (sent.code, sent.err) == (0, "")
    message = read(sent.out)
    assert message["From"] == "lunwen <ana@example.org>"
    assert message["To"] == "ana@example.org"
    assert message["Subject"] == "New papers: owls 2, 猫头鹰 2"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"].datetime.utcoffset() is not None
    assert message["Message-ID"].endswith("@example.org>")
    plain, page = text_of(message, "plain"), text_of(message, "html")
    for said in ("Owls", "Ana Díaz", "ICML · accepted", "(Owls) · meaning"):
        assert said in plain
        assert said in page
    assert "猫头鹰 · 2 new since " in plain
    more = "1 more: lunwen watch --offset 1 owls. They stay new until the last of them is shown"
    assert more in plain
    assert more in page
    assert run("watch", "--json").json[0]["new"] == 2


@pytest.mark.usefixtures("home")
def test_the_same_news_have_the_same_id(run: Any) -> None:
    def id_of(*more: str) -> str:
        return read(run("watch", *TO, *more).out)["Message-ID"]

    take_in(run, "Owls at night")
    first = id_of()
    take_in(run, "Bees")
    assert id_of() == id_of("--lang", "zh") == first
    assert id_of("--to", "bob@example.org") != first
    take_in(run, "Owls by day")
    assert id_of() != first


@pytest.mark.usefixtures("home")
def test_of_nothing_no_mail_is_written(run: Any) -> None:
    nothing = run("watch", *TO)
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "")
    take_in(run, "Owls at night")
    assert "Owls at night" in run("watch", *TO, "--mark").out
    assert run("watch", *TO).out == ""


@pytest.mark.usefixtures("home")
def test_in_chinese(run: Any) -> None:
    for number in range(4):
        run("watch", "add", f"鸟 {number}", "owls")
    take_in(run, "Owls at night")
    message = read(run("watch", *TO, "--lang", "zh").out)
    assert message["Subject"] == "新论文：owls 1 篇，鸟 0 1 篇，鸟 1 1 篇，另有 2 个检索"
    assert message["Content-Language"] == "zh"
    assert "1 篇新论文，上次查看：" in text_of(message, "plain")
    assert "依据：词" in text_of(message, "html")


@pytest.mark.usefixtures("home")
def test_hostile_titles_harm_nothing(run: Any) -> None:
    run("watch", "add", "all", "--venue", "icml")
    take_in(run, *HOSTILE)
    message = read(run("watch", *TO).out)
    assert message["Bcc"] is None
    for kind in ("plain", "html"):
        assert not set("\x00\x07\x1b\u202e") & set(text_of(message, kind))
    page = html.fromstring(text_of(message, "html"))
    assert {element.tag for element in page.iter()} <= TAGS
    assert not [name for element in page.iter() for name in element.attrib if name.startswith("on")]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", ["to", "from"])
def test_what_is_no_address_is_refused(run: Any, name: str) -> None:
    wrong = run("watch", *TO, f"--{name}", "ana@example.org\nBcc: bob@example.org")
    said = (
        "lunwen: 'ana@example.org\\nBcc: bob@example.org' is no mail address. "
        "Allowed: one such as you@example.org. Give another\n"
    )
    assert (wrong.code, wrong.out, wrong.err) == (2, "", said)


@pytest.mark.usefixtures("home")
def test_without_an_address_the_contact_gets_it(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    take_in(run, "Owls at night")
    refused = run("watch", "--format", "mail")
    said = "lunwen: a mail is for somebody. Give --to you@example.org, or set LUNWEN_CONTACT to it\n"
    assert (refused.code, refused.out, refused.err) == (2, "", said)
    monkeypatch.setenv("LUNWEN_CONTACT", "ana@example.org")
    message = read(run("watch", "--format", "mail", "--from", "robot@example.net").out)
    assert (message["To"], message["From"]) == ("ana@example.org", "lunwen <robot@example.net>")
    assert message["Message-ID"].endswith("@example.net>")


@given(
    name=st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=90),
    title=st.text(min_size=1, max_size=200),
    author=st.text(min_size=1),
    url=st.text(),
    total=st.integers(1, 10**6),
    language=st.sampled_from(["en", "zh"]),
)
@settings(deadline=None, max_examples=60)
def test_whatever_papers_are_called_a_mail_can_be_read(
    name: str, title: str, author: str, url: str, total: int, language: str
) -> None:
    paper = Paper(
        paper_id="p1",
        title=title,
        authors=(Author(name=author),),
        urls={"paper": f"https://example.org/{url}"},
    )
    response = SearchResponse(
        total=total,
        total_is_exact=True,
        offset=0,
        next_offset=1 if total > 1 else None,
        took_ms=1,
        items=(Item(paper=paper, score=None),),
        facets={},
        query_reading="",
    )
    moment = "2026-11-30T00:00:00.000+00:00"
    watch = Watch(name=name, request=SearchRequest(query=title), made=moment, visited=moment)
    news = News(watch=watch, response=response, last=1, since=moment)
    envelope = addresses(["ana@example.org"], None)
    message = read(compose([news], Showing(form="mail"), envelope, language=language))
    assert set(message.keys()) == {
        *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "Content-Language"),
        *("MIME-Version", "Content-Type"),
    }
    shown = name if len(name) <= 40 else name[:39] + "…"
    assert shown in message["Subject"]
    page = html.fromstring(text_of(message, "html"))
    assert {element.tag for element in page.iter()} <= TAGS
