"""One library: its records and the engine that finds them; what every door holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from lunwen.corpus.database import FILE
from lunwen.corpus.store import Store, say_unwritable
from lunwen.errors import CouldNot, IndexMissing, LibraryError, LimitError, NotFound
from lunwen.filed import Filed
from lunwen.intake import AUTOMATIC, Intake
from lunwen.retrieval.engine import Change, Filters
from lunwen.retrieval.query import parse
from lunwen.retrieval.request import MAX_LIMIT, Sort
from lunwen.retrieval.search import latest, search, select
from lunwen.settings import library_folder
from lunwen.shelved import Shelved

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from lunwen.corpus.checkup import Finding
    from lunwen.corpus.ingest import Progress
    from lunwen.corpus.paper import Paper, Provenance
    from lunwen.corpus.person import Person
    from lunwen.retrieval.complete import Completion
    from lunwen.retrieval.engine import Engine
    from lunwen.retrieval.request import FacetValue, SearchRequest, SearchResponse


def open_library(folder: str | Path | None = None, *, write: bool = False) -> Library:
    """Open a library; where nothing is there yet, reading begins it with the built-in catalogue.

    Args:
        folder: the library's folder; default: LUNWEN_LIBRARY, else the user's own place.
        write: whether papers will be imported or the index built.

    Raises:
        LibraryError: it cannot be opened.
        LibraryBusy: another process is writing.
        LibraryTooNew: made by a newer lunwen.
        LibraryTooOld: made by an older one, and it cannot be brought up to date.
    """
    place = library_folder(folder)
    if not write and not (place / FILE).exists():
        with Library(Store.open(place, write=True)) as library:
            library.import_catalogue()
            (place / AUTOMATIC).touch()
    library = Library(Store.open(place, write=write))
    if not write and library.behind:
        try:
            library.catch_up()
        except CouldNot as error:
            # another process writes, this one may not, or the encoder does not answer: the state before does
            if not library.version:
                library.close()
                if isinstance(error, LibraryError) and isinstance(error.__cause__, OSError):
                    what = "has no index that this lunwen reads, and none can be built"
                    raise IndexMissing(say_unwritable(place, what, error)) from error
                raise
    return library


class Library(Shelved, Intake, Filed):
    """Papers on this machine: find them, hand them out.

    ``Intake`` brings them, ``Filed`` has their PDFs, ``Shelved`` is the readers'.
    """

    def __init__(self, store: Store, engine: Engine | None = None) -> None:
        self._store = store
        self.folder = store.folder
        if engine is not None:
            vars(self)["_engine"] = engine

    @cached_property
    def _engine(self) -> Engine:  # a sync that finds nothing new never needs it
        return _load_engine(self.folder / "index")

    def close(self) -> None:
        """Let go of files and locks."""
        if "_engine" in vars(self):
            self._engine.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Finding

    def search(self, request: SearchRequest) -> SearchResponse:
        """Answer a request.

        Raises:
            LimitError: limit or offset is out of range.
            UnknownName: a filter names what the library does not know.
        """
        return search(request, self._engine, self._store, self._store.resolve)

    def select(self, request: SearchRequest) -> Iterator[Paper]:
        """Yield every paper that a request finds, in order, whatever its limit.

        Raises:
            UnknownName: a filter names what the library does not know.
        """
        return select(request, self._engine, self._store)

    def news(self, request: SearchRequest) -> list[Paper]:
        """Return what is new of a request: the papers of the last imports, then the newest by their own date.

        An import that brought more than a few pages of them counts by date, so that the first import of a
        large library is not told in the order of its files.

        Raises:
            LimitError: limit is out of range.
            UnknownName: a filter names what the library does not know.
        """
        most = min(4 * request.limit, MAX_LIMIT)
        came = latest(replace(request, limit=most), self._engine, self._store)
        seen = self.first_seen([paper.paper_id for paper in came])
        begun = (
            min(seen.values(), default="") if len(came) == most else ""
        )  # that import may have brought more
        new = [paper for paper in came if seen.get(paper.paper_id, "") > begun]
        new.sort(key=lambda paper: (seen[paper.paper_id], paper.date or str(paper.year or "")), reverse=True)
        told = {paper.paper_id for paper in new}
        dated = self.search(replace(request, sort=Sort.NEWEST)).items
        return [*new, *(one.paper for one in dated if one.paper.paper_id not in told)][: request.limit]

    def complete(self, typed: str, limit: int = 10) -> tuple[Completion, ...]:
        """Return what begins as somebody has typed so far: venues, topics, authors, titles.

        Raises:
            LimitError: limit is out of range.
        """
        from lunwen.retrieval.complete import complete  # noqa: PLC0415  only where somebody types

        return complete(typed, self._engine, self._store, limit)

    def paper(self, text: str) -> Paper:
        """Return the paper of any id, external id or URL; the catalogue's papers are always known.

        Raises:
            NotFound: no such paper.
        """
        paper_id = self._store.resolve(text)
        paper = self._store.paper(paper_id) if paper_id else None
        if paper is None:
            from lunwen.corpus.catalogue import find  # noqa: PLC0415  eighty papers, only needed here

            paper = find(text.strip())
        if paper is None:
            raise NotFound(
                f'no paper "{text[:80]}". A paper_id, DOI, arXiv, OpenReview or ACL id, or a paper\'s URL is '
                "understood. Find it with: lunwen search WORDS"
            )
        return paper

    def provenance(self, paper_id: str) -> list[Provenance]:
        """Return who said what of each field of a paper."""
        return self._store.provenance(paper_id)

    def first_seen(self, paper_ids: Sequence[str]) -> dict[str, str]:
        """Return when each of these papers first came in: ISO date and time, UTC."""
        return self._store.first_seen(paper_ids)

    def maybe_same(self, paper_id: str) -> list[tuple[Paper, str]]:
        """Return papers that may be this one, and why."""
        found = ((self._store.paper(other), why) for other, why in self._store.maybe_same(paper_id))
        return [(paper, why) for paper, why in found if paper is not None]

    def author(self, text: str) -> Person:
        """Return the author of an author_id, an ORCID, a source's id or a name, with all their papers.

        Raises:
            NotFound: no paper has such an author.
        """
        from lunwen.corpus.person import People, closest, find_person  # noqa: PLC0415  only needed here

        people = People(self._papers_of, self._engine.person_keys)
        person = find_person(text, people)
        if person is None:
            near = ", ".join(closest(text, people))
            raise NotFound(
                f'no author "{text[:80]}". {f"Closest: {near}. " if near else ""}A whole name, an ORCID or a '
                "source's id is understood. Find papers by part of a name with: lunwen search author:NAME"
            )
        return person

    def _papers_of(self, keys: Sequence[str], limit: int | None = None) -> list[Paper]:
        return self._store.papers(self._engine.by_person(keys, limit)[:limit])

    def similar(self, text: str, limit: int = 20) -> list[tuple[Paper, float]]:
        """Return the papers nearest in meaning to the paper of any id, with their cosines.

        Nothing where the library has no vectors, or no other paper that is near at all.

        Raises:
            NotFound: no such paper in this library.
            LimitError: limit is out of range.
        """
        if not 1 <= limit <= MAX_LIMIT:
            raise LimitError(
                f"limit {limit}: 1 to {MAX_LIMIT} similar papers can be asked for. Ask for fewer"
            )
        paper_id = self._store.resolve(text)
        row = self._store.row(paper_id) if paper_id else None
        if row is None:
            known = self.paper(text)  # refuses what is no paper at all
            raise NotFound(
                f'"{known.paper_id}" is in the built-in catalogue, not in this library, which has nothing to '
                "compare it with. Bring it in with: lunwen import catalogue"
            )
        found = self._engine.similar(row, limit)
        near = [(row, cosine) for row, cosine in found if cosine > 0]  # a paper without words is near to none
        return [(paper, cosine) for row, cosine in near for paper in self._store.papers([row])]

    @property
    def why_none_similar(self) -> str:
        """Why a paper that has no similar ones has none, in a sentence."""
        return self._engine.why_none_similar

    # What is there

    @property
    def version(self) -> str:
        """What the answers come from; it changes whenever they may."""
        return self._engine.version

    def stats(self) -> dict[str, object]:
        """Return counts of the library."""
        counts = {name: self._engine.values(name) for name in ("venue", "status", "source", "has")}
        return {
            "folder": str(self.folder),
            "papers": self._store.count(),
            "venues": len(counts["venue"]),
            "status": {value.value: value.count for value in counts["status"]},
            "source": {value.value: value.count for value in counts["source"]},
            "has": {value.value: value.count for value in counts["has"]},
            "imports": self._store.imports(),
            "index_version": self._engine.version,
        }

    def venues(self) -> list[dict[str, object]]:
        """Return every venue with its years and papers, the largest first."""
        years: dict[str, Counter[int]] = {}
        for venue, year, papers in self._engine.venue_years():
            years.setdefault(venue, Counter())[year] += papers
        rows = [
            {
                "venue": venue,
                "papers": sum(counted.values()),
                "years": {year: count for year, count in sorted(counted.items()) if year},
            }
            for venue, counted in years.items()
        ]
        return sorted(rows, key=lambda row: (-int(str(row["papers"])), str(row["venue"])))

    def topics(self) -> list[FacetValue]:
        """Return every topic path at every level with its count."""
        return list(self._engine.values("topic"))

    # The index

    @property
    def behind(self) -> bool:
        """Whether the index lacks changes that the store has."""
        return self._engine.seq != self._store.last_seq()

    def catch_up(self, progress: Progress | None = None) -> None:
        """Index what changed since the last time.

        Raises:
            LibraryBusy: another process is writing.
        """
        if not self._store.may_write:
            with Library(Store.open(self.folder, write=True)) as writer:
                writer.catch_up(progress)
            return
        last, indexed = self._store.last_seq(), self._engine.seq
        if indexed > last:  # the records were put back to an older state
            self.reindex(progress)
        elif indexed < last:
            self._engine.update(lambda after: self._changes(after, progress), last)

    def reindex(self, progress: Progress | None = None) -> None:
        """Build the index anew from the records.

        Raises:
            LibraryBusy: another process is writing.
        """
        self._engine.rebuild(lambda after: self._changes(after, progress), self._store.last_seq())

    def doctor(self, repair: bool = False) -> list[Finding]:
        """Check records and index, and mend what can be mended."""
        findings = self._store.check(repair=repair)
        wrong = self._count_misindexed()
        findings += self._check_pdfs(repair=repair)
        if repair:
            self.reindex()
        if wrong:
            from lunwen.corpus.checkup import Finding  # noqa: PLC0415  long to load, and searching needs none

            findings.append(
                Finding("papers that the index lacks, or holds though they are gone", wrong, repair)
            )
        return findings

    def _count_misindexed(self) -> int:
        """Count by how many papers the index differs from the records; where it can't be read, all."""
        papers = self._store.count()
        try:
            wrong = abs(papers - self._engine.count(parse(""), Filters()))
        except LibraryError:
            return papers
        return wrong or int(self.behind)

    def _changes(self, after: int, progress: Progress | None) -> Iterator[Change]:
        total = self._store.last_seq() - after
        with_text = self._store.rows_with_text()
        for done, (row, _, paper) in enumerate(self._store.changed(after)):
            if progress and done % 1_000 == 0:
                progress(done, total, "indexing")
            pages = self._store.passages(paper.paper_id) if paper and row in with_text else ()
            yield Change(row, paper, [text for _, text in pages])
        if progress:
            progress(total, total, "indexing")


def _load_engine(folder: Path) -> Engine:
    from lunwen.retrieval.embedded.hybrid import HybridEngine  # noqa: PLC0415  long to load, see Library._engine
    from lunwen.retrieval.embedded.lexical import LexicalEngine  # noqa: PLC0415  same
    from lunwen.retrieval.encoder.choice import load_encoder, wants_meaning  # noqa: PLC0415  same

    return HybridEngine(folder, load_encoder) if wants_meaning() else LexicalEngine(folder)
