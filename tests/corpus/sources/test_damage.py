from __future__ import annotations

import random

import pytest

from lunwen.corpus.paper import BadRecord, Record
from lunwen.corpus.sources import find_source
from lunwen.errors import UnreadableFile

SAMPLES = {
    "acl.xml": "acl",
    "arxiv_atom.xml": "arxiv",
    "arxiv_oai_raw.xml": "arxiv",
    "arxiv_snapshot.jsonl": "arxiv",
    "crossref.json": "crossref",
    "openalex.json": "openalex",
    "csl.json": "csl",
    "cvf.html": "cvf",
    "cvf_paper.html": "cvf",
    "dblp.json": "dblp",
    "dblp.xml": "dblp",
    "ecva.html": "ecva",
    "ecva_paper.html": "ecva",
    "foreign.csv": "table",
    "odd.bib": "bibtex",
    "odd.ris": "ris",
    "plain.jsonl": "jsonl",
    "pmlr.html": "pmlr",
    "pmlr.yaml": "pmlr",
    "pmlr_paper.html": "pmlr",
    "proceedings.html": "proceedings",
    "proceedings_paper.html": "proceedings",
}
samples = pytest.mark.parametrize(("name", "source"), SAMPLES.items())


def _read(source, file):
    try:
        items = list(source.read(file))
    except UnreadableFile as error:
        refused = str(error)
    else:
        refused = ""
    assert "\n" not in refused
    if refused:
        return []
    assert all(isinstance(item, Record | BadRecord) for item in items)
    assert all(item.place for item in items)
    return items


@samples
def test_a_cut_anywhere_loses_only_what_follows(file, name, source):
    source = find_source(source)
    data = file(name).open().read()
    whole = [item.key for item in _read(source, file(data)) if isinstance(item, Record)]
    for cut in range(0, len(data), max(1, len(data) // 60)):
        kept = [item.key for item in _read(source, file(data[:cut])) if isinstance(item, Record)]
        assert kept[:-1] == whole[: len(kept)][:-1]


@samples
def test_damaged_bytes_never_raise(file, name, source):
    source = find_source(source)
    data = file(name).open().read()
    chance = random.Random(7)  # noqa: S311 - damage, not secrets
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(chance.randrange(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.choice(b'\x00\xff{}[]"<>&\\@,\n-: ')
        _read(source, file(bytes(damaged)))


@samples
def test_every_other_format_is_refused_or_reported(file, name, source):
    for other in set(SAMPLES.values()) - {source}:
        _read(find_source(other), file(name))
