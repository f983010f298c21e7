from __future__ import annotations

import pytest

from lunwen.corpus.paper import Paper
from lunwen.export.link import identifier_link, page_link, paper_link


@pytest.mark.parametrize(
    ("urls", "identifiers", "link"),
    [
        ({"paper": "https://owl.example/1"}, {"openreview": "aB1"}, "https://owl.example/1"),
        ({"pdf": "https://owl.example/1.pdf"}, {"openreview": "aB1"}, "https://openreview.net/forum?id=aB1"),
        ({}, {"acl": "2025.acl-long.1", "doi": "10.1/a"}, "https://aclanthology.org/2025.acl-long.1"),
        ({"pdf": "https://owl.example/1.pdf"}, {"doi": "10.1/a"}, "https://owl.example/1.pdf"),
        ({"paper": "javascript:alert(1)"}, {"doi": "10.1/a"}, "https://doi.org/10.1/a"),
        ({}, {"arxiv": "2601.00001"}, "https://arxiv.org/abs/2601.00001"),
        ({}, {"uid": "0f"}, ""),
    ],
)
def test_where_a_paper_can_be_read(urls: dict[str, str], identifiers: dict[str, str], link: str) -> None:
    assert paper_link(Paper(paper_id="p", title="Owls", urls=urls, identifiers=identifiers)) == link


def test_a_doi_and_a_preprint_have_fields_of_their_own() -> None:
    assert page_link(Paper(paper_id="p", title="Owls", identifiers={"doi": "10.1/a", "arxiv": "1"})) == ""


def test_an_identifier_cannot_leave_its_site() -> None:
    assert identifier_link("doi", ' 10.1/<a>"b') == "https://doi.org/10.1/%3Ca%3E%22b"
    assert identifier_link("openreview", 'x"><b>') == "https://openreview.net/forum?id=x%22%3E%3Cb%3E"
    assert identifier_link("uid", "0f") == identifier_link("doi", None) == ""
