"""The PDF of a paper, served as it lies in the library."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from lunwen.corpus.pdf.cabinet import Pdf
from lunwen.doors.web.option import Options

BYTES = b"%PDF-1.7 " + b"owls hunt at night " * 200


@pytest.fixture
def kept(shelf, tmp_path):
    path = tmp_path / "rich.pdf"
    path.write_bytes(BYTES)
    shelf.pdfs["rich"] = Pdf(
        path=path, origin="a", kept="2026-07-06T10:00:00Z", size=len(BYTES), pages=12, passages=11
    )
    return path


@pytest.mark.usefixtures("kept")
def test_a_paper_says_that_its_pdf_is_here_and_leads_to_it(client):
    tree = LexborHTMLParser(client.get("/papers/rich").text)
    first = tree.css_first(".out a")
    assert (first.text(), first.attributes["href"]) == ("PDF here (12 pages)", "/papers/rich.pdf")
    assert "Its text can be searched: text:word" in " ".join(tree.body.text().split())
    said = client.get("/papers/rich", accept_language="zh").text
    assert "本地 PDF（12 页）" in said
    assert "PDF here" not in client.get("/papers/chinese").text


@pytest.mark.usefixtures("kept")
def test_it_is_served_whole_or_in_part_unpacked_and_once(client):
    whole = client.get("/papers/rich.pdf")
    assert (whole.status_code, whole.content) == (200, BYTES)
    assert whole.headers["content-type"] == "application/pdf"
    assert whole.headers["content-disposition"] == 'inline; filename="rich.pdf"'
    assert whole.headers["content-length"] == str(len(BYTES))
    assert "content-encoding" not in whole.headers
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert "script-src" not in whole.headers["content-security-policy"]
    assert "default-src 'none'" in whole.headers["content-security-policy"]
    part = client.get("/papers/rich.pdf", range="bytes=0-7")
    assert (part.status_code, part.content) == (206, BYTES[:8])
    again = client.get("/papers/rich.pdf", if_none_match=whole.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")


def test_one_that_is_not_here_is_told(kept, client):
    said = client.get("/papers/chinese.pdf", accept="application/json")
    assert said.status_code == 404
    assert said.json()["detail"] == '"chinese" has no PDF here. Fetch it with: lunwen fetch "chinese"'
    assert "的 PDF 不在本地" in client.get("/papers/chinese.pdf", accept_language="zh").text
    kept.unlink()
    assert client.get("/papers/rich.pdf").status_code == 404
    assert "PDF here" not in client.get("/papers/rich").text


@pytest.mark.usefixtures("kept")
def test_readers_of_other_machines_have_it_only_where_that_is_said(shelf, make_client):
    elsewhere = make_client(shelf, alone=False)
    assert "PDF here" not in elsewhere.get("/papers/rich").text
    said = elsewhere.get("/papers/rich.pdf", accept="application/json")
    assert (said.status_code, said.json()["detail"]) == (
        404,
        "this server shows no PDFs. Start it so that readers have them: lunwen serve --pdfs",
    )
    assert make_client(shelf, alone=False, pdfs=True).get("/papers/rich.pdf").content == BYTES


def test_who_has_pdfs():
    assert Options().at("127.0.0.1").page_pdfs
    assert Options(read_only=True).at("::1").page_pdfs
    assert not Options(hosts=("papers.example",)).at("127.0.0.1").page_pdfs, "a proxy lets others in"
    assert not Options(read_only=False).at("192.0.2.1").page_pdfs
    assert Options(pdfs=True).at("192.0.2.1").page_pdfs
    assert not Options(pdfs=False).at("127.0.0.1").page_pdfs
