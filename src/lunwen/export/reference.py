"""Papers as references in a citation style, set by citeproc."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from citeproc import (  # type: ignore[import-untyped]  # it has no types
    Citation,
    CitationItem,
    CitationStylesBibliography,
    CitationStylesStyle,
    formatter,
)
from citeproc.source.json import CiteProcJSON  # type: ignore[import-untyped]

from lunwen.export.csl import csl_item

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from lunwen.corpus.paper import Paper

_NUMBER = re.compile(r"^\[?\d+[\].]\s*")
_CHINESE = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]")


class _Numbered(CitationItem):  # type: ignore[misc]  # same
    """A citation that knows its place in the whole list, of which its bibliography holds nothing else."""

    @property
    def number(self) -> int:
        """Its place, from 1."""
        return int(self["place"])


def references(papers: Iterable[Paper], style: str = "apa") -> Iterator[str]:
    """Write each paper as one reference in ``style``, in the order given, a line for each.

    Each is set on its own, so that a long list need not be held; two papers of one author and year are
    therefore not told apart by a letter. Numbered styles count on.
    """
    rules = _style(style)
    for number, paper in enumerate(papers, start=1):
        item = csl_item(paper, "paper")
        item.pop("event-title", None)  # newer than the CSL that citeproc knows
        item["author"] = [_whole(name) for name in item.get("author", ())]
        yield _set(rules, item, number) + "\n"


def _set(rules: Any, item: dict[str, Any], number: int) -> str:
    source = CiteProcJSON([item])
    bibliography = CitationStylesBibliography(rules, source, formatter.plain)
    cited = _Numbered("paper")
    cited["place"] = number
    bibliography.register(Citation([cited]))
    text = " ".join(str(bibliography.bibliography()[0]).split())
    # citeproc sets no space between a number and its entry, as both are columns of a page
    return _NUMBER.sub(lambda found: f"{found[0].rstrip()} ", text)


@lru_cache(maxsize=1)
def _style(name: str) -> Any:
    place = files("lunwen.export").joinpath("style", f"{name}.csl")
    with place.open("rb") as stream:
        return CitationStylesStyle(stream, validate=False)


def _whole(name: dict[str, str]) -> dict[str, str]:
    """A Chinese name as one word, since citeproc would make initials of it."""
    full = name.get("family", "") + name.get("given", "")
    return {"literal": full} if _CHINESE.search(full) else name
