"""An invented library: small, odd, and enough to look at every part of the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.corpus.author import id_key, ids_of, name_key, names_of
from lunwen.corpus.paper import Author, Paper, Provenance, Status
from lunwen.corpus.person import People, find_person
from lunwen.corpus.shelf import Collection
from lunwen.errors import NotFound, UnknownName
from lunwen.retrieval.complete import Completion, Kind
from lunwen.retrieval.engine import Why
from lunwen.retrieval.request import FacetValue, Item, SearchRequest, SearchResponse, Suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lunwen.corpus.pdf.cabinet import Pdf
    from lunwen.corpus.person import Person

LONG = (
    "We study how quietly a lamp can be turned on when its switch is shared by $n$ readers, "
    "each with a private budget $\\epsilon_i > 0$. We show that every protocol needs at least "
    "$\\Omega(n \\log n)$ whispers, and give one that uses $\\mathcal{O}(n \\log n)$ of them: "
    "$\\sum_{i=1}^{n} \\sqrt{\\epsilon_i} \\le \\frac{1}{2} \\left( 1 + \\max_{i} \\epsilon_i "
    "\\right)$. The proof reduces the lamp to a first-order game on a graph whose edges are "
    "candles. Experiments in three libraries, costing \\$30 each, agree with the bound within "
    "$2\\%$, and the code is at https://example.org/lamps. We close with an open question "
    "about lanterns, and a conjecture that fireflies do better than both."
)
TOPICS = [
    ("Theory", "Optimization"),
    ("Theory", "Learning Theory"),
    ("Deep Learning", "Large Language Models"),
    ("Deep Learning", "Robustness"),
    ("Reinforcement Learning", "Deep RL"),
    ("Social Aspects", "Privacy"),
    ("Applications",),
    (),
]
NOUNS = ["lamps", "ladders", "rivers", "kites", "clocks", "bridges", "lanterns"]
STATUSES = [Status.POSTER, Status.ORAL, Status.ACCEPTED, Status.SPOTLIGHT, Status.PREPRINT]


def _people(count: int) -> tuple[Author, ...]:
    given = [
        "Ada",
        "Bo",
        "Clémence",
        "Dorotéia",
        "Emre",
        "Faye",
        "Gao",
        "Hideo",
        "Iván",
        "Jun",
        "Kofi",
        "Lía",
    ]
    family = ["Lindqvist", "Okafor", "García", "Zhang", "Møller", "Nakamura", "Şahin"]
    return tuple(Author(name=f"{given[i % 12]} {family[i % 7]}") for i in range(count))


def _plain_paper(i: int) -> Paper:
    noun = NOUNS[i % 7]
    return Paper(
        paper_id=f"lamp-{i:03d}",
        title=f"Learning with {noun}, part {i}: a first-order view",
        authors=_people(1 + i % 14),
        abstract=LONG.replace("lamp", noun[:-1]) if i % 5 else f"A short note on {noun}.",
        venue=["ICML", "NeurIPS", "ICLR", "ACL"][i % 4],
        year=2026 - i % 9,
        topic=TOPICS[i % 8],
        status=STATUSES[i % 5],
        urls={"pdf": f"https://example.org/{i}.pdf", "paper": f"https://openreview.net/forum?id=x{i}"},
        citations=i * 37 % 400 or None,
        sources=("program",),
    )


ODD = (
    Paper(
        paper_id="rich",
        title="Lamps that share a switch: $\\mathcal{O}(\\sqrt{n})$ whispers for $\\ell_1$-bounded readers",
        authors=(
            Author(name="Ada Lindqvist", affiliation="Harbour University", orcid="0000-0002-1825-0097"),
            Author(name="Bo Zhang", affiliation="Lantern Institute", variants=("张博",)),
            Author(name="∀"),
        ),
        abstract=LONG + "\n\nA second paragraph has display maths: $$\\int_0^1 f(x)\\,dx = \\sum_k a_k.$$",
        venue="ICML",
        year=2026,
        topic=("Theory", "Optimization"),
        status=Status.ORAL,
        award="Outstanding Paper",
        identifiers={"arxiv": "2601.01234", "doi": "10.5555/lamp.1", "openreview": "aB3xYz"},
        urls={"pdf": "https://arxiv.org/pdf/2601.01234", "code": "https://github.com/lamps/lamps"},
        keywords=("lamps", "first-order methods"),
        tldr="Readers can share a lamp with few whispers.",
        summary={
            "en": "Readers share one lamp. A bound and a protocol match.",
            "zh": "读者共用一盏灯。下界与协议相符。",
        },
        booktitle="Proceedings of the Conference on Lamps",
        pages="12–34",
        date="2026-07-06",
        citations=128,
        notes=("The title was not found in any source.",),
        sources=("program", "arxiv"),
    ),
    Paper(
        paper_id="hostile",
        title="<script>alert('title')</script> & \u202eread backwards\u202c <img src=x onerror=alert(1)>",
        authors=(
            Author(
                name='"><script>alert(2)</script>', affiliation="</table><b>", orcid="javascript:alert(3)"
            ),
        ),
        abstract="<b>bold</b> {{ 7 * 7 }} $\\href{javascript:alert(4)}{x}$ $unclosed and javascript:alert(5)",
        venue="<i>ICML</i>",
        year=2025,
        topic=("A<b>", "\"onclick='x'"),
        urls={
            "paper": "javascript:alert(6)",
            "pdf": 'https://example.org/"><script>',
            "code": "data:text/html,x",
        },
        identifiers={"doi": '10.1/"><script>alert(7)</script>'},
        keywords=("</ul><script>",),
        notes=("<script>alert(8)</script>",),
    ),
    Paper(
        paper_id="wide",
        title="A formula as wide as a river",
        authors=_people(1500),
        abstract="Here it is: $"
        + " + ".join(f"x_{{{i}}}^{{{i}}}" for i in range(60))
        + "$ and "
        + "anunbreakablewordthatgoeson" * 12,
        venue="NeurIPS",
        year=2024,
        topic=("Theory", "Optimization"),
    ),
    Paper(
        paper_id="chinese",
        title="面向共享台灯的一阶双层优化方法",
        authors=(Author(name="张博"), Author(name="李蕾")),
        abstract="本文研究多位读者共用一盏台灯时的最优开关策略，给出下界 $\\Omega(n)$ 与相应算法。" * 8,
        venue="ACL",
        year=2025,
        topic=("Deep Learning", "Large Language Models"),
        status=Status.POSTER,
    ),
    Paper(paper_id="bare", title="Only a title", status=Status.WITHDRAWN),
)
PAPERS = (*ODD, *(_plain_paper(i) for i in range(80)))


class Shelf:
    """What the page asks of a library, over a tuple of invented papers."""

    def __init__(self, papers: Sequence[Paper] = PAPERS) -> None:
        self._papers = papers
        self.asked: list[SearchRequest] = []
        self.version = "1"
        self.pdfs: dict[str, Pdf] = {}

    def news(self, request: SearchRequest) -> list[Paper]:
        return [item.paper for item in self.search(request).items]

    def search(self, request: SearchRequest) -> SearchResponse:
        self.asked.append(request)
        if "brokenvenue" in request.venue:
            raise UnknownName('no venue "brokenvenue". Closest: "ICML". List them with: lunwen venues')
        if request.query.startswith("arXiv:2601.01234"):
            return replace(self._empty(request), redirect="rich")
        found = [p for p in self._papers if self._holds(p, request)]
        if not request.query:
            found.sort(key=lambda p: -(p.year or 0))
        if not found:
            return self._empty(request)
        items = found[request.offset : request.offset + request.limit]
        return SearchResponse(
            total=len(found),
            total_is_exact=True,
            offset=request.offset,
            next_offset=None,
            took_ms=1.25,
            items=tuple(
                Item(paper=p, score=None, why=_why(place), **_spans(p, request.query))
                for place, p in enumerate(items, start=1)
            ),
            facets=_facets(found),
            query_reading=f"papers with {request.query}",
        )

    def select(self, request: SearchRequest) -> Iterator[Paper]:
        found = self.search(replace(request, limit=len(self._papers), offset=0))
        yield from (item.paper for item in found.items)

    def paper(self, text: str) -> Paper:
        for paper in self._papers:
            if text in (paper.paper_id, *paper.identifiers.values()):
                return paper
        raise NotFound(f'no paper "{text}". Give a paper_id, DOI or arXiv id. Find it with: lunwen search')

    def provenance(self, paper_id: str) -> list[Provenance]:
        said = {"source": "arxiv", "file": "lamps.json", "imported": "2026-08-01T10:00:00Z"}
        paper = self.paper(paper_id)
        return [
            Provenance(field="title", value=paper.title, chosen=True, **said),
            Provenance(field="title", value=paper.title, chosen=False, **said | {"source": "program"}),
            Provenance(field="title", value="Lamps, a draft", chosen=False, **said),
            Provenance(field="authors", value=paper.authors, chosen=False, **said),
        ]

    def pdf(self, paper_id: str) -> Pdf | None:
        self.paper(paper_id)
        return self.pdfs.get(paper_id)

    def first_seen(self, paper_ids: Sequence[str]) -> dict[str, str]:
        return dict.fromkeys(paper_ids, "2026-07-06T10:00:00.000+00:00")

    def maybe_same(self, paper_id: str) -> list[tuple[Paper, str]]:
        return [(self.paper("lamp-001"), "same authors, another title")] if paper_id == "rich" else []

    def similar(self, paper_id: str, limit: int = 20) -> list[tuple[Paper, float]]:
        own = self.paper(paper_id)
        if own.paper_id == "bare":
            raise NotFound('"bare" is not in this library. Bring it in with: lunwen import catalogue')
        if own.paper_id == "wide":
            return []
        others = [p for p in self._papers if p.paper_id != own.paper_id and p.status.shown]
        return [(p, 0.9 - number / 100) for number, p in enumerate(others)][:limit]

    def complete(self, typed: str, limit: int = 10) -> tuple[Completion, ...]:
        found = [
            Completion(
                kind=Kind.VENUE,
                text=str(row["venue"]),
                papers=int(str(row["papers"])),
                request=SearchRequest(venue=(str(row["venue"]),)),
            )
            for row in self.venues()
            if str(row["venue"]).lower().startswith(typed.lower())
        ]
        found += [
            Completion(
                kind=Kind.TITLE,
                text=paper.title,
                papers=1,
                request=SearchRequest(query=paper.title),
                paper_id=paper.paper_id,
            )
            for paper in self._papers
            if typed.lower() in paper.title.lower()
        ]
        return tuple(found[:limit])

    why_none_similar = "search by meaning is not ready. Make it ready with: lunwen reindex"

    def author(self, text: str) -> Person:
        def papers_of(keys: Sequence[str], limit: int | None) -> list[Paper]:
            written = [p for p in self._papers if any(_keys(author) & {*keys} for author in p.authors)]
            return written[:limit]

        person = find_person(text, People(papers_of, lambda _: []))
        if person is None:
            raise NotFound(f'no author "{text}". Find papers with: lunwen search author:NAME')
        return person

    def collections(self) -> list[Collection]:
        return [Collection("starred", 1, "2026-07-06T10:00:00.000+00:00")]

    def collections_of(self, paper_ids: Sequence[str]) -> dict[str, list[str]]:
        return {paper_id: ["starred"] for paper_id in paper_ids if paper_id == "rich"}

    def notes(self, paper_ids: Sequence[str]) -> dict[str, str]:
        return {paper_id: "Ask Ada <b>" for paper_id in paper_ids if paper_id == "rich"}

    def venues(self) -> list[dict[str, object]]:
        counts = Counter(p.venue for p in self._papers if p.venue)
        return [{"venue": v, "years": [2026], "papers": n} for v, n in counts.items()]

    def topics(self) -> list[FacetValue]:
        return list(_facets([p for p in self._papers if p.topic])["topic"])

    def _holds(self, paper: Paper, request: SearchRequest) -> bool:
        text = f"{paper.title} {paper.abstract}".lower()
        path = "/".join(paper.topic)
        return (
            all(word in text for word in request.query.lower().split())
            and _any(request.venue, lambda v: v.lower() == (paper.venue or "").lower())
            and _any(request.year, lambda y: _in_year(y, paper.year or 0))
            and _any(request.topic, lambda t: path == t or path.startswith(t + "/"))
            and _any(request.status, lambda s: s in ("all", paper.status.value))
            and (bool(request.status) or paper.status.shown)
            and _any(request.author, lambda a: any(a == author.name for author in paper.authors))
            and _any(request.source, lambda s: s in paper.sources)
            and _any(request.has, lambda h: bool(paper.abstract) if h == "abstract" else h in paper.urls)
        )

    def _empty(self, request: SearchRequest) -> SearchResponse:
        suggestion = Suggestion(query="lamps", total=12, why="spelling", request=SearchRequest(query="lamps"))
        return SearchResponse(
            total=0,
            total_is_exact=True,
            offset=request.offset,
            next_offset=None,
            took_ms=0.5,
            items=(),
            facets={},
            query_reading=f"papers with {request.query}",
            explanation=f'no paper holds "{request.query}"',
            suggestions=(suggestion,),
        )


def _keys(author: Author) -> set[str]:
    return {*map(id_key, ids_of(author)), *map(name_key, names_of(author))}


def _why(place: int) -> Why | None:
    """The first is found by both, the second by words, the third by meaning, the others unexplained."""
    return {1: Why(1, 2, 0.61), 2: Why(2, None, 0.1), 3: Why(None, 1, 0.7)}.get(place)


def _any(values: tuple[str, ...], holds: Callable[[str], bool]) -> bool:
    return not values or any(holds(value) for value in values)


def _in_year(wanted: str, year: int) -> bool:
    low, _, high = wanted.partition("..")
    return int(low) <= year <= int(high or low)


def _spans(paper: Paper, query: str) -> dict[str, tuple[tuple[int, int], ...]]:
    def find(text: str) -> tuple[tuple[int, int], ...]:
        words = query.lower().split()
        return tuple(
            sorted((text.lower().find(w), text.lower().find(w) + len(w)) for w in words if w in text.lower())
        )

    return {"title_spans": find(paper.title), "abstract_spans": find(paper.abstract or "")}


def _facets(papers: list[Paper]) -> dict[str, tuple[FacetValue, ...]]:
    found = {
        "venue": Counter(p.venue for p in papers if p.venue),
        "year": Counter(str(p.year) for p in papers if p.year),
        "status": Counter(p.status.value for p in papers),
        "topic": Counter("/".join(p.topic[: i + 1]) for p in papers for i in range(len(p.topic))),
        "source": Counter(s for p in papers for s in p.sources),
        "has": Counter(
            [*("abstract" for p in papers if p.abstract), *("code" for p in papers if "code" in p.urls)]
        ),
    }
    return {name: tuple(FacetValue(v, n) for v, n in c.most_common()) for name, c in found.items()}
