"""What can be followed at arXiv: a category, the papers that a query finds, or papers by their ids."""

from __future__ import annotations

import re

from lunwen.corpus.sync.page import Edition
from lunwen.corpus.sync.site.arxiv import read_address
from lunwen.corpus.sync.site.arxiv_query import read_ids
from lunwen.errors import UsageError

LICENCE = "metadata CC0 1.0; papers as each says"

_QUERY = re.compile(r"\b(?:ti|au|abs|co|jr|cat|rn|id|all|submittedDate|lastUpdatedDate):", re.IGNORECASE)


def arxiv_edition(words: str) -> Edition:
    """Return the edition that ``words`` name: "cs.LG", "cs.LG 2026-11..", "cat:cs.LG AND ti:odd", an id.

    Raises:
        UnknownName: no such category; with the closest.
        UsageError: no such days, or no words.
    """
    words = " ".join(words.split())
    if not words:
        raise UsageError(
            "of arXiv a category is followed, a query or ids. Give one: arxiv cs.LG, arxiv cs.LG 2026-11.., "
            "arxiv cat:cs.LG AND ti:odd, arxiv 2101.00001"
        )
    if (ids := read_ids(words)) is not None:
        return _edition("arxiv-query", " ".join(ids))
    if _QUERY.search(words):
        return _edition("arxiv-query", words)
    category, *_ = read_address(words)
    return _edition("arxiv", " ".join([category, *words.split()[1:]]))


def _edition(site: str, address: str) -> Edition:
    return Edition(venue="arXiv", year=None, site=site, address=address, licence=LICENCE)
