"""Papers for an agent: as little text as tells them apart, and as data that fits into an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lunwen.doors.mcp.tool import MOST
from lunwen.export.shape import paper_dict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lunwen.corpus.paper import Paper

START = 400  # characters of an abstract in a list
AUTHORS = 6  # in the text of a list
MOST_AUTHORS = 100  # of one paper in the data, where not all fit
MOST_ABSTRACT = 20_000  # characters, where not all fit


def brief(paper: Paper) -> dict[str, Any]:
    """A paper in a list: the beginning of its abstract, and of its authors the names alone."""
    shape = paper_dict(paper)
    shape.pop("author_details", None)
    shape["abstract"] = cut(shape["abstract"], START)
    if len(shape["authors"]) > MOST_AUTHORS:
        shape["authors"] = [*shape["authors"][:MOST_AUTHORS], "…"]
    return shape


def fit(shape: dict[str, Any]) -> dict[str, Any]:
    """A paper alone: whole where it fits into an answer; ``cut`` names what was shortened."""
    if len(orjson.dumps(shape, option=orjson.OPT_NON_STR_KEYS)) <= MOST:
        return shape
    authors = shape["authors"]
    shorter = {
        "abstract": cut(shape["abstract"], MOST_ABSTRACT),
        "authors": authors if len(authors) <= MOST_AUTHORS else [*authors[:MOST_AUTHORS], "…"],
        "author_details": shape.get("author_details", [])[:MOST_AUTHORS],
    }
    return (
        shape | shorter | {"cut": [name for name, value in shorter.items() if value != shape.get(name, [])]}
    )


def cut(text: str | None, most: int) -> str | None:
    """Text of at most so many characters, ended at a word."""
    if text is None or len(text) <= most:
        return text
    head, space, _ = text[:most].rpartition(" ")
    return f"{head if space else text[:most]} …"


def papers_text(number: int) -> str:
    """How many papers, in words."""
    return f"{number:,} paper" if number == 1 else f"{number:,} papers"


def paper_text(shape: Mapping[str, Any]) -> str:
    """A paper of a list in a few lines: title, authors, where it stands, id, abstract."""
    authors = ", ".join(shape["authors"][:AUTHORS]) + (" et al." if len(shape["authors"]) > AUTHORS else "")
    where = " ".join(str(part) for part in (shape["venue"], shape["year"]) if part)
    facts = " · ".join(part for part in (where, shape["status"], f"id {shape['paper_id']}") if part)
    runs = " · its method runs here" if "method_id" in shape else ""
    said = shape["abstract"] or shape.get("tldr") or shape.get("summary", {}).get("en") or ""
    passage = shape.get("passage")
    found = f"in the text, p. {passage['page']}: {passage['text']}" if passage else ""
    lines = (shape["title"], authors, facts + runs, cut(said, START), found)
    return "\n".join(line for line in lines if line)
