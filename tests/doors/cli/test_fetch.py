from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest

from lunwen.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.server import Server

PAPERS = (
    '{"id": "owl", "title": "How owls hunt", "authors": ["Ada Owl"], "year": 2024, "arxiv": "2601.00001"}\n'
    '{"id": "tern", "title": "How terns dive", "authors": ["Bo Tern"], "year": 2024}\n'
)
ASKED = ("arxiv.org", "/pdf/2601.00001")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of two papers, and a cache and sites of its own."""
    for name in ("NO_COLOR", "LC_ALL", "LC_MESSAGES", "LANG", "LUNWEN_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LUNWEN_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("LUNWEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LUNWEN_MIRROR", server.url)
    papers = tmp_path / "papers.jsonl"
    papers.write_text(PAPERS, "utf-8")
    with open_library(write=True) as library:
        library.import_files([str(papers)])
    return tmp_path


def paper_id(title: str) -> str:
    with open_library() as library:
        return next(paper.paper_id for paper in library._store.all_papers() if title in paper.title)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the system was told to open."""
    told: list[str] = []
    monkeypatch.setattr(click, "launch", lambda target: told.append(target) or 0)
    return told


def test_a_pdf_is_fetched_its_text_found_and_the_file_opened(
    run: Any, server: Server, make_pdf: Callable[..., bytes], opened: list[str]
) -> None:
    owl = paper_id("owls")
    server.put(*ASKED, make_pdf("Owls hunt.", "They swoop on voles in the dark."))
    ran = run("fetch", owl)
    path = ran.out.strip()
    assert ran.code == 0
    assert path.endswith(".pdf")
    assert ran.err.startswith(f"lunwen: {owl}: fetched, 2 pages, 0.0 MB")
    found = run("search", "text:vole").out.splitlines()
    assert "in the text, p. 2: They swoop on voles in the dark." in found
    assert "正文第 2 页：They swoop on voles in the dark." in run("search", "text:vole", "--lang", "zh").out
    assert run("search", "text:vole", "--json").json["items"][0]["passage"] == {
        "page": 2,
        "text": "They swoop on voles in the dark.",
        "spans": [[14, 19]],
    }
    assert "Try: lunwen search text:swooping  (1; in the text)" in run("search", "swooping").out
    shown = run("show", owl).out.splitlines()
    assert f"PDF here     {path} (2 pages, 0.0 MB)" in shown
    assert "its text     lunwen search text:WORD" in shown
    assert run("show", owl, "--json").json["pdf"]["path"] == path
    assert run("open", owl, "--print").out.strip() == path
    assert run("open", owl).code == 0
    assert opened == [path]


def test_it_fetches_while_another_process_writes(
    run: Any, server: Server, make_pdf: Callable[..., bytes]
) -> None:
    owl = paper_id("owls")
    server.put(*ASKED, make_pdf("Owls hunt."))
    with open_library(write=True):
        ran = run("fetch", owl)
    assert ran.code == 0
    assert ran.err.splitlines() == [
        f"lunwen: {owl}: fetched, 1 page, 0.0 MB",
        "lunwen: another process writes; what changed in the texts is found once it has ended",
    ]
    assert run("search", "text:hunt", "--json").json["total"] == 1


def test_json_says_what_came_of_each_and_the_code_that_one_failed(
    run: Any, server: Server, make_pdf: Callable[..., bytes]
) -> None:
    owl, tern = paper_id("owls"), paper_id("terns")
    server.put(*ASKED, make_pdf("Owls hunt."))
    ran = run("fetch", owl, tern, "--json")
    assert ran.code == 1
    first, second = ran.json
    assert (first["paper_id"], first["outcome"]) == (owl, "fetched")
    pdf = first["pdf"]
    assert (pdf["origin"], pdf["pages"], pdf["passages"]) == ("https://arxiv.org/pdf/2601.00001", 1, 1)
    assert second == {
        "paper_id": tern,
        "outcome": "failed",
        "pdf": None,
        "reason": f'no PDF of "{tern}" is known. Look for it with: lunwen open "{tern}"; '
        f'give it as PATH.pdf, as in: lunwen fetch "{tern}" --file PATH.pdf',
    }
    assert run("fetch", owl, "--json").json[0]["outcome"] == "unchanged"
    assert run("fetch", owl, "--fresh", "--json").json[0]["outcome"] == "fetched"


def test_a_file_is_taken_and_dropped(
    run: Any, place: Path, make_pdf: Callable[..., bytes], opened: list[str]
) -> None:
    tern = paper_id("terns")
    mine = place / "mine.pdf"
    mine.write_bytes(make_pdf(""))
    ran = run("fetch", tern, "--file", str(mine))
    assert ran.err == f"lunwen: {tern}: kept, 1 page, 0.0 MB; no text in it, only pictures of pages\n"
    assert run("fetch", tern, "--drop").err == f"lunwen: {tern}: dropped\n"
    ran = run("open", tern)
    assert (ran.code, opened) == (1, [])
    assert ran.err == (
        f'lunwen: no PDF and no address of "{tern}" is known. '
        f'Give a PDF with: lunwen fetch "{tern}" --file PATH.pdf\n'
    )


def test_a_paper_without_its_pdf_is_opened_on_the_web(run: Any, opened: list[str]) -> None:
    owl = paper_id("owls")
    assert run("open", owl, "--json").json == {"paper_id": owl, "target": "https://arxiv.org/abs/2601.00001"}
    assert opened == ["https://arxiv.org/abs/2601.00001"]


def test_no_program_that_opens_it_is_said(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click, "launch", lambda _target: 3)
    ran = run("open", paper_id("owls"))
    assert ran.code == 1
    assert ran.err == (
        'lunwen: no program opens "https://arxiv.org/abs/2601.00001". '
        "Where it is, to be opened by hand: lunwen open ID --print\n"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("owl", "--fresh", "--drop"), "--file, --fresh and --drop do not go together. Give one of them"),
        (("a", "b", "--file", "x"), "--file is one paper's PDF, and 2 papers are named. Name one"),
    ],
)
def test_what_does_not_go_together_is_refused(run: Any, args: tuple[str, ...], said: str) -> None:
    ran = run("fetch", *args)
    assert (ran.code, ran.err) == (2, f"lunwen: {said}\n")


def test_offline_nobody_is_asked(run: Any, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_OFFLINE", "1")
    ran = run("fetch", paper_id("owls"))
    assert ran.code == 1
    assert '"arxiv.org/pdf/2601.00001" is not in the cache, and offline nobody is asked' in ran.err
    assert server.requests == []
