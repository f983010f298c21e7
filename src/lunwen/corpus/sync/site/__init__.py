"""One file per kind of site; SITES registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.corpus.sync.site.acl import Acl
from lunwen.corpus.sync.site.arxiv import Arxiv
from lunwen.corpus.sync.site.arxiv_query import ArxivQuery
from lunwen.corpus.sync.site.cvf import Cvf
from lunwen.corpus.sync.site.dblp import Dblp
from lunwen.corpus.sync.site.ecva import Ecva
from lunwen.corpus.sync.site.file import File
from lunwen.corpus.sync.site.openreview import OpenReview
from lunwen.corpus.sync.site.paperlists import Paperlists
from lunwen.corpus.sync.site.pmlr import Pmlr
from lunwen.corpus.sync.site.proceedings import Proceedings
from lunwen.corpus.sync.site.virtual import Virtual

if TYPE_CHECKING:
    from lunwen.corpus.sync.page import Site

#: By name.
SITES: dict[str, Site] = {
    site.name: site
    for site in (
        Virtual(), Acl(), OpenReview(), Arxiv(), ArxivQuery(), Pmlr(), Cvf(), Ecva(), Proceedings(),
        Paperlists(), Dblp(), File(),
    )
}  # fmt: skip
