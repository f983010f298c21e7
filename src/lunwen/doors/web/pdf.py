"""Papers' PDFs as they lie here, to who may have them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES
from starlette.responses import FileResponse, Response

from lunwen.corpus.pdf.cabinet import not_here
from lunwen.errors import NotFound

if TYPE_CHECKING:
    from starlette.requests import Request

    from lunwen.corpus.pdf.cabinet import Pdf
    from lunwen.library import Library

_MEDIA_TYPE = "application/pdf"
PACKED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, _MEDIA_TYPE)  # what gzip makes no smaller
#: The viewer of a browser is a plugin, with a style of its own.
_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"


class Pdfs:
    """The PDFs of a library, where readers may have them."""

    def __init__(self, library: Library, *, shown: bool) -> None:
        self._library = library
        self._shown = shown

    def find(self, paper_id: str) -> Pdf | None:
        """The PDF of a paper, where it is here and readers may have it.

        Raises:
            NotFound: no such paper.
        """
        held = self._library.pdf(paper_id) if self._shown else None
        return held if held and held.path.is_file() else None

    def answer(self, request: Request, paper_id: str) -> Response:
        """Show the file in the browser: all of it, a range, or that it is as the reader has it.

        Raises:
            NotFound: no such paper, its PDF is not here, or readers have none.
        """
        if not self._shown:
            raise NotFound(
                "this server shows no PDFs. Start it so that readers have them: lunwen serve --pdfs"
            )
        held = self.find(paper_id)
        if held is None:
            raise not_here(paper_id)
        sent = FileResponse(
            held.path,
            headers={"content-security-policy": _POLICY},
            media_type=_MEDIA_TYPE,
            filename=held.path.name,
            stat_result=os.stat(held.path),  # noqa: PTH116 - what FileResponse takes
            content_disposition_type="inline",
        )
        if request.headers.get("if-none-match") == sent.headers["etag"]:
            return Response(status_code=304, headers={"etag": sent.headers["etag"]})
        return sent
