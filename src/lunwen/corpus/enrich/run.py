"""Papers looked over for what can be added to them, and what came of it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from lunwen.corpus.enrich.addition import addition, is_of, with_orcids
from lunwen.corpus.enrich.service import CROSSREF, OPENALEX, ask, say_more
from lunwen.corpus.ingest import Import
from lunwen.corpus.link import links_in, pdf_of
from lunwen.errors import FetchError, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lunwen.corpus.enrich.service import Service
    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.ingest import Progress
    from lunwen.corpus.paper import Paper, Record
    from lunwen.corpus.store import Store

LINKS = "links"  # the source of what lunwen itself finds in abstracts and makes of ids
RENEW = timedelta(days=30)  # after which citations are counted anew


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichOptions:
    """What is added."""

    links: bool = True
    citations: bool = True
    orcids: bool = True
    by_title: bool = False  # papers without a DOI are asked for too, one by one
    fresh: bool = False  # citations that were counted a short time ago too


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What one source added: of how many papers it knew more, and in how many that changed something."""

    source: str
    papers: int = 0  # looked at
    found: int = 0
    changed: int = 0
    reason: str = ""  # why it stopped before the end


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichReport:
    """What came of looking for more."""

    steps: tuple[StepReport, ...] = ()
    interrupted: bool = False
    seconds: float = 0.0

    @property
    def went_wrong(self) -> bool:
        """Whether a source could not be asked to the end."""
        return any(step.reason for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return asdict(self)


def enrich(
    store: Store,
    papers: Callable[[], Iterable[Paper]],
    fetcher: Fetcher,
    *,
    options: EnrichOptions | None = None,
    progress: Progress | None = None,
) -> EnrichReport:
    """Add what each source knows of the papers; one that fails does not stop the others.

    Args:
        store: the library that they are in.
        papers: goes through them from the start, once for each source.
        fetcher: asks the sources.
        options: what is added.
        progress: hears how far it is.

    Raises:
        LibraryError: the library cannot be written.
    """
    began = time.monotonic()
    options = options or EnrichOptions()
    steps = [_Step(LINKS, _add_links)] if options.links else []
    if options.citations or options.orcids:
        steps += [
            _Step(service.name, _Asker(service, fetcher, options, _counted(store, service.name)))
            for service in (OPENALEX, CROSSREF)
        ]
    reports, interrupted = [], False
    for step in steps:
        with Import(store, keeps_idle=False) as run:
            try:
                run.take(step.source, step.source, step.records(papers(), progress))
            except KeyboardInterrupt:
                interrupted = True
            counts = run.report()
        reports.append(
            StepReport(
                source=step.source,
                papers=step.papers,
                found=step.found,
                changed=counts.added + counts.updated,
                reason=step.reason,
            )
        )
        if interrupted := interrupted or step.interrupted:
            break
    return EnrichReport(
        steps=tuple(reports), interrupted=interrupted, seconds=round(time.monotonic() - began, 3)
    )


class _Step:
    """One source going through the papers; what it has found is kept wherever it stops."""

    def __init__(self, source: str, find: Callable[[Iterable[Paper]], Iterator[Record]]) -> None:
        self.source = source
        self.papers = 0
        self.found = 0
        self.reason = ""
        self.interrupted = False
        self._find = find

    def records(self, papers: Iterable[Paper], progress: Progress | None) -> Iterator[Record]:
        """Yield what it finds."""
        try:
            for record in self._find(self._count(papers, progress)):
                self.found += 1
                yield record
        except (FetchError, UnreadableFile) as error:
            self.reason = f"{error}{say_more(self.source)}"
        except KeyboardInterrupt:
            self.interrupted = True

    def _count(self, papers: Iterable[Paper], progress: Progress | None) -> Iterator[Paper]:
        seen = set()
        for paper in papers:
            if paper.paper_id in seen:
                continue
            seen.add(paper.paper_id)
            yield paper
            self.papers += 1
            if progress is not None:
                progress(self.papers, None, self.source)


def _add_links(papers: Iterable[Paper]) -> Iterator[Record]:
    """Find links that nobody gave, in abstracts and by ids."""
    for paper in papers:
        urls = links_in(paper.abstract or "")
        if pdf := pdf_of(paper.identifiers):
            urls["pdf"] = pdf
        urls = {kind: url for kind, url in urls.items() if kind not in paper.urls}
        if urls and (record := addition(paper, urls=urls)) is not None:
            yield record


@dataclass(frozen=True, slots=True)
class _Asker:
    """Asks a service for citations, ORCIDs and DOIs."""

    service: Service
    fetcher: Fetcher
    options: EnrichOptions
    counted: dict[str, str]  # paper_id → the day on which its citations were counted

    def __call__(self, papers: Iterable[Paper]) -> Iterator[Record]:
        due = (datetime.now(UTC) - RENEW).date().isoformat()
        wanted = (
            paper for paper in papers if self.options.fresh or self.counted.get(paper.paper_id, "") <= due
        )
        for paper, works, day in ask(self.service, wanted, self.fetcher, by_title=self.options.by_title):
            if works and (record := self._add(paper, works, day)) is not None:
                yield record

    def _add(self, paper: Paper, works: Sequence[Record], day: str) -> Record | None:
        """Say what the works that are a paper, itself and its preprint, say more of it."""
        said: dict[str, Any] = {}
        counts = [work.citations for work in works if work.citations is not None]
        if self.options.citations and counts:
            said |= {"citations": max(counts), "citations_date": day}
        lists = [authors for work in works if (authors := with_orcids(paper, work.authors))]
        if self.options.orcids and lists:
            said["authors"] = lists[0]
        ids = {
            scheme: value
            for work in works
            if is_of(paper, work)  # so that its ids may join a preprint that has them
            for scheme, value in work.identifiers.items()
            if scheme in ("doi", "arxiv") and scheme not in paper.identifiers
            if not value.startswith("10.48550/")  # arXiv's, which says no more than the id
        }
        return addition(paper, **said, identifiers=ids) if said or ids else None


def _counted(store: Store, source: str) -> dict[str, str]:
    with store.reading() as db:
        return dict(
            db.execute(
                """SELECT key, json_extract(data, '$.citations_date') FROM records
                   WHERE source = ? AND json_extract(data, '$.citations_date') IS NOT NULL""",
                (source,),
            ).fetchall()
        )
