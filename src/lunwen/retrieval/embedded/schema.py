"""What the index holds of a paper: its fields, how they are cut into terms, and a paper as a document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tantivy import Document, Filter, Schema, SchemaBuilder, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from lunwen.corpus.author import keys_of
from lunwen.corpus.maths import plain
from lunwen.corpus.running import method_id
from lunwen.corpus.venue import names
from lunwen.retrieval.analysis import accented_words, compounds, has_cjk, index_text, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.paper import Paper

#: Part of every generation's name: raise it whenever a document or a term changes its form.
SCHEMA_VERSION = 7

#: The first 24 bytes of a paper id as three numbers in the same order: what ties are broken by, quickly.
ID_PARTS = ("id_0", "id_1", "id_2")

#: A term of every paper with Chinese in its text: without any, no query is read in Chinese too.
CHINESE = "0chinese0"

#: Stands between two authors' names, so that a phrase never runs from one into the next.
NAME_GAP = " ".join(["0gap0"] * 8)

_WORDS = re.compile(r"[^\W_]+")


def build_schema() -> Schema:
    """Return the fields of the index.

    ``text`` holds title, abstract, keywords, summaries and other spellings of their words; ``title`` again
    the title, so that its words weigh more; ``meta`` the words around a paper (authors, venue, year);
    ``title_key`` the whole title as one term; ``accent`` words as written with accents; ``spell`` unstemmed
    words to suggest; ``person`` the keys of the authors (``corpus.author``); ``passages`` the pages of the
    paper's PDF, a field of its own, so that no score of the others knows of it. ``newest`` and ``cited`` are
    sort keys which end in the paper id, so that ties break by it.
    """
    builder = SchemaBuilder()
    builder.add_unsigned_field("row", stored=False, indexed=True, fast=True)
    builder.add_text_field("text", tokenizer_name="stemmed")
    builder.add_text_field("title", tokenizer_name="stemmed")
    builder.add_text_field("topic_text", tokenizer_name="stemmed")
    builder.add_text_field("passages", tokenizer_name="stemmed")
    builder.add_text_field("meta", tokenizer_name="folded")
    builder.add_text_field("author", tokenizer_name="folded")
    builder.add_text_field("spell", tokenizer_name="folded", index_option="basic")
    builder.add_text_field("accent", tokenizer_name="spaced", index_option="basic")
    builder.add_text_field("title_key", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("person", tokenizer_name="raw", index_option="basic")
    for name in ("paper_id", "venue", "topic", "status", "source", "has", "newest", "cited"):
        builder.add_text_field(name, fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("year", indexed=True, fast=True)
    for name in ID_PARTS:
        builder.add_unsigned_field(name, stored=False, indexed=False, fast=True)
    return builder.build()


SCHEMA = build_schema()


def build_analyzers() -> dict[str, TextAnalyzer]:
    """Return the analyzers that the schema names; ``analysis.index_text`` has run before them."""

    def words() -> TextAnalyzerBuilder:
        return TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase()).filter(Filter.ascii_fold())

    return {
        "folded": words().build(),
        "stemmed": words().filter(Filter.stemmer("english")).build(),
        "spaced": TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.lowercase()).build(),
    }


def title_key(text: str) -> str:
    """Return a whole title as one term: its tokens in order."""
    return " ".join(_WORDS.findall(index_text(text).lower()))


def document(row: int, paper: Paper, schema: Schema, passages: Sequence[str] = ()) -> Document:
    """Return a paper, and the pages of its PDF where they are known, as the index holds it."""
    title = plain(paper.title)
    body = [plain(text) for text in (paper.abstract, paper.tldr, *paper.summary.values()) if text]
    body += [", ".join(paper.keywords)] if paper.keywords else []
    spellings = [word for text in (title, *body) for word in compounds(text)]
    spellings += [
        more for text in (title, *body) for word in accented_words(text) for more in name_words(word)
    ]
    spellings += [CHINESE] if any(map(has_cjk, (title, *body))) else []
    indexed_title = index_text(title)
    names_of_authors = [
        " ".join(name_words(name)) for author in paper.authors for name in (author.name, *author.variants)
    ]
    year = str(paper.year) if paper.year else ""
    around = index_text(" ".join([*names(paper.venue), year, *paper.topic]))
    meta = " ".join([*names_of_authors, around])
    fields: dict[str, Any] = {
        "row": row,
        "paper_id": paper.paper_id,
        "text": [indexed_title, *(index_text(text) for text in body), " ".join(spellings)],
        "title": indexed_title,
        "topic_text": index_text(" ".join((*paper.topic, *paper.keywords))),
        "meta": meta,
        "author": f" {NAME_GAP} ".join(names_of_authors),
        "spell": " ".join((indexed_title, *names_of_authors)),
        "title_key": title_key(title),
        "person": keys_of(paper),
        "venue": paper.venue or "",
        "topic": ["/".join(paper.topic[: depth + 1]) for depth in range(len(paper.topic))],
        "status": str(paper.status),
        "source": list(paper.sources),
        "has": [*_had(paper), *(["text"] if passages else [])],
        "newest": f"{99_999_999 - _day(paper):08d} {paper.paper_id}",
        "cited": f"{99_999_999 - max(paper.citations or 0, 0):08d} {paper.paper_id}",
    }
    data = paper.paper_id.encode().ljust(8 * len(ID_PARTS), b"\0")
    for place, name in enumerate(ID_PARTS):
        fields[name] = int.from_bytes(data[8 * place : 8 * place + 8], "big")
    written = (title, *(author.name for author in paper.authors))
    if accents := [word for text in written for word in accented_words(text)]:
        fields["accent"] = " ".join(accents)
    if passages:
        fields["passages"] = [" ".join((index_text(page), *compounds(page))) for page in passages]
    if not paper.venue:
        del fields["venue"]
    if paper.year:
        fields["year"] = paper.year
    return Document.from_dict(fields, schema)


def _had(paper: Paper) -> Iterator[str]:
    if paper.abstract:
        yield "abstract"
    if "code" in paper.urls:
        yield "code"
    if method_id(paper):
        yield "method"


def _day(paper: Paper) -> int:
    """Return a paper's date as yyyymmdd, its unknown parts 0."""
    digits = (paper.date or "").replace("-", "")[:8]
    if not digits.isdecimal() or (paper.year and digits[:4] != str(paper.year)):
        digits = str(paper.year or 0)
    return int(digits.ljust(8, "0")[:8])
