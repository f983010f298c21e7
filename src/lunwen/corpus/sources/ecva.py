"""ECVA: the papers of ECCV since 2018."""

from __future__ import annotations

from lunwen.corpus.sources._openaccess import OpenAccess

SOURCE = OpenAccess(
    "ecva",
    "ECVA, the page of all papers of ECCV or of one",
    base="https://www.ecva.net/",
    paper=r"eccv_\d{4}/papers_ECCV/|name=[\"']citation_pdf_url[\"'] content=[\"']https?://www\.ecva\.net/",
)
