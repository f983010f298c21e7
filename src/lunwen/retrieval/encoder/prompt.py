"""What a model was trained to read before a text: some tell queries from documents by it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lunwen.retrieval.encoder import Kind


@dataclass(frozen=True, slots=True)
class Prompts:
    """What is written before a query and before a document."""

    query: str = ""
    document: str = ""

    def before(self, kind: Kind) -> str:
        """Return the prompt of a kind of text."""
        return self.query if kind == "query" else self.document

    def __str__(self) -> str:
        """The part of an encoder's contract."""
        return f"query:{self.query!r},document:{self.document!r}"


_PASSAGES = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

# as the models' authors write them; the first that fits is taken
_KNOWN = (
    (r"\be5\b.*instruct", Prompts(f"{_TASK} ")),
    (r"\be5\b", Prompts("query: ", "passage: ")),
    (r"\bbge-m3", Prompts()),
    (r"\bbge\b.*\bzh\b", Prompts("为这个句子生成表示以用于检索相关文章：")),
    (r"\bbge\b", Prompts(_PASSAGES)),
    (r"\barctic-embed\b.*\bv2", Prompts("query: ")),
    (r"\barctic-embed\b|\bmxbai-embed", Prompts(_PASSAGES)),
    (r"\bnomic-embed", Prompts("search_query: ", "search_document: ")),
    (r"\bqwen3-embedding", Prompts(_TASK)),
    (r"\bembeddinggemma", Prompts("task: search result | query: ", "title: none | text: ")),
)


def prompts_of(model: str) -> Prompts:
    """Return the prompts of a model by its name; none for one that is not known."""
    name = model.lower().replace("_", "-")
    return next((prompts for pattern, prompts in _KNOWN if re.search(pattern, name)), Prompts())
