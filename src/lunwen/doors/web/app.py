"""The page: routes, and the one place where errors become HTTP."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from lunwen.corpus.shelf import STARRED
from lunwen.doors.api.app import ADDRESSES, create_api
from lunwen.doors.api.write import READ_ONLY
from lunwen.doors.claim import find_method
from lunwen.doors.shape import method_of
from lunwen.doors.translate import translate
from lunwen.doors.web.act import ACTIONS, act
from lunwen.doors.web.author import show_author
from lunwen.doors.web.card import lang
from lunwen.doors.web.detail import show_paper
from lunwen.doors.web.export import BESIDE, Asked, answer, begin, one, read_asked
from lunwen.doors.web.form import read_form
from lunwen.doors.web.guard import HostGuard
from lunwen.doors.web.header import SafeHeaders
from lunwen.doors.web.keep import (
    SHELF,
    WATCHES,
    show_collection,
    show_keeping,
    show_shelf,
    show_watch,
    show_watches,
)
from lunwen.doors.web.method import show_method, show_methods
from lunwen.doors.web.option import Options
from lunwen.doors.web.pdf import PACKED, Pdfs
from lunwen.doors.web.reference import show_api
from lunwen.doors.web.similar import show_similar, similar_url
from lunwen.doors.web.source import show_sources
from lunwen.doors.web.template import Templates, feeds_of
from lunwen.doors.web.url import SIZE, State, author_url, paper_url, read_page, read_state
from lunwen.doors.web.view import show_list
from lunwen.doors.words import LANGUAGES, WORDS, Words, choose_language
from lunwen.errors import LunwenError, ReadOnly
from lunwen.export.bibtex import entry
from lunwen.export.shape import paper_dict
from lunwen.methods import picture
from lunwen.settings import api_token

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from starlette.requests import Request

    from lunwen.corpus.paper import Paper
    from lunwen.corpus.shelf import Collection
    from lunwen.library import Library

THREADS = 4  # at work at once: more would only take the interpreter's lock from each other
PAGES_KEPT = 256  # of one state of the library: going back, paging and the start page cost nothing
SIMILAR = 8  # on a paper's own page
ALL_SIMILAR = 50
COOKIE_SECONDS = 365 * 24 * 3600

P = ParamSpec("P")
T = TypeVar("T")


def create_app(library: Library, options: Options | None = None) -> Starlette:
    """The page and the API over one library, as an ASGI application."""
    options = options or Options()
    site = _Site(library, options)
    api = create_api(library, origins=options.origins, token=api_token(), read_only=not options.api_writes)
    return Starlette(
        routes=[
            Route("/", site.search),
            Route("/export", site.export),
            *(Route(f"/papers/{{paper_id:path}}.{ending}", site.one_as(ending)) for ending in BESIDE),
            Route("/papers/{paper_id:path}.json", site.paper_json),
            Route("/papers/{paper_id:path}.pdf", site.pdf),
            Route("/papers/{paper_id:path}/similar", site.similar),
            Route("/papers/{paper_id:path}", site.paper),
            Route("/authors/{author:path}", site.show(site.author, "author")),
            Route("/collections", site.show(site.shelf)),
            Route("/collections/{name:path}", site.show(site.collection, "name", paged=True)),
            Route("/watches", site.show(site.watches)),
            Route("/watches/{name:path}", site.show(site.watch, "name", paged=True)),
            *(Route(f"/shelf/{name}", site.act(name), methods=["POST"]) for name in ACTIONS),
            Route("/methods", site.methods),
            Route("/sources", site.show(site.sources)),
            Route("/methods/{method_id}.svg", site.plot),
            Route("/methods/{method_id}.py", site.code),
            Route("/api", site.reference),
            *(Route(address, api) for address in ADDRESSES),
            Route("/healthz", site.health),
            Mount("/static", StaticFiles(packages=[("lunwen.doors.web", "static")])),
        ],
        middleware=[
            Middleware(SafeHeaders),
            Middleware(HostGuard, hosts=options.hosts),
            Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4, exclude_content_types=PACKED),
        ],
        exception_handlers={
            LunwenError: site.refuse,
            HTTPException: site.refuse_http,
            Exception: site.apologise,
        },
    )


class _Site:
    """One library and how it is shown."""

    def __init__(self, library: Library, options: Options) -> None:
        self._library = library
        self._token = options.token if options.page_writes else None
        self._pdfs = Pdfs(library, shown=options.page_pdfs)
        self._templates = Templates(self._token)
        self._limiter = CapacityLimiter(THREADS)
        self._venues = lru_cache(maxsize=1)(self._list_venues)
        self._list = lru_cache(maxsize=PAGES_KEPT)(self._render_list)

    async def search(self, request: Request) -> Response:
        state = read_state(request.query_params.multi_items())
        if any(name in request.query_params for name in ("from", "to")):
            return RedirectResponse(state.url(), status_code=303)
        return _remember(request, await self._run(self._search, state, _words(request)))

    async def paper(self, request: Request) -> Response:
        return _remember(
            request, await self._run(self._paper, request.path_params["paper_id"], _words(request))
        )

    async def similar(self, request: Request) -> Response:
        return _remember(
            request, await self._run(self._similar, request.path_params["paper_id"], _words(request))
        )

    async def methods(self, request: Request) -> Response:
        return _remember(request, await self._run(self._methods, _words(request)))

    def show(
        self, page: Callable[..., Response], *names: str, paged: bool = False
    ) -> Callable[[Request], Awaitable[Response]]:
        """What serves a page that needs no more than parts of the path, the words and perhaps its number."""

        async def handle(request: Request) -> Response:
            given = [request.path_params[name] for name in names]
            if paged:
                given.append(read_page(request.query_params.get("page", "")))
            return _remember(request, await self._run(page, *given, _words(request)))

        return handle

    def act(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """What serves one action of the forms."""

        async def handle(request: Request) -> Response:
            if self._token is None:
                raise ReadOnly(READ_ONLY)
            given = await read_form(request, self._token)
            return RedirectResponse(await self._run(act, self._library, name, given), status_code=303)

        return handle

    async def reference(self, request: Request) -> Response:
        view, words = show_api(), _words(request)
        html = self._templates.render("api.html", words, State(), here="/api", view=view)
        return _remember(request, HTMLResponse(html))

    async def plot(self, request: Request) -> Response:
        return await self._run(self._plot, request.path_params["method_id"])

    async def code(self, request: Request) -> Response:
        return await self._run(self._code, request.path_params["method_id"])

    async def export(self, request: Request) -> Response:
        asked = read_asked(read_state(request.query_params.multi_items()), request.query_params)
        pieces, first = await self._run(self._begin_export, asked)
        return answer(asked, first, pieces, self._run)

    def one_as(self, ending: str) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            return await self._run(self._one, request.path_params["paper_id"], ending)

        return handle

    async def paper_json(self, request: Request) -> Response:
        paper = await self._run(self._library.paper, request.path_params["paper_id"])
        return JSONResponse(paper_dict(paper))

    async def pdf(self, request: Request) -> Response:
        return await self._run(self._pdfs.answer, request, request.path_params["paper_id"])

    async def health(self, _: Request) -> Response:
        return PlainTextResponse("ok")

    async def refuse(self, request: Request, error: Exception) -> Response:
        status = error.http_status if isinstance(error, LunwenError) else 500
        return self._error(request, status, str(error), type(error).__name__)

    async def refuse_http(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = _words(request)
        says = {
            403: words("error_403_says"),
            404: words("no_such_page", path=request.url.path[:200]),
        }.get(status, "")
        response = self._error(request, status, says, "HTTPException")
        response.headers.update(getattr(error, "headers", None) or {})  # what is allowed, after a 405
        return response

    async def apologise(self, request: Request, _: Exception) -> Response:
        return self._error(request, 500, _words(request)("error_unknown"), "InternalError")

    def _search(self, state: State, words: Words) -> Response:
        status, text = self._list(state, words, self._library.version, self._collections())
        if status == 303:
            return RedirectResponse(text, status_code=303)
        return HTMLResponse(text, status_code=status)

    def _render_list(
        self, state: State, words: Words, version: str, _collections: tuple[Collection, ...]
    ) -> tuple[int, str]:
        """Status and page, or 303 and where to go instead; another star makes it another page."""
        response = self._library.search(state.request())
        if response.redirect:
            return 303, paper_url(response.redirect)
        view = show_list(
            state,
            response,
            words,
            venues=self._venues(version),
            library_topics=() if response.total else self._library.topics(),
            starred=self._starred(item.paper for item in response.items),
        )
        html = self._templates.render("listing.html", words, state, view=view)
        beyond = state.page > 1 and not view.items
        return 404 if beyond else 200, html

    def _list_venues(self, _version: str) -> list[dict[str, object]]:
        """The venues of the library, asked for once per state of its index."""
        return self._library.venues()

    def _paper(self, text: str, words: Words) -> Response:
        paper = self._library.paper(text)
        if paper.paper_id != text:
            return RedirectResponse(paper_url(paper.paper_id), status_code=302)
        view = show_paper(
            paper,
            words,
            bibtex=entry(replace(paper, abstract=None)),  # which stands above
            provenance=self._library.provenance(paper.paper_id),
            maybe_same=self._library.maybe_same(paper.paper_id),
            similar=self._find_similar(paper),
            pdf=self._pdfs.find(paper.paper_id),
        )
        names = self._library.collections_of([paper.paper_id]).get(paper.paper_id, [])
        note = self._library.notes([paper.paper_id]).get(paper.paper_id, "")
        held = show_keeping(paper.paper_id, names, note, self._library.collections(), words)
        method = method_of(paper)
        running = show_method(method, words) if method else None
        return HTMLResponse(
            self._templates.render(
                "paper.html", words, State(), here=view.url, view=view, held=held, method=running
            )
        )

    def _find_similar(self, paper: Paper) -> list[Paper]:
        """A few similar papers; none where the paper or what it takes to compare is not there."""
        try:
            return [other for other, _ in self._library.similar(paper.paper_id, SIMILAR)]
        except LunwenError:
            return []

    def _similar(self, text: str, words: Words) -> Response:
        paper = self._library.paper(text)
        if paper.paper_id != text:
            return RedirectResponse(similar_url(paper.paper_id), status_code=302)
        found = self._library.similar(paper.paper_id, ALL_SIMILAR)
        starred = self._starred(other for other, _ in found)
        none = "" if found else self._library.why_none_similar
        view = show_similar(paper, found, words, starred=starred, none=none)
        return HTMLResponse(self._templates.render("similar.html", words, State(), here=view.here, view=view))

    def author(self, text: str, words: Words) -> Response:
        person = self._library.author(text)
        if person.author_id != text:
            return RedirectResponse(author_url(person.author_id), status_code=302)
        view = show_author(person, words)
        feeds = feeds_of("author_id", person.author_id)
        return self._page("author.html", words, view.here, view=view, feeds=feeds)

    def sources(self, words: Words) -> Response:
        view = show_sources(self._library.sources(), words)
        return self._page("sources.html", words, "/sources", view=view)

    def shelf(self, words: Words) -> Response:
        view = show_shelf(self._library.collections(), self._library.watches(), words)
        return self._page("shelf.html", words, SHELF, view=view)

    def collection(self, name: str, page: int, words: Words) -> Response:
        papers = [paper for paper, _ in self._library.collection(name)]
        first = (page - 1) * SIZE
        shown = papers[first : first + SIZE]
        view = show_collection(
            name,
            shown,
            words,
            page=page,
            total=len(papers),
            starred=self._starred(shown),
            notes=self._library.notes([paper.paper_id for paper in shown]),
        )
        return self._page("collection.html", words, view.here, view=view, feeds=feeds_of("collection", name))

    def watches(self, words: Words) -> Response:
        view = show_watches(self._library.watches(), words)
        return self._page("watches.html", words, WATCHES, view=view)

    def watch(self, name: str, page: int, words: Words) -> Response:
        news = self._library.watch(name, limit=SIZE, offset=(page - 1) * SIZE)
        starred = self._starred(item.paper for item in news.response.items)
        view = show_watch(news, words, page=page, starred=starred)
        return self._page("collection.html", words, view.here, view=view)

    def _page(self, template: str, words: Words, here: str, **values: Any) -> Response:
        return HTMLResponse(self._templates.render(template, words, State(), here=here, **values))

    def _collections(self) -> tuple[Collection, ...]:
        """All collections with their counts and times, which change with every star."""
        return tuple(self._library.collections()) if self._token else ()

    def _starred(self, papers: Iterable[Paper]) -> frozenset[str] | None:
        """Which of these papers have a star; None where readers may set none."""
        if not self._token:
            return None
        held = self._library.collections_of([paper.paper_id for paper in papers])
        return frozenset(paper_id for paper_id, names in held.items() if STARRED in names)

    def _methods(self, words: Words) -> Response:
        return self._page("methods.html", words, "/methods", view=show_methods(words))

    def _plot(self, name: str) -> Response:
        if (drawn := picture(find_method(name))) is None:
            raise HTTPException(404)
        return Response(drawn, media_type="image/svg+xml")

    def _code(self, name: str) -> Response:
        return PlainTextResponse(find_method(name).path.read_bytes())

    def _begin_export(self, asked: Asked) -> tuple[Iterator[str], str]:
        pieces = begin(self._library, asked)
        return pieces, next(pieces, "")  # here, so that what a search refuses is an answer of its own

    def _one(self, text: str, ending: str) -> Response:
        return PlainTextResponse(one(self._library.paper(text), ending))

    def _error(self, request: Request, status: int, says: str, name: str) -> Response:
        accept = request.headers.get("accept", "")
        words = _words(request)
        title = words.named("error", str(status))
        wants_json = request.url.path.endswith(".json") or ("json" in accept and "text/html" not in accept)
        if wants_json:
            problem = {"type": "about:blank", "title": name, "status": status, "detail": says or title}
            return JSONResponse(problem, status_code=status, media_type="application/problem+json")
        said = translate(says, words.language)
        html = self._templates.render(
            "error.html", words, State(), title=title, status=status, says=said, says_lang=lang(said, words)
        )
        return HTMLResponse(html, status_code=status)

    async def _run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work beside the event loop."""
        return await to_thread.run_sync(partial(work, *args, **kwargs), limiter=self._limiter)


def _words(request: Request) -> Words:
    return WORDS[
        choose_language(
            asked=request.query_params.get("lang"),
            remembered=request.cookies.get("lang"),
            accepted=request.headers.get("accept-language", ""),
        )
    ]


def _remember(request: Request, response: Response) -> Response:
    """Keep the language asked for, so that the links need not carry it."""
    asked = request.query_params.get("lang")
    if asked in LANGUAGES:
        response.set_cookie("lang", asked, max_age=COOKIE_SECONDS, httponly=True, samesite="lax")
    return response
