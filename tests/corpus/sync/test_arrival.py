from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.fetch.reply import Reply
from lunwen.corpus.source import HEAD_BYTES
from lunwen.corpus.sync.arrival import check_xml, load_json, open_reply, read_count, refuse
from lunwen.errors import FetchError, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lunwen.corpus.source import SourceFile

URL = "https://odd.example/papers.json"


def reply(folder: Path, body: bytes) -> Reply:
    path = folder / "body"
    path.write_bytes(body)
    return Reply(
        url=URL, final_url=URL, path=path, size=len(body), fetched="",
        unchanged=False, received=len(body),
    )  # fmt: skip


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_came_is_a_file_called_by_its_url(tmp_path: Path, mark: bytes) -> None:
    body = b'{"a": 1}' + b" " * HEAD_BYTES
    file = open_reply(reply(tmp_path, mark + body))
    assert (file.name, file.head) == (URL, body[:HEAD_BYTES])
    for _ in range(2):
        with file.open() as stream:
            assert stream.read() == body
    assert load_json(file) == {"a": 1}


def test_a_body_that_somebody_removed_is_told(tmp_path: Path) -> None:
    came = reply(tmp_path, b"{}")
    came.path.unlink()
    with pytest.raises(FetchError) as refused:
        open_reply(came)
    assert str(refused.value) == (
        f'"{URL}" was fetched to {came.path}, which cannot be read (No such file or directory). '
        "Leave the cache alone for a while, then try again"
    )


@pytest.mark.parametrize(
    ("came", "called"),
    [
        (b"", "nothing"),
        (b" \n", "nothing"),
        (b"<!DOCTYPE HTML><title>Busy</title>", "an HTML page"),
        (b"<?xml version='1.0'?><!-- a --><html/>", "an HTML page"),
        (b"<feed/>", "XML of another kind"),
        (b' {"error": 1}', "JSON of another kind"),
        ("{}".encode("utf-16"), "UTF-16 text"),
        (b"%PDF-1.7", "a PDF"),
        (b"Too many requests", "something else"),
    ],
)
def test_what_came_instead_is_named(source_file: Callable[..., SourceFile], came: bytes, called: str) -> None:
    assert str(refuse(source_file(came, URL), "notes")) == (
        f"{URL} gave {called} in place of notes. Nothing of it was taken. Look at it in a browser, or "
        "try again later."
    )


@given(st.lists(st.text(), min_size=1), st.data())
def test_a_document_that_was_cut_is_never_taken(
    source_file: Callable[..., SourceFile], papers: list[str], data: st.DataObject
) -> None:
    import orjson  # noqa: PLC0415

    whole = orjson.dumps({"papers": papers})
    cut = data.draw(st.integers(0, len(whole) - 1))
    assert load_json(source_file(whole)) == {"papers": papers}
    with pytest.raises(UnreadableFile):
        load_json(source_file(whole[:cut]))


def test_a_document_in_another_charset_is_not_taken(source_file: Callable[..., SourceFile]) -> None:
    with pytest.raises(UnreadableFile) as refused:
        load_json(source_file('{"a": "Müller"}'.encode("latin-1"), URL))
    assert str(refused.value).startswith(f"{URL} came cut short or damaged (")


def test_xml_is_read_to_its_end(source_file: Callable[..., SourceFile]) -> None:
    assert check_xml(source_file("<a><b/><c><b/></c></a>"), "b") == 2
    with pytest.raises(UnreadableFile, match="is not well-formed XML"):
        check_xml(source_file("<a><b/><c>"), "b")


@given(st.integers(0, 10**15 - 1))
def test_a_count_is_a_plain_number(number: int) -> None:
    assert read_count(number) == read_count(f" {number}\n") == number


@pytest.mark.parametrize("said", ["", "²", "-1", "1e3", "1.0", None, True, [1], "9" * 16, "9" * 5_000])
def test_what_is_no_count_is_none(said: object) -> None:
    assert read_count(said) is None
