"""Exports over HTTP: a whole result as a file that streams, one paper in every form that programs read."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import StreamingResponse

from lunwen.doors.api.answer import in_pieces
from lunwen.doors.selection import LIMIT, OFFSET, read_ids, select_papers
from lunwen.doors.web.card import Link
from lunwen.doors.web.url import State, encode, paper_url
from lunwen.export.format import FORMATS, ExportOptions, export_papers, find_format

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

    from starlette.datastructures import QueryParams

    from lunwen.corpus.paper import Paper
    from lunwen.doors.parameter import Parameter
    from lunwen.doors.words import Words
    from lunwen.export.format import Format
    from lunwen.library import Library

BESIDE = {
    "bib": "bibtex",
    "ris": "ris",
    "md": "markdown",
    "txt": "reference",
}  # a paper's page with an ending


class Asked(NamedTuple):
    """What is to be exported, and how."""

    format: Format
    options: ExportOptions
    state: State
    ids: tuple[str, ...] | None
    collection: str | None
    limit: int | None
    offset: int


def read_asked(state: State, given: QueryParams) -> Asked:
    """Read what the query string of an export asks for.

    Raises:
        UnknownName: no such format, key or style.
        LimitError: a limit or an offset that is no number.
    """
    chosen = {one.name: given[one.name] for one in fields(ExportOptions) if given.get(one.name)}
    ids = read_ids(given.getlist("ids") if "ids" in given else None)
    limit, offset = _read_number(LIMIT, given), _read_number(OFFSET, given)
    form = find_format(given.get("format", "jsonl"))
    return Asked(form, ExportOptions(**chosen), state, ids, given.get("collection"), limit, offset or 0)


def begin(library: Library, asked: Asked) -> Iterator[str]:
    """Yield an export in pieces of a good size; the first is there only once papers could be found.

    Raises:
        NotFound: an id is of no paper, or there is no such collection.
        LunwenError: what the search refuses.
    """
    papers = select_papers(
        library,
        asked.state.request(),
        ids=asked.ids,
        collection=asked.collection,
        limit=asked.limit,
        offset=asked.offset,
    )
    return in_pieces(export_papers(papers, asked.format.name, asked.options))


def answer(
    asked: Asked, first: str, rest: Iterator[str], run: Callable[..., Awaitable[str]]
) -> StreamingResponse:
    """Answer with a file of which the ``first`` piece is written; ``run`` takes each further one."""

    async def send() -> AsyncIterator[str]:
        piece = first
        while piece:
            yield piece
            piece = await run(next, rest, "")

    return StreamingResponse(
        send(),
        media_type=f"{asked.format.media_type}; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{file_name(asked.state, asked.format)}"'},
    )


def file_name(state: State, form: Format) -> str:
    """A name of letters, digits and hyphens alone: nothing else of a query reaches a header or a folder."""
    said = "-".join(
        [state.q, *(value for name, value in state.pairs() if name in ("venue", "year", "author"))]
    )
    slug = re.sub(r"[^a-z0-9]+", "-", said.lower()).strip("-")[:60].strip("-")
    return f"lunwen-{slug}.{form.extension}" if slug else f"lunwen.{form.extension}"


def menu(state: State, words: Words) -> tuple[Link, ...]:
    """The formats in which a whole result can be had."""
    query = "&".join(
        f"{name}={encode(value)}" for name, value in state.pairs() if name not in ("page", "size")
    )
    mark = f"{query}&" if query else ""
    return tuple(Link(_label(form, words), f"/export?{mark}format={name}") for name, form in FORMATS.items())


def collection_menu(name: str, words: Words) -> tuple[Link, ...]:
    """The formats in which a collection can be had."""
    mark = f"/export?collection={encode(name)}&format="
    return tuple(Link(_label(form, words), mark + ending) for ending, form in FORMATS.items())


def paper_menu(paper_id: str, words: Words) -> tuple[Link, ...]:
    """The forms besides BibTeX, which stands there, in which one paper can be had."""
    url = paper_url(paper_id)
    beside = [
        Link(_label(FORMATS[name], words), f"{url}.{ending}")
        for ending, name in BESIDE.items()
        if name != "bibtex"
    ]
    csl = Link(FORMATS["csl-json"].label, f"/export?ids={encode(paper_id)}&format=csl-json")
    return (*beside, csl, Link("JSON", f"{url}.json"))


def _label(form: Format, words: Words) -> str:
    """What a format is called: by its own name in every language, but for references."""
    return words("format_reference") if form.name == "reference" else form.label


def one(paper: Paper, ending: str) -> str:
    """The text of one paper in the format with that ``ending``."""
    return "".join(export_papers([paper], BESIDE[ending])).rstrip() + "\n"


def _read_number(parameter: Parameter, given: Mapping[str, str]) -> int | None:
    text = given.get(parameter.name, "").strip()
    return int(parameter.read(text)) if text else None
