from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.corpus.paper import BadRecord
from lunwen.corpus.sources._json import first_objects, read_lines, read_objects
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]

FORMS = ("list", "pretty", "within", "lines")


def rows(count: int) -> list[dict[str, Any]]:
    authors = [{"name": "Ana Díaz", "id": 1}, {"name": "Li Lei", "id": 2}]
    return [{"title": f"Paper {n} — ö", "authors": authors, "abstract": "a b " * 20} for n in range(count)]


def write(parts: list[bytes], form: str) -> bytes:
    if form == "lines":
        return b"\n".join(parts) + b"\n"
    joined = (b",\n" if form == "pretty" else b", ").join(parts)
    return b'{"count": 3, "results": [' + joined + b"]}" if form == "within" else b"[\n" + joined + b"\n]"


def split(items: object) -> tuple[list[dict[str, Any]], list[BadRecord]]:
    found = list(items)  # type: ignore[call-overload]
    return (
        [item[1] for item in found if not isinstance(item, BadRecord)],
        [item for item in found if isinstance(item, BadRecord)],
    )


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_records(source_file: Make, form: str) -> None:
    file = source_file(write([json.dumps(row).encode() for row in rows(50)], form))
    good, bad = split(read_objects(file, "results"))
    assert (good, bad) == (rows(50), [])
    assert first_objects(file, "results") == rows(3)


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut off": (lambda part: part[:-30], "broken JSON: "),
    "a bracket lost": (lambda part: part.replace(b"]", b"", 1), "broken JSON: "),
    "a brace lost": (lambda part: part[:-1], "broken JSON: "),
    "a quote lost": (lambda part: part.replace(b'"abstract": "a', b'"abstract": a'), "broken JSON: "),
    "Latin-1": (lambda part: part.replace("ö".encode(), b"\xf6"), "not UTF-8"),
    "NUL": (lambda part: part.replace(b"a b", b"a\0b", 1), "holds a NUL byte"),
    "no JSON": (lambda _: b"<html>", "broken JSON: "),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("at", [0, 250, 499])
def test_one_broken_record_costs_one_record(source_file: Make, form: str, damage: str, at: int) -> None:
    parts = [json.dumps(row, ensure_ascii=False).encode() for row in rows(500)]
    do, reason = DAMAGE[damage]
    parts[at] = do(parts[at])
    good, bad = split(read_objects(source_file(write(parts, form)), "results"))
    assert good == rows(500)[:at] + rows(500)[at + 1 :]
    assert [record.reason.startswith(reason) for record in bad] == [True]
    line = {"lines": at + 1, "within": 1, "list": 2, "pretty": at + 2}[form]
    assert bad[0].place.split(",")[0] == f"line {line}"


def test_forty_thousand_records_of_which_one_is_broken(source_file: Make) -> None:
    parts = [b'{"id": %d, "title": "Paper"}' % n for n in range(1, 40_001)]
    parts[19_999] = b'{"id": 20000, "title": "Pa'
    for form, place in (("lines", "line 20000"), ("pretty", "line 20001, item 20000")):
        good, bad = split(read_objects(source_file(write(parts, form))))
        assert len(good) == 39_999
        assert [record.place for record in bad] == [place]


def test_a_record_larger_than_the_head_is_still_seen(source_file: Make) -> None:
    large = {"abstract": "long " * 400_000, "title": "A"}
    assert first_objects(source_file(json.dumps([large])))[0]["title"] == "A"
    good, _ = split(read_objects(source_file(json.dumps(large) + "\n" + json.dumps(large))))
    assert [record["title"] for record in good] == ["A", "A"]


def test_half_an_emoji_is_mended(source_file: Make) -> None:
    for text in (r'[{"a": "x\ud83d y"}]', r'[{"a": "x\ude00 y"}]'):
        assert split(read_objects(source_file(text)))[0] == [{"a": "x� y"}]
        assert split(read_lines(source_file(text[1:-1])))[0] == [{"a": "x� y"}]
    assert split(read_objects(source_file(r'[{"a": "😀"}, {"a": NaN}]')))[0][0] == {"a": "😀"}


def test_what_is_no_object_is_bad(source_file: Make) -> None:
    good, bad = split(read_objects(source_file('[{"a": 1}, 2, "three"]')))
    assert good == [{"a": 1}]
    assert bad == [BadRecord("item 2", "not a JSON object"), BadRecord("item 3", "not a JSON object")]


def test_text_that_is_no_json_is_refused(source_file: Make) -> None:
    with pytest.raises(UnreadableFile) as caught:
        list(read_objects(source_file("@article{a,\n title={A}}", "a.bib")))
    assert str(caught.value) == (
        "a.bib holds no JSON record that can be read (line 1, item 1: broken JSON: Expecting value). "
        "Leave --as out, or name another format."
    )


def test_nesting_without_end_is_refused(source_file: Make) -> None:
    with pytest.raises(UnreadableFile, match="nested too deep"):
        list(read_objects(source_file("[" * 200_000)))


def test_another_encoding_is_named(source_file: Make) -> None:
    text = json.dumps([{"title": "机器学习论文检索系统" * 5} for _ in range(40)], ensure_ascii=False)
    with pytest.raises(UnreadableFile, match=r"^papers\.json is not UTF-8 but looks like gb"):
        list(read_objects(source_file(text.encode("gb18030"))))


@settings(max_examples=60, deadline=None)
@given(
    data=st.binary(max_size=300),
    opening=st.sampled_from([b"", b"[", b'{"results": [', b'{"a": 1}\n', b'[{"a": 1},']),
)
def test_no_bytes_crash_it(source_file: Make, data: bytes, opening: bytes) -> None:
    file = source_file(opening + data)
    first_objects(file, "results")
    try:
        split(read_objects(file, "results"))
    except UnreadableFile as error:
        assert "\n" not in str(error)  # noqa: PT017 - any outcome but another exception is right


def test_a_document_too_large_for_memory_is_refused(
    source_file: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lunwen.corpus.sources._json.LARGEST", 2 * 1024**2)
    text = json.dumps([{"title": "A", "abstract": "x" * 3 * 1024**2}])
    with pytest.raises(UnreadableFile) as caught:
        list(read_objects(source_file(text)))
    assert str(caught.value) == (
        "papers.json is one document of more than 2 MiB, the most that is read whole. "
        "Split it, or write JSON as lines, one object each."
    )
