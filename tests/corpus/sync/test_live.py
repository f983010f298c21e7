"""The sites themselves, one edition of each kind: run by hand, ``pytest -m live``, never by ``make test``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from lunwen import settings
from lunwen.corpus.fetch.client import HttpFetcher
from lunwen.corpus.paper import Record
from lunwen.corpus.sources import find_source, sniff
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.site import SITES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

EDITIONS = [  # finished ones, small where there is a choice: venue, year, site
    ("mlsys", 2025, "virtual"),
    ("conll", 2023, "acl"),
    ("colm", 2024, "openreview"),
    ("alt", 2024, "pmlr"),
    ("wacv", 2023, "cvf"),
    ("eccv", 2022, "ecva"),
    ("mlsys", 2023, "proceedings"),
    ("colm", 2024, "paperlists"),
    ("mlsys", 2023, "dblp"),
    ("arxiv cs.GL", None, "arxiv"),
    ("arxiv 1706.03762", None, "arxiv-query"),
]


@pytest.mark.parametrize(("venue", "year", "site"), EDITIONS, ids=[site for *_, site in EDITIONS])
def test_the_first_page_of_a_site_is_as_lunwen_reads_it(
    venue: str, year: int | None, site: str, tmp_path: Path
) -> None:
    edition = find_edition(venue, year, site=site)
    fetcher = HttpFetcher(tmp_path, contact=settings.contact(), mirror=settings.mirror())
    (page,) = islice(SITES[site].pages(edition, fetcher), 1)
    if page.check is not None:
        page.check()
    source = find_source(page.source) if page.source else sniff(page.file)
    assert source.sniff(page.file)
    records = [one for one in source.read(page.file) if isinstance(one, Record)]
    assert len(records) >= (1 if site == "arxiv-query" else 10)
    assert all(record.title and record.authors for record in records[:10])
