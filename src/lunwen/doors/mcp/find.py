"""Tools that find papers: search, one paper, its neighbours, an author, citations."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from lunwen.doors.mcp.text import brief, cut, fit, paper_text, papers_text
from lunwen.doors.mcp.tool import MOST, Answer, fitting, more, page, tool
from lunwen.doors.parameter import AUTHOR_ID, PAPER_ID, limit_of, parameters_of, request_in
from lunwen.doors.selection import COLLECTION, FORMAT, IDS, OFFSET, read_ids, select_papers
from lunwen.doors.shape import author_dict, method_dict, pdf_facts, response_dict
from lunwen.export.format import ExportOptions, export_papers
from lunwen.export.shape import paper_dict
from lunwen.retrieval.request import MAX_LIMIT, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lunwen.doors.mcp.tool import Report
    from lunwen.library import Library

REQUEST = parameters_of(SearchRequest)
LIMIT = limit_of("Papers", 20)
COAUTHORS = 30  # in the text and data of an author


@tool("Search papers", *REQUEST)
def search_papers(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """Find papers by words and by meaning, in English or Chinese, best first.

    Each comes with its id and the beginning of its abstract (get_paper has all of it), with exact counts by
    venue, year, topic and more, and with how the query was read. Go on with offset = next_offset.
    """
    response = library.search(request_in(given))
    data = response_dict(response)
    items = [
        brief(item.paper) | {name: said[name] for name in ("score", "why", "passage")}
        for item, said in zip(response.items, data["items"], strict=True)
    ]
    shown = items[: fitting(items)]
    if len(shown) < len(items):
        data["next_offset"] = data["offset"] + len(shown)
    data["items"] = shown
    said = [f"Papers {more(data)}", data["query_reading"], data["explanation"], *data["warnings"]]
    said += [
        f"Try {_json(one['request'])}: {papers_text(one['total'])}, {one['why']}"
        for one in data["suggestions"]
    ]
    head = "\n".join(line for line in said if line)
    return Answer("\n\n".join([head, *map(paper_text, shown)]), data)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@tool("Show a paper", PAPER_ID)
def get_paper(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """Show all that is known of one paper: abstract, links, ids, and method and PDF where they are here."""
    paper = library.paper(given["paper_id"])
    data = paper_dict(paper)
    others = library.maybe_same(paper.paper_id)
    data["maybe_same"] = [{"paper_id": one.paper_id, "title": one.title, "why": why} for one, why in others]
    held = library.pdf(paper.paper_id)
    if held:
        data["pdf"] = pdf_facts(held)
    if "method_id" in data:
        from lunwen.methods import find  # noqa: PLC0415 - few papers have a method

        data["method"] = method_dict(find(data["method_id"]))
    data = fit(data)
    lines = [paper_text(data | {"abstract": None, "tldr": None, "summary": {}}), data["abstract"]]
    lines += [paper.unlisted]
    lines += [f"Authors: {', '.join(data['authors'])}" if len(data["authors"]) > 6 else None]
    lines += [f"{name}: {text}" for name, text in data.get("summary", {}).items()]
    lines += [f"{name}: {text}" for name, text in (*data["identifiers"].items(), *data["urls"].items())]
    if held:
        searched = "search_papers text:WORD looks in its text" if held.passages else "its text is not there"
        lines.append(f"Its PDF is here, {held.pages} pages: {searched}")
    lines += [
        f"Maybe the same: {one['paper_id']} {one['title']} ({one['why']})" for one in data["maybe_same"]
    ]
    if "method" in data:
        lines.append(f"Its method runs here: get_method {data['method_id']}, run_claims {data['method_id']}")
    return Answer("\n".join(line for line in lines if line), data)


@tool("Find similar papers", PAPER_ID, LIMIT, OFFSET)
def find_similar(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """List the papers nearest in meaning to one paper, the nearest first."""
    limit, offset = given["limit"], OFFSET.check(given["offset"])
    most = min(offset + limit, MAX_LIMIT) if 1 <= limit <= MAX_LIMIT else limit  # which is refused
    found = library.similar(given["paper_id"], most)
    data = page([brief(one) | {"cosine": round(cosine, 4)} for one, cosine in found], limit, offset)
    del data["total"]  # how many are near has no end
    if len(found) == most < MAX_LIMIT and data["next_offset"] is None:
        data["next_offset"] = most  # there may be more
    texts = [f"{paper_text(one)}\ncosine {one['cosine']}" for one in data["items"]]
    following = data["next_offset"]
    head = [f"More with offset {following}"] if following is not None else []
    return Answer("\n\n".join([*head, *texts]) or library.why_none_similar, data)


@tool(
    "Show an author",
    AUTHOR_ID,
    LIMIT,
    OFFSET,
)
def get_author(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """Show one author: papers, newest first, co-authors, venues, spellings, and who may be the same."""
    person = library.author(given["author_id"])
    data = author_dict(person, limit=0)
    papers = page([brief(one) for one in person.papers], *_place(given))
    data |= {"coauthors": data["coauthors"][:COAUTHORS], "papers": papers["items"]}
    data |= {name: papers[name] for name in ("offset", "next_offset")}
    head = [
        f"{data['name']} · author_id {data['author_id']} · {papers_text(data['total'])}",
        "Co-authors: " + ", ".join(f"{one['name']} {one['papers']}" for one in data["coauthors"]),
        "Venues: " + ", ".join(f"{one['value']} {one['count']}" for one in data["venues"]),
        *(f"Maybe the same: {one['author_id']} ({one['why']})" for one in data["maybe_same"]),
        f"Papers {more(papers)}",
    ]
    return Answer("\n\n".join(["\n".join(head), *map(paper_text, data["papers"])]), data)


@tool(
    "Export citations",
    IDS,
    COLLECTION,
    *(one for one in REQUEST if one.name not in ("limit", "offset")),
    replace(FORMAT, default="bibtex"),
    *parameters_of(ExportOptions),
    LIMIT,
    OFFSET,
)
def export_citations(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """Write papers as citations: those named by ids, those of a collection, or all that a search finds."""
    options = ExportOptions(**{one.name: given[one.name] for one in fields(ExportOptions)})
    ids, (limit, offset) = read_ids(given["ids"]), _place(given)
    request = request_in({name: value for name, value in given.items() if name not in ("limit", "offset")})
    found = list(
        islice(
            select_papers(library, request, ids=ids, collection=given["collection"]),
            offset,
            offset + limit + 1,
        )
    )
    papers = found[:limit]
    text = "".join(export_papers(papers, given["format"], options))
    while len(text) > MOST and len(papers) > 1:
        papers = papers[: len(papers) // 2]
        text = "".join(export_papers(papers, given["format"], options))
    following = offset + len(papers) if len(papers) < len(found) else None
    data = {"format": given["format"], "count": len(papers), "offset": offset, "next_offset": following}
    return Answer(cut(text, MOST) or "", data | {"text": cut(text, MOST) or ""})


def _place(given: Mapping[str, Any]) -> tuple[int, int]:
    return LIMIT.check(given["limit"]), OFFSET.check(given["offset"])


TOOLS = (search_papers, get_paper, find_similar, get_author, export_citations)
