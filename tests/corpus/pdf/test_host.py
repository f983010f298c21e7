from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.paper import Paper
from lunwen.corpus.pdf.host import HOSTS, pdf_urls
from lunwen.errors import CouldNot


def paper(pdf: str | None = None, **identifiers: str) -> Paper:
    return Paper(
        paper_id="owl-1", title="Owls", identifiers=identifiers, urls={"pdf": pdf} if pdf is not None else {}
    )


@pytest.mark.parametrize(
    ("known", "urls"),
    [
        (paper(arxiv="2601.00001"), ["https://arxiv.org/pdf/2601.00001"]),
        (paper(arxiv="cs/0112017"), ["https://arxiv.org/pdf/cs/0112017"]),
        (paper(openreview="a_B-9"), ["https://openreview.net/pdf?id=a_B-9"]),
        (paper(acl="2099.owl-main.3"), ["https://aclanthology.org/2099.owl-main.3.pdf"]),
        (
            paper("http://proceedings.mlr.press/v0/owl.pdf", arxiv="2601.00001"),
            ["https://proceedings.mlr.press/v0/owl.pdf", "https://arxiv.org/pdf/2601.00001"],
        ),
        (paper("https://birds.example/owl.pdf", arxiv="2601.00001"), ["https://arxiv.org/pdf/2601.00001"]),
    ],
)
def test_a_pdf_is_fetched_where_its_source_says_or_an_identifier_leads(known: Paper, urls: list[str]) -> None:
    assert pdf_urls(known) == urls


@pytest.mark.parametrize(
    "url",
    [
        "https://arxiv.org/abs/2601.00001",
        "https://arxiv.org.birds.example/pdf/1",
        "https://arxiv.org@birds.example/pdf/1",
        "https://user:secret@arxiv.org/pdf/1",
        "https://arxiv.org:8443/pdf/1",
        "https://raw.githubusercontent.com/birds/owl.pdf",
        "https://raw.githubusercontent.com/mlresearch/../birds/owl.pdf",
        "https://arxiv.org/pdf/%2E%2e/abs/1",
        "https://[arxiv.org/pdf/1",
        "ftp://arxiv.org/pdf/1",
        "javascript:alert(1)",
    ],
)
def test_nothing_else_is_fetched(url: str) -> None:
    with pytest.raises(CouldNot):
        pdf_urls(paper(url))


@given(
    st.text()
    | st.tuples(st.sampled_from(sorted(HOSTS)), st.text()).map(lambda two: f"https://{two[0]}{two[1]}")
)
def test_whatever_a_source_says_only_the_listed_sites_are_asked(url: str) -> None:
    try:
        urls = pdf_urls(paper(url))
    except CouldNot:
        return
    assert all(urlsplit(one).scheme == "https" and urlsplit(one).hostname in HOSTS for one in urls)


def test_a_refusal_says_where_the_pdf_is_and_how_to_bring_it() -> None:
    with pytest.raises(CouldNot) as refused:
        pdf_urls(paper("https://birds.example/owl.pdf"))
    assert str(refused.value) == (
        'the PDF of "owl-1" is at birds.example, from which lunwen does not fetch. Open '
        "https://birds.example/owl.pdf and give the file that you saved as PATH.pdf, as in: "
        'lunwen fetch "owl-1" --file PATH.pdf'
    )
    with pytest.raises(CouldNot) as refused:
        pdf_urls(paper())
    assert str(refused.value) == (
        'no PDF of "owl-1" is known. Look for it with: lunwen open "owl-1"; '
        'give it as PATH.pdf, as in: lunwen fetch "owl-1" --file PATH.pdf'
    )
