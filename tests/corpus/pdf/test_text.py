from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.pdf import child
from lunwen.corpus.pdf.text import read_pdf
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def join(objects: list[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1, the first of which is its catalogue."""
    data, places = b"%PDF-1.7\n", list[int]()
    for number, one in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (
            *(size, rows, size),
            len(data),
        )
    )


def draw(*contents: bytes, extra: bytes = b"") -> bytes:
    """A PDF with a page for each of the contents, which are drawing commands."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * place) for place in range(len(contents)))
    objects = [CATALOG, b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(contents)), FONT]
    for place, content in enumerate(contents):
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>>>>>" % (5 + 2 * place),
            b"<<%b/Length %d>>stream\n%b\nendstream" % (extra, len(content), content),
        ]
    return join(objects)


def write(*pieces: tuple[int, int, str]) -> bytes:
    """Drawing commands that write each text at its place."""
    return b"".join(b"BT /F 10 Tf %d %d Td (%b) Tj ET\n" % (x, y, text.encode()) for x, y, text in pieces)


@pytest.fixture
def put(tmp_path: Path) -> Callable[[bytes], Path]:
    def put(data: bytes) -> Path:
        path = tmp_path / "paper.pdf"
        path.write_bytes(data)
        return path

    return put


def test_each_page_is_read(put: Callable[[bytes], Path], make_pdf: Callable[..., bytes]) -> None:
    found = read_pdf(put(make_pdf("Owls hunt at night.", "", "Terns dive by day.")))
    assert found.pages == ("Owls hunt at night.", "", "Terns dive by day.")
    assert (found.count, found.remark) == (3, "")


def test_two_columns_are_read_one_after_the_other_however_the_file_holds_them(
    put: Callable[[bytes], Path],
) -> None:
    left = [f"left line {word} here" for word in "abcdefghi"]
    right = [line.replace("left", "right") for line in left]
    rows = [(y, pair) for y, pair in zip(range(700, 600, -11), zip(left, right, strict=True), strict=False)]
    across = [(x, y, text) for y, pair in rows for x, text in zip((60, 330), pair, strict=True)]
    heading = (
        60,
        750,
        "A heading that stands over both of the columns and so crosses the gap between them here",
    )
    said = " ".join([heading[2], *left, *right])
    assert read_pdf(put(draw(write(heading, *across)))).pages == (said,)
    one_by_one = sorted(across, key=lambda piece: (piece[0], -piece[1]))
    assert read_pdf(put(draw(write(heading, *one_by_one)))).pages == (said,)


def test_a_pdf_without_text_or_with_a_password_says_so(
    put: Callable[[bytes], Path], make_pdf: Callable[..., bytes]
) -> None:
    scanned = read_pdf(put(make_pdf("", "")))
    assert (scanned.pages, scanned.count, scanned.remark) == (
        ("", ""),
        2,
        "no text in it, only pictures of pages",
    )
    locked = read_pdf(put(make_pdf("Owls", password="hoot")))  # noqa: S106  of a test
    assert (locked.pages, locked.remark) == ((), "it needs a password, so its text is not known")


def test_long_files_are_read_to_the_end_of_what_is_kept(
    put: Callable[[bytes], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(draw(*(write((60, 700, f"Page {number} of owls")) for number in range(1, 2001))))
    found = read_pdf(path)
    assert (found.count, len(found.pages), found.remark) == (2000, 2000, "")
    assert found.pages[1999] == "Page 2000 of owls"
    monkeypatch.setattr(child, "MOST_PAGES", 2)
    assert child.read(str(path)) == {"pages": ["Page 1 of owls", "Page 2 of owls"], "count": 2000}
    monkeypatch.setattr(child, "MOST_TEXT", 20)
    assert child.read(str(path))["pages"] == ["Page 1 of owls", "Page 2"]


def packed(times: int) -> bytes:
    packer = zlib.compressobj(9)
    page = write((60, 700, "owl")) * 30_000
    return b"".join(packer.compress(page) for _ in range(times)) + packer.flush()


REFUSED = {
    "half": (draw(write((60, 700, "Owls")))[:60], "it is damaged"),
    "pages that hold themselves": (
        join([CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 999999999>>"]),
        "it is damaged",
    ),
    "a gigabyte in a megabyte": (
        draw(packed(1_500), extra=b"/Filter/FlateDecode"),
        "it is damaged, or takes too much memory",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_damaged_or_hostile_file_is_refused_and_only_its_process_ends(
    name: str, put: Callable[[bytes], Path]
) -> None:
    data, reason = REFUSED[name]
    path = put(data)
    with pytest.raises(UnreadableFile) as refused:
        read_pdf(path)
    assert str(refused.value) == (
        f'"{path}" cannot be read: {reason}. Give a PDF that opens elsewhere: lunwen fetch ID --file PATH.pdf'
    )


def test_a_file_as_deep_as_it_is_long_harms_nobody(put: Callable[[bytes], Path]) -> None:
    deep = b"[" * 500_000 + b"]" * 500_000
    assert read_pdf(put(draw(deep + b" TJ\n" + write((60, 700, "Owls"))))).count == 1
    around = draw(write((60, 700, "Owls"))).replace(CATALOG, CATALOG[:-2] + b"/Odd " + deep + b">>")
    assert read_pdf(put(around)).count == 1


def test_a_file_that_takes_too_long_is_refused(
    put: Callable[[bytes], Path], make_pdf: Callable[..., bytes]
) -> None:
    with pytest.raises(UnreadableFile, match=r"cannot be read: it takes longer than 0 s\. "):
        read_pdf(put(make_pdf("Owls")), seconds=0)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"<!DOCTYPE html><html>Are you a robot?</html>", "a web page and no PDF"),
        (b"Owls", "no PDF"),
        (b"", "no PDF"),
    ],
)
def test_what_is_no_pdf_is_refused(data: bytes, what: str, put: Callable[[bytes], Path]) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read_pdf(put(data), origin="https://birds.example/owl.pdf")
    assert str(refused.value) == (
        f'"https://birds.example/owl.pdf" is {what}. '
        "Give a PDF that opens elsewhere: lunwen fetch ID --file PATH.pdf"
    )


def test_reading_runs_nothing_that_lies_in_the_folder_one_stands_in(
    put: Callable[[bytes], Path], make_pdf: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(make_pdf("Owls hunt."))
    path.with_name("json.py").write_text("raise SystemExit('a stranger ran')", "utf-8")
    monkeypatch.chdir(path.parent)
    assert read_pdf(path).pages == ("Owls hunt.",)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r'^cannot read ".*none\.pdf": No such file or directory\. Give'):
        read_pdf(tmp_path / "none.pdf")
