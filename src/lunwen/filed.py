"""The PDFs of a library, fetched or given, and their text; a part of ``Library``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lunwen.errors import FetchError, LibraryBusy, LibraryError, LunwenError, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.checkup import Finding
    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.ingest import Progress
    from lunwen.corpus.paper import Paper
    from lunwen.corpus.pdf.cabinet import Cabinet, Pdf
    from lunwen.corpus.store import Store

MOST_BYTES = 300_000_000  # of one PDF


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What came of fetching one paper's PDF."""

    paper_id: str
    outcome: Literal["fetched", "unchanged", "failed"]  # unchanged: it was here
    pdf: Pdf | None = None
    reason: str = ""  # of a failure


class Filed(ABC):
    """The PDFs of a library; they are kept and dropped between the writes of an import, as stars are."""

    _store: Store

    @abstractmethod
    def paper(self, text: str) -> Paper:
        """Return the paper of any id."""

    @abstractmethod
    def catch_up(self, progress: Progress | None = None) -> None:
        """Index what changed since the last time."""

    def pdf(self, paper: str) -> Pdf | None:
        """Return the PDF of the paper of any id, where it is here.

        Raises:
            NotFound: no such paper.
        """
        return self._cabinet.pdf(self.paper(paper).paper_id)

    def fetch_pdfs(
        self,
        papers: Sequence[str],
        fetcher: Fetcher,
        *,
        fresh: bool = False,
        progress: Progress | None = None,
    ) -> list[Fetched]:
        """Fetch the PDFs of papers, named by any id, keep them and index their text.

        One that is here is not fetched again, unless ``fresh``; what fails is in the answer.

        Raises:
            NotFound: one of them is no paper; then nothing is fetched.
            LibraryError: the library cannot be written.
        """
        wanted = {paper.paper_id: paper for paper in map(self.paper, papers)}
        try:
            return list(self._fetch(list(wanted.values()), fetcher, fresh=fresh, progress=progress))
        finally:
            self._index(progress)

    def take_pdf(self, paper: str, path: str | Path) -> Pdf:
        """Keep a copy of a PDF that the reader has, in place of the one that is here, and index its text.

        Raises:
            NotFound: no such paper.
            UnreadableFile: the file is no PDF, or damaged; what is here is kept.
            LibraryError: the library cannot be written.
        """
        from lunwen.corpus.pdf.text import read_pdf  # noqa: PLC0415  searching reads no PDF

        paper_id, given = self.paper(paper).paper_id, Path(path).expanduser()
        self._cabinet.keep(paper_id, given, read_pdf(given), origin=str(given.absolute()))
        self._index()
        return self._kept(paper_id)

    def drop_pdfs(self, papers: Sequence[str]) -> None:
        """Remove the PDFs of papers, named by any id, and their text.

        Raises:
            NotFound: one of them is no paper, or has no PDF here; then none is removed.
            LibraryError: the library cannot be written.
        """
        named = list(dict.fromkeys(self.paper(paper).paper_id for paper in papers))
        for paper_id in named:
            self._kept(paper_id)
        for paper_id in named:
            self._cabinet.drop(paper_id)
        self._index()

    def _fetch(
        self, papers: Sequence[Paper], fetcher: Fetcher, *, fresh: bool, progress: Progress | None
    ) -> Iterator[Fetched]:
        for done, paper in enumerate(papers):
            if progress:
                progress(done, len(papers), "fetching")
            held = self._cabinet.pdf(paper.paper_id)
            if held and held.path.is_file() and not fresh:
                yield Fetched(paper_id=paper.paper_id, outcome="unchanged", pdf=held)
                continue
            try:
                self._fetch_one(paper, fetcher)
            except LibraryError:  # which would fail for all
                raise
            except LunwenError as error:
                yield Fetched(paper_id=paper.paper_id, outcome="failed", pdf=held, reason=str(error))
            else:
                yield Fetched(paper_id=paper.paper_id, outcome="fetched", pdf=self._kept(paper.paper_id))
        if progress:
            progress(len(papers), len(papers), "fetching")

    def _fetch_one(self, paper: Paper, fetcher: Fetcher) -> None:
        """Fetch from the first address that has it; where none has, what the first said is raised."""
        from lunwen.corpus.pdf.host import pdf_urls  # noqa: PLC0415  searching fetches nothing
        from lunwen.corpus.pdf.text import read_pdf  # noqa: PLC0415  same

        errors: list[LunwenError] = []
        for url in pdf_urls(paper):
            try:
                reply = fetcher.get(url, accept="application/pdf", max_bytes=MOST_BYTES, keep=False)
                text = read_pdf(reply.path, origin=reply.final_url)
            except (FetchError, UnreadableFile) as error:
                errors.append(error)
            else:
                self._cabinet.keep(paper.paper_id, reply.path, text, origin=reply.final_url)
                return
        raise errors[0]

    def _check_pdfs(self, *, repair: bool) -> Iterator[Finding]:
        """Yield what is wrong with the folder of PDFs; with ``repair``, after it was mended."""
        from lunwen.corpus.checkup import Finding  # noqa: PLC0415  long to load, and searching needs none

        strays, lost = self._cabinet.strays(), self._cabinet.lost()
        if strays:
            for path in strays if repair else ():
                path.unlink(missing_ok=True)
            yield Finding("files among the PDFs that belong to no paper", len(strays), repair)
        if lost:
            for paper_id in lost if repair else ():
                self._cabinet.drop(paper_id)
            yield Finding("papers whose PDF is no longer there", len(lost), repair)

    def _index(self, progress: Progress | None = None) -> None:
        with suppress(LibraryBusy):  # who writes now indexes all that changed, at the end
            self.catch_up(progress)

    def _kept(self, paper_id: str) -> Pdf:
        from lunwen.corpus.pdf.cabinet import not_here  # noqa: PLC0415  searching needs none

        pdf = self._cabinet.pdf(paper_id)
        if pdf is None:
            raise not_here(paper_id)
        return pdf

    @property
    def _cabinet(self) -> Cabinet:
        from lunwen.corpus.pdf.cabinet import Cabinet  # noqa: PLC0415  searching needs none

        return Cabinet(self._store)
