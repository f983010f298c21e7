"""Whatever a site puts in a field, the record is read, refused or reported: nothing crashes."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.corpus.paper import Record
from lunwen.corpus.sources import find_source
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.corpus.source import SourceFile

LINK = "https://icml.cc/virtual/2026/poster/1"
GROUP = "https://openreview.net/group?id=ICML.cc/2026/Conference"
WHOLE: dict[str, dict[str, Any]] = {
    "program": {
        "id": 1,
        "uid": "x",
        "name": "A",
        "authors": [{"fullname": "B"}],
        "abstract": "c",
        "topic": "a->b",
        "keywords": ["k"],
        "decision": "Accept",
        "eventtype": "Poster",
        "virtualsite_url": LINK,
        "sourceurl": GROUP,
        "starttime": "2026-01-01",
        "eventmedia": [{"uri": "x"}],
        "visible": True,
    },
    "openreview": {
        "id": "a",
        "forum": "a",
        "cdate": 1,
        "ddate": None,
        "invitation": "x",
        "invitations": ["y"],
        "details": {"directReplies": [{"content": {}}]},
        "content": {
            "title": "T",
            "authors": ["A"],
            "authorids": ["~A1"],
            "keywords": ["k"],
            "venue": "v",
            "venueid": "w",
            "pdf": "/p",
            "TLDR": "t",
            "abstract": "x",
            "primary_area": "p",
        },
    },
    "paperlists": {
        "id": "1",
        "title": "T",
        "author": "A;B",
        "author_site": "A, B",
        "authorids": "~a;~b",
        "aff": "c;d",
        "orcid": ";",
        "abstract": "some words",
        "status": "Poster",
        "track": "main",
        "site": LINK,
        "bibtex": "@a{b,year=2019}",
        "github": "x",
        "project": "y",
        "pdf": "z",
        "keywords": "k",
        "gs_citation": 1,
        "award": True,
        "session": "s",
        "primary_area": "p",
        "tldr": "t",
    },
    "airas": {
        "id": "1",
        "title": "T",
        "authors": ["A"],
        "abstract": "x",
        "conference": "icml",
        "year": 2020,
        "paper_url": None,
        "topic": "a->b",
    },
}
ODD: list[Any] = [
    None,
    0,
    -1,
    3.5,
    1e300,
    10**30,
    True,
    False,
    "",
    "x",
    " ",
    "2020",
    "\0",
    "http://[bad",
    GROUP,
    [],
    [None],
    [[]],
    [1],
    {},
    {"a": 1},
    {"value": None},
    {"value": []},
    {"value": {"value": 1}},
]


@pytest.mark.parametrize("name", WHOLE)
def test_odd_values(source_file: Callable[..., SourceFile], name: str) -> None:
    whole = WHOLE[name]
    fields = [(field,) for field in whole] + [("content", field) for field in whole.get("content", {})]
    read = 0
    for *parents, field in fields:
        for value in ODD:
            odd = deepcopy(whole)
            (odd[parents[0]] if parents else odd)[field] = value
            try:
                records = list(find_source(name).read(source_file(json.dumps([odd]), "icml2019.json")))
            except UnreadableFile as error:
                assert "\n" not in str(error)  # noqa: PT017 - being refused is one of two right outcomes
                continue
            read += len(records)
            for record in records:
                assert isinstance(record, Record)
                assert record.key
                assert all(author.name and isinstance(author.name, str) for author in record.authors)
                assert record.year is None or 1000 < record.year < 10_000
    assert read > len(fields) * len(ODD) / 2
