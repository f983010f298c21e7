from __future__ import annotations

import pytest

from lunwen.corpus.sources import SOURCES, sniff

SAMPLES = {
    "acl.xml": "acl",
    "arxiv_atom.xml": "arxiv",
    "arxiv_oai_raw.xml": "arxiv",
    "arxiv_snapshot.jsonl": "arxiv",
    "pmlr.yaml": "pmlr",
    "dblp.xml": "dblp",
    "dblp.json": "dblp",
    "cvf.html": "cvf",
    "cvf_paper.html": "cvf",
    "ecva.html": "ecva",
    "ecva_paper.html": "ecva",
    "proceedings.html": "proceedings",
    "proceedings_paper.html": "proceedings",
    "pmlr.html": "pmlr",
    "pmlr_paper.html": "pmlr",
    "crossref.json": "crossref",
    "openalex.json": "openalex",
    "csl.json": "csl",
    "odd.ris": "ris",
    "odd.bib": "bibtex",
    "latin.bib": "bibtex",
    "plain.jsonl": "jsonl",
    "foreign.csv": "table",
    "tabs.tsv": "table",
}


@pytest.mark.parametrize(("name", "source"), SAMPLES.items())
def test_one_source_alone_recognises_each_sample(file, name, source):
    assert [known.name for known in SOURCES if known.sniff(file(name))] == [source]
    assert sniff(file(name)).name == source


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"[]",
        b"{}",
        b"<",
        b"<html><body>429 Too Many Requests</body></html>",
        b"\x00\xff\xfe",
        b"hello",
    ],
)
def test_nothing_recognises_what_holds_no_papers(file, data):
    assert [known.name for known in SOURCES if known.sniff(file(data))] == []
