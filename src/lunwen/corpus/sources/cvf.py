"""CVF Open Access: CVPR, ICCV, WACV, ACCV and their workshops."""

from __future__ import annotations

from lunwen.corpus.sources._openaccess import OpenAccess

SOURCE = OpenAccess(
    "cvf",
    "CVF Open Access, a page of a conference or of a paper",
    base="https://openaccess.thecvf.com/",
    paper=r"content[_/][\w/.-]*(?:html|papers)/[^\"'\s>]+_paper\.(?:html|pdf)",
)
