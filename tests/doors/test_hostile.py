"""Hostile papers and hostile requests at every door: nothing runs, nothing breaks, nobody waits."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import anyio
import bibtexparser
import feedparser
import httpx
import pytest
import uvicorn
from mcp import Client
from selectolax.lexbor import LexborHTMLParser

from lunwen.corpus.paper import Author, Paper
from lunwen.corpus.store import Store
from lunwen.doors.cli import main
from lunwen.doors.connection import Bounded
from lunwen.doors.mcp.server import make_server
from lunwen.doors.mcp.tool import MOST
from lunwen.doors.web.app import create_app
from lunwen.doors.web.option import Options
from lunwen.doors.web.server import listen
from lunwen.export.format import FORMATS, export_papers
from lunwen.library import Library, open_library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HARM = "<script>window.harmed = 1 </script>"
IMAGE = "<img src=x onerror=window.harmed=1>"
TURNED = "\u202eturned\u2066round"
#: As no import would keep them: a door must not rely on what came before it.
PAPERS = (
    Paper(
        paper_id="script",
        title=f"</title></script>{HARM}{IMAGE} owls \"' onmouseover=window.harmed=1",
        authors=(Author(name=f"</a>{IMAGE}"), Author(name='" onclick="window.harmed=1')),
        abstract=f"]]>--></textarea></style>{HARM}{IMAGE} owls ${HARM}$ {{{{7*7}}}}",
        venue="<img onerror=harmed=1>",
        year=2024,
        topic=(f"<b>{HARM}", '" autofocus onfocus="window.harmed=1'),
        urls={
            "paper": "javascript:window.harmed=1",
            "pdf": "data:text/html,<script>window.harmed=1</script>",
            "code": 'https://example.org/"onmouseover="window.harmed=1',
            "video": "\tjavascript:window.harmed=1",
        },
        identifiers={"doi": '10.5555/"><script>window.harmed=1</script>'},
        keywords=(HARM,),
        summary={"en": IMAGE, "zh": IMAGE},
        sources=("jsonl",),
    ),
    Paper(
        paper_id='../../etc/x"\r\nset-cookie: harmed=1',
        title="Owls of the path",
        year=2024,
    ),
    Paper(
        paper_id="terminal",
        title="Owls \x1b[2J\x1b]0;harmed\x07\x9b2J\x00\x7f of the terminal",
        authors=(Author(name="\x1b]8;;https://example.org\x07Ada\r\x9d"),),
        abstract="Owls\x1b[8m hide\x1bc. " + TURNED,
        year=2024,
    ),
    Paper(
        paper_id="turned",
        title=f"Owls {TURNED} and on",
        authors=(Author(name=f"Ada {TURNED}"), Author(name="Bo Li")),
        abstract=f"Owls {TURNED}.",
        venue=f"ICML {TURNED}",
        year=2024,
    ),
    Paper(
        paper_id="formula",
        title="=cmd|' /C calc'!A0 owls",
        authors=(Author(name="@SUM(1+1)*cmd|' /C calc'!A0"),),
        abstract="+1+1 owls",
        venue="-2+3",
        topic=("\t=1+1",),
        year=2024,
    ),
    Paper(
        paper_id="latex",
        title="Owls } @misc{harmed, title={x}} \\input{/etc/passwd} \\write18{ls} % $ & # _ ^ ~ \\",
        authors=(Author(name="Ada } and {Bo \\"), Author(name="@comment{x")),
        abstract="Owls }}\n\n@misc{harmed2, title={x}}\n\\end{document}",
        venue="}}\n@misc{harmed3,",
        year=2024,
    ),
    Paper(
        paper_id="ris",
        title="Owls\r\nER  - \r\n\r\nTY  - JOUR\r\nTI  - harmed",
        authors=(Author(name="Ada\nER  - "),),
        abstract="Owls\u2028ER  - \u2028TY  - JOUR",
        year=2024,
    ),
    Paper(
        paper_id="markdown",
        title="Owls](javascript:harmed) [x](javascript:harmed)\n# harmed\n<script>",
        authors=(Author(name="![x](https://example.org/harmed.png)"),),
        year=2024,
    ),
    Paper(
        paper_id="long",
        title="Owls " + "a" * 5_000,
        authors=tuple(Author(name=f"Long{number} {'n' * 50}") for number in range(3_000)),
        abstract="A line of owls.\n" * 10_000,
        venue="Of a long name " * 12,
        topic=("Topic " * 90, "Under it " * 60),
        year=2024,
    ),
)
OWNED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    path = tmp_path_factory.mktemp("hostile")
    with Library(Store.open(path, write=True)) as writing:
        with writing._store.transaction():
            for paper in PAPERS:
                writing._store.put(paper)
        writing.catch_up()
        writing.star([paper.paper_id for paper in PAPERS], HARM)
        writing.note("script", HARM)
    with open_library(path) as library:
        yield library


@pytest.fixture(scope="module")
def get(library: Library) -> Any:
    """Ask the page and the API without a socket."""
    app = create_app(library, Options(hosts=("test",), read_only=False))

    def get(url: str, *, method: str = "GET", content: bytes = b"", **headers: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                sent = {
                    "accept-language": "en",
                    **{name.replace("_", "-"): one for name, one in headers.items()},
                }
                return await client.request(method, url, headers=sent, content=content)

        return anyio.run(ask)

    return get


PAGES = (
    "/",
    "/?q=owls&explain=1",
    f"/?q={quote(HARM)}owls",
    f"/?q={quote(chr(34) + '><script>window.harmed=1</script>')}",
    f"/?venue={quote(HARM)}",
    f"/?q=owls&topic={quote('<b>' + HARM)}",
    f"/?size={quote(HARM)}",
    "/papers/script",
    "/papers/script/similar",
    "/papers/terminal",
    "/papers/turned",
    "/papers/long",
    "/papers/markdown",
    f"/papers/{quote(HARM)}",
    f"/authors/{quote(HARM)}",
    "/collections",
    f"/collections/{quote(HARM, safe='')}",
    f"/{quote(HARM)}",
    "/api",
)


@pytest.mark.parametrize("url", PAGES)
def test_a_page_has_no_script_but_its_own(get: Any, url: str) -> None:
    answer = get(url)
    assert answer.status_code in (200, 302, 303, 400, 404)
    tree = LexborHTMLParser(answer.text)
    for script in tree.css("script"):
        kind, source = script.attributes.get("type"), script.attributes.get("src")
        assert kind == "application/ld+json" or (source or "").startswith("/static/")
        if kind == "application/ld+json":
            json.loads(script.text())
    for node in tree.css("*"):
        for name, value in node.attributes.items():
            assert not name.startswith("on"), (node.tag, name)
            if name in ("href", "src", "action", "formaction"):
                assert (value or "").startswith(("/", "#", "?", "http://", "https://")), value
    assert not tree.css("img[src=x], [onfocus], b > script")


@pytest.mark.browser
def test_nothing_runs_in_a_browser_and_the_layout_holds(library: Library) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with _served(library) as port, playwright.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
            )
        except playwright.Error as error:
            pytest.skip(f"no browser: {str(error).splitlines()[0]}")
        for width in (360, 1280):
            page = browser.new_page(viewport={"width": width, "height": 800}, locale="en")
            said: list[str] = []
            asked: list[str] = []
            page.on("dialog", lambda dialog, said=said: said.append(dialog.message))
            page.on("pageerror", lambda error, said=said: said.append(str(error)))
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            for url in PAGES:
                page.goto(f"http://127.0.0.1:{port}{url}")
                assert page.evaluate("window.harmed") is None, url
                wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                assert wide <= 0, (url, width)
            assert said == []
            assert {one.split("/")[2] for one in asked if not one.startswith("data:")} == {
                f"127.0.0.1:{port}"
            }
            page.close()
        browser.close()


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_holds_each_paper_once_and_nothing_else(name: str) -> None:
    text = "".join(export_papers(PAPERS, name))
    if name == "bibtex":
        found = bibtexparser.parse_string(text)
        assert (len(found.entries), found.failed_blocks) == (len(PAPERS), [])
        assert not {"harmed", "harmed2", "harmed3"} & {one.key for one in found.entries}
        for command in ("\\input", "\\write18", "\\end{"):
            assert command not in text
    elif name == "ris":
        lines = text.split("\r\n")
        assert sum(line.startswith("TY  - ") for line in lines) == len(PAPERS)
        assert sum(line.startswith("ER  - ") for line in lines) == len(PAPERS)
    elif name == "csv":
        csv.field_size_limit(1 << 20)
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        assert len(rows) == len(PAPERS)
        assert {len(row) for row in rows} == {len(head)}
        assert [cell for row in rows for cell in row if re.match(r"[=+\-@\t\r]", cell)] == []
    elif name in ("jsonl", "csl-json"):
        found = (
            json.loads(text) if name == "csl-json" else [json.loads(line) for line in text.split("\n")[:-1]]
        )
        assert len(found) == len(PAPERS)
    elif name == "markdown":
        assert text.count("\n") == len(PAPERS)
        assert re.findall(r"(?<!\\)\]\((?!https?://)", text) == []
        assert "<script" not in text.replace("\\<", "")
    else:
        assert text.count("\n") >= len(PAPERS)


@pytest.mark.parametrize("query", ["", "?query=owls", f"?collection={quote(HARM)}"])
def test_feeds_stay_well_formed(get: Any, query: str) -> None:
    atom = feedparser.parse(get(f"/feed.atom{query}").content)
    assert not atom.bozo
    items = get(f"/feed.json{query}").json()["items"]
    assert len(atom.entries) == len(items) <= len(PAPERS)
    for one in items:
        for name in ("url", "external_url"):
            assert one.get(name, "https://").startswith(("http://", "https://"))
    for entry in atom.entries:
        for link in entry.links:
            assert link.href.startswith(("http://", "https://"))


def test_the_api_and_the_tools_say_them_whole_or_cut(get: Any, library: Library) -> None:
    assert get("/api/search?query=owls&limit=100").json()["total"] == len(PAPERS)

    async def ask() -> Any:
        async with Client(make_server(library)) as client:
            found = await client.call_tool("search_papers", {"query": "owls", "limit": 100})
            one = await client.call_tool("get_paper", {"paper_id": "long"})
            return found.structured_content, one.structured_content

    found, one = anyio.run(ask)
    assert found["total"] == len(PAPERS)
    assert len(json.dumps(found)) < 2 * MOST
    assert len(json.dumps(one)) < 2 * MOST
    assert "abstract" in one["cut"]


@pytest.mark.parametrize(
    "args",
    [
        ["search", "owls", "-n", "100", "--explain"],
        ["search", "owls", "--lang", "zh"],
        *(["show", paper.paper_id, "--provenance"] for paper in PAPERS),
        ["similar", "terminal"],
        ["author", "Bo Li"],
        ["list", HARM],
        ["venues"],
        ["topics"],
        ["search", "owls\x1b[2J\x9b", "--venue", "\x1b[2J"],
        ["search", "\x1b]0;harmed\x07xyzzyq"],
    ],
)
def test_nothing_commands_a_terminal(
    library: Library, capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    main(["--library", str(library.folder), *args])
    out, err = capsys.readouterr()
    assert OWNED.findall(out) == []
    assert OWNED.findall(err) == []


def test_json_on_a_terminal_says_the_same_without_commands(
    library: Library, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    args = ["--library", str(library.folder), "show", "--json", "terminal"]
    main(args)
    said = json.loads(capsys.readouterr().out)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    main(args)
    out = capsys.readouterr().out
    assert json.loads(out) == said
    assert "\x9b" in said["title"]
    assert OWNED.findall(out) == []


def test_what_is_imported_is_searched_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        json.dumps({"title": "Owls \x00 of\x1b[2J nothing", "authors": ["A\x00da"], "year": 2024}),
        '{"title": "Owls half \\ud83d a pair", "authors": ["Bo \\udc00"], "year": 2024}',
        json.dumps({"title": "Owls " + TURNED, "abstract": "Owls.\n" * 10_000, "authors": ["Cy"]}),
        json.dumps({"title": "Owls with many", "authors": [f"Di Number{one}" for one in range(5_000)]}),
        json.dumps({"title": f"Owls {HARM}", "authors": [IMAGE], "urls": {"pdf": "javascript:1"}}),
        '{"title": "Owls ' + "[" * 20 + '", "year": 99999999999999999999}',
        '{"title": ' + "[" * 100_000,
    ]
    file = tmp_path / "hostile.jsonl"
    file.write_text("\n".join(lines) + "\n")
    folder = ["--library", str(tmp_path / "library")]
    main([*folder, "import", str(file)])
    capsys.readouterr()
    assert main([*folder, "search", "owls", "--json", "-n", "50"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["total"] >= 5
    with open_library(tmp_path / "library") as library:
        for item in found["items"]:
            paper = library.paper(item["paper_id"])
            assert "\x00" not in paper.title
            assert "\x1b" not in paper.title


# Requests


@pytest.mark.parametrize(
    "url",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%00",
        "/papers/../../../etc/passwd",
        "/papers/%2e%2e%2f%2e%2e%2fetc%2fpasswd.json",
        "/papers/..%5c..%5cetc.bib",
        "/methods/..%2f..%2fetc%2fpasswd.svg",
        "/collections/..%2f..%2fetc%2fpasswd",
        "/api/papers/..%2f..%2fetc%2fpasswd",
        "/api/methods/..%2f..%2fetc",
        "/export?format=../../etc/passwd",
        "/export?format=reference&style=../../../etc/passwd",
        "/api/export?style=..%2F..%2Fetc%2Fpasswd&format=reference",
    ],
)
def test_no_path_leads_out(get: Any, url: str) -> None:
    answer = get(url)
    assert answer.status_code in (400, 404)
    assert "root:" not in answer.text
    assert "import annotations" not in answer.text


@pytest.mark.parametrize(
    "url",
    [
        f"/export?q={quote('../../x' + chr(13) + chr(10) + 'set-cookie: harmed=1')}&format=bibtex",
        f"/export?q={quote(chr(34) + '; filename=harmed.exe')}&format=csv",
        f"/export?q=owls&venue={quote('ICML ' + TURNED)}&format=jsonl",
        f"/export?ids={quote(PAPERS[1].paper_id)}&format=ris",
        f"/export?collection={quote(HARM)}&format=bibtex",
        f"/?lang={quote('en' + chr(13) + chr(10) + 'set-cookie: harmed=1')}",
        f"/?q={quote(chr(13) + chr(10) + 'set-cookie: harmed=1')}&from=2020",
        f"/papers/{quote(PAPERS[1].paper_id)}",
        f"/papers/{quote(PAPERS[1].paper_id)}.json",
        f"/api/search?query={quote(chr(13) + chr(10) + 'set-cookie: harmed=1')}&limit=1",
        f"/api/search?query=owls&limit=1&venue={quote('ICML ' + TURNED)}",
    ],
)
def test_nothing_asked_becomes_a_header_or_a_file_name(get: Any, url: str) -> None:
    answer = get(url)
    assert answer.status_code < 500
    assert "harmed" not in answer.headers.get("set-cookie", "")
    for name, value in answer.headers.multi_items():
        assert re.fullmatch(r"[\x20-\x7e]*", value), name
    named = re.search(r'filename="([^"]*)"', answer.headers.get("content-disposition", ""))
    if url.startswith("/export"):
        assert named is not None
        assert re.fullmatch(r"[a-z0-9-]+\.[a-z]+", named[1])
        assert named[1].rpartition(".")[2] in {one.extension for one in FORMATS.values()}


def test_long_questions_are_answered_or_refused_soon(get: Any) -> None:
    start = time.monotonic()
    for query in ("a " * 10_000, "(" * 15_000, '"' * 15_000, "a OR " * 6_000, "-" * 15_000, "零" * 5_000):
        for address in (f"/?q={quote(query)}", f"/api/search?query={quote(query)}"):
            assert get(address).status_code in (200, 400)
    assert get("/api/search?" + "&".join(f"venue=v{one}" for one in range(3_000))).status_code == 400
    assert get("/export?format=ris&ids=" + ",".join(map(str, range(5_000)))).status_code == 400
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("host", ["example.org", "test.example.org", "", "127.0.0.1@example.org", "test:x:y"])
def test_another_host_is_refused(get: Any, host: str) -> None:
    for url in ("/", "/api/search?query=owls", "/feed.atom", "/healthz"):
        assert get(url, host=host).status_code == 421


def test_reading_never_writes(get: Any, library: Library) -> None:
    def kept() -> Any:
        return library.collections(), library.watches(), library.notes(["script"]), library.version

    before = kept()
    token = re.search(r'name="token" value="([^"]+)"', get("/").text)
    assert token
    for name in ("star", "unstar", "note", "rename", "delete", "save", "visit", "forget"):
        address = f"/shelf/{name}?token={token[1]}&paper=script&collection=x&new=y&name=z&search=/%3Fq%3Dowls"
        assert get(address).status_code in (404, 405)
        assert get(address, method="HEAD").status_code in (404, 405)
    for method in ("PUT", "DELETE", "POST", "PATCH"):
        assert get("/api/collections/x/papers/script", method=method).status_code in (404, 405)
        assert get("/api/search", method=method).status_code == 405
    for url in PAGES:
        get(url)
    assert kept() == before


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"paper=script", FORM, 403),
        (b"token=&paper=script", FORM, 403),
        (b"token=%00&paper=script", FORM, 403),
        (b'{"token": "x", "paper": "script"}', "application/json", 403),
        (b"\xff\xfe=\x00", FORM, 400),
        (b"a=1&" * 10_000, FORM, 400),
        (b"a" * 10_000_000, FORM, 400),
        (
            b"--x\r\ncontent-disposition: form-data; name=token\r\n\r\nx\r\n--x--",
            "multipart/form-data; boundary=x",
            403,
        ),
        (b"", "", 403),
    ],
)
def test_a_form_from_elsewhere_changes_nothing(
    get: Any, library: Library, content: bytes, kind: str, status: int
) -> None:
    before = library.collections()
    answer = get("/shelf/star", method="POST", content=content, content_type=kind)
    assert answer.status_code == status
    assert library.collections() == before


# Connections


@contextmanager
def _served(library: Library) -> Iterator[int]:
    """The page on a socket of its own."""
    with listen("127.0.0.1", 0) as listener:
        config = uvicorn.Config(
            create_app(library), http=Bounded, ws="none", log_level="error", lifespan="off", access_log=False
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


def _connect(port: int, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection.sendall(sent)
    return connection


def _until_closed(connection: socket.socket) -> bytes:
    said = b""
    with suppress(ConnectionError):
        while piece := connection.recv(65_536):
            said += piece
    return said


def test_who_stalls_keeps_nobody_waiting(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lunwen.doors.connection.WAITING", 50)
    stalled = (
        b"",
        b"GET / HTTP/1.1\r\nHost: localh",
        b"POST /shelf/star HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nt",
    )
    with _served(library) as port, ExitStack() as held:
        for number in range(120):
            held.enter_context(_connect(port, stalled[number % 3]))
        start = time.monotonic()
        answer = httpx.get(f"http://127.0.0.1:{port}/api/search?query=owls", timeout=20)
        assert answer.status_code == 200
        assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTTP/1.1\r\nHost: x", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n123"],
)
def test_a_request_has_to_be_made_in_time(
    library: Library, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr("lunwen.doors.connection.SECONDS", 0.3)
    with _served(library) as port:
        start = time.monotonic()
        with _connect(port, sent) as connection:
            _until_closed(connection)
        assert time.monotonic() - start < 10


def test_a_second_request_on_a_connection_has_to_be_made_in_time_too(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lunwen.doors.connection.SECONDS", 0.5)
    with (
        _served(library) as port,
        _connect(port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") as connection,
    ):
        assert b"200" in connection.recv(4_096)
        connection.sendall(b"GET /")
        start = time.monotonic()
        _until_closed(connection)
        assert time.monotonic() - start < 4  # not the five seconds for which an idle connection is kept


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 60_000 + b"\r\n",
    ],
    ids=["address", "header", "headers"],
)
def test_what_is_larger_than_any_request_is_refused(library: Library, sent: bytes) -> None:
    with _served(library) as port, _connect(port) as connection:
        with suppress(ConnectionError):
            connection.sendall(sent)
        assert b" 200 " not in _until_closed(connection)[:20]
        assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
