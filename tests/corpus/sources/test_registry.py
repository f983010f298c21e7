from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.files import open_paths
from lunwen.corpus.sources import SOURCES, find_source, sniff
from lunwen.corpus.sources.jsonl import KNOWN
from lunwen.errors import UnknownName, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]

NAMES = [source.name for source in SOURCES]


def test_every_module_is_registered() -> None:
    folder = Path(find_source.__code__.co_filename).parent
    assert sorted(NAMES) == sorted(path.stem for path in folder.glob("[a-z]*.py"))
    assert all(source.says and "\n" not in source.says for source in SOURCES)


def test_a_name_finds_its_source() -> None:
    assert [find_source(name) for name in NAMES] == list(SOURCES)
    assert find_source(" BibTeX ").name == "bibtex"


def test_an_unknown_name() -> None:
    with pytest.raises(UnknownName) as caught:
        find_source("bibtx")
    assert str(caught.value) == f'No format "bibtx". Closest: bibtex. Formats: {", ".join(NAMES)}.'


@pytest.mark.parametrize(
    "text", ["# Notes\n\nSome text.", "\x00\x01\x02", "[1, 2, 3]", "{}", "{", "[", "<html></html>"]
)
def test_an_unknown_form(source_file: Make, text: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        sniff(source_file(text, "x.txt"))
    assert str(caught.value) == (
        f"x.txt is in no format that is read here. Name one with --as: {', '.join(NAMES)}."
    )


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ('{"name": "T", "year": 2024}', '"title"'),
        ('{"title": "T", "score": 3}', f"one of {', '.join(KNOWN)}"),
        ('[{"score": 3}]', f'"title" and one of {", ".join(KNOWN)}'),
    ],
)
def test_json_without_papers_is_told_which_keys_it_lacks(source_file: Make, text: str, lacks: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        sniff(source_file(text, "x.json"))
    assert str(caught.value) == (
        f"x.json is in no format that is read here. To be a paper its first object lacks {lacks}. "
        f"Name one with --as: {', '.join(NAMES)}."
    )


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("acl-xml", "acl"),
        ("airas", "airas"),
        ("listing", "listing"),
        ("paperlists", "paperlists"),
    ],
)
def test_real_files_are_known_by_their_content(shared: Path, folder: str, name: str) -> None:
    assert {sniff(file).name for file in open_paths([str(shared / "corpora" / folder)])} == {name}


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_wrong_form_is_one_clear_line(source_file: Make, source: object) -> None:
    file = source_file("Nothing that any of them reads.\n\nNot here either.", "notes.txt")
    with pytest.raises(UnreadableFile, match=r"^notes\.txt[^\n]+$"):
        list(source.read(file))  # type: ignore[attr-defined]
