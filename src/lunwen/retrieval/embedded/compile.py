"""A read query → a tantivy query: which papers match, and how they are scored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from tantivy import FieldType, Occur, Query

from lunwen.corpus.paper import ACCEPTED, Status
from lunwen.corpus.venue import match
from lunwen.retrieval.analysis import STOP_WORDS, terms
from lunwen.retrieval.embedded.bag import Bag, Word, score_term
from lunwen.retrieval.embedded.schema import CHINESE, title_key
from lunwen.retrieval.embedded.sense import in_chinese, sense_word
from lunwen.retrieval.embedded.term import all_of, any_of, silent
from lunwen.retrieval.node import AllOf, AnyOf, Clause, Phrase, Sense, Words, Years
from lunwen.retrieval.reading import write

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lunwen.retrieval.embedded.term import Terms
    from lunwen.retrieval.engine import Filters
    from lunwen.retrieval.node import Node
    from lunwen.retrieval.node import Query as ReadQuery

PINNED = 1_000.0  # scores from here on are exact titles: above any sum of word scores
MANY_SENSES = 6  # Chinese terms; from more on …
FEW_ALTERNATIVES = 2  # … only the best English of each is looked for
_MOST_AROUND = 3  # words around an exact title
_LONGEST_TITLE = 60


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query for tantivy in its parts."""

    words: tuple[Query, ...]  # what the bag of words asks of a paper
    required: tuple[Query, ...]
    without: tuple[Query, ...]  # what the query excludes
    hide: tuple[Query, ...]  # hidden statuses
    narrow: tuple[Query, ...]  # the filters
    scores: tuple[Query, ...]
    reading: str = ""

    @property
    def is_ranked(self) -> bool:
        """Whether scores tell papers apart."""
        return bool(self.scores)

    def match(self, *, words: bool = True, filters: bool = True, or_rows: Query | None = None) -> Query:
        """Return what finds papers, without scores.

        Args:
            words: whether the bag of words counts.
            filters: whether the filters count.
            or_rows: papers that need none of the words.
        """
        return Query.boolean_query(self._match(words=words, filters=filters, or_rows=or_rows))

    @property
    def rank(self) -> Query:
        """Return what finds papers by their words and scores them."""
        return Query.boolean_query([*self._match(), *((Occur.Should, score) for score in self.scores)])

    def _match(
        self, *, words: bool = True, filters: bool = True, or_rows: Query | None = None
    ) -> list[tuple[Occur, Query]]:
        asked = list(self.words) if words else []
        if or_rows is not None and (asked or not words):
            asked = [any_of([all_of(asked), or_rows]) if asked else or_rows]
        musts = [*self.required, *asked, *(self.narrow if filters else ())] or [Query.all_query()]
        parts = [(Occur.Must, silent(query)) for query in musts]
        return parts + [(Occur.MustNot, query) for query in (*self.without, *self.hide)]


class Compiler:
    """Compiles queries for one state of the index."""

    def __init__(self, terms_: Terms, venues: Collection[str]) -> None:
        self._terms = terms_
        self._venues = venues
        self._sense = lru_cache(maxsize=1024)(partial(sense_word, terms_))

    def compile(self, query: ReadQuery, filters: Filters) -> Compiled:
        """Return which papers match and how they are ranked."""
        required = [self._node(c.node) for c in query.clauses if c.occur == "must"]
        without = [self._node(c.node) for c in query.clauses if c.occur == "not"]
        optional = [c.node for c in query.clauses if c.occur == "should"]
        read = [node for node in optional if isinstance(node, Sense)]
        most = (
            FEW_ALTERNATIVES if len(read) > MANY_SENSES else None
        )  # a whole sentence says it in other words
        senses = [(node, self._sense(node.text, node.alternatives[:most])) for node in read]
        wanted_senses = [word for node, word in senses if word.frequency and not node.is_general]
        if not any(map(_is_word, optional)):
            wanted_senses = wanted_senses or [word for _, word in senses]
        others = [word for _, word in senses if word not in wanted_senses]
        alternatives = [self._alternatives(node) for node in optional if not isinstance(node, Words | Sense)]
        bag = Bag(self._terms, optional, query.text, alternatives + wanted_senses)
        wanted, reading = bag.require(required, without)
        plain = "" if senses else " ".join(node.text for node in optional if isinstance(node, Words))
        chinese = in_chinese(self._terms, plain) if self._terms.frequency("text", CHINESE) else []
        if wanted and chinese:
            wanted = [any_of([all_of(wanted), all_of(chinese)])]
        names_status = any(_names_status(c.node) for c in query.clauses if c.occur == "must")
        narrow, hide = self._filter(filters, names_status=names_status)
        scores = bag.scores + [query for word in others for query in word.scores]
        scores += chinese
        scores += [q for c in query.clauses if c.occur == "must" for q in self._score(c.node)]
        return Compiled(
            words=tuple(wanted),
            required=tuple(required),
            without=tuple(without),
            hide=tuple(hide),
            narrow=tuple(narrow),
            scores=(*scores, *self._exact_title(query.text)),
            reading=reading,
        )

    def _filter(self, filters: Filters, *, names_status: bool) -> tuple[list[Query], list[Query]]:
        of = self._terms
        named = {
            "venue": filters.venues,
            "topic": filters.topics,
            "status": [str(status) for status in filters.statuses],
            "source": filters.sources,
        }
        narrow = [of.one_of(name, values) for name, values in named.items() if values]
        narrow += [any_of([self._years(years) for years in filters.years])] if filters.years else []
        narrow += [any_of([of.name(name) for name in filters.authors])] if filters.authors else []
        narrow += [of.one("has", value) for value in filters.has]
        narrow += [of.above("row", filters.after_row)] if filters.after_row is not None else []
        hidden = [] if filters.statuses or names_status else [str(status) for status in filters.hidden]
        return narrow, [of.one_of("status", hidden)] if hidden else []

    # One node

    def _node(self, node: Node) -> Query:
        match node:
            case Years():
                return self._years(node)
            case AnyOf():
                return any_of([self._node(inner) for inner in node.nodes])
            case AllOf():
                return all_of([self._node(inner) for inner in node.nodes])
            case Words(field=str() as field) | Phrase(field=str() as field) if field in _NAMED:
                return _NAMED[field](self, node.text)
            case Phrase():
                return self._phrase(node)
            case Sense():
                return self._sense(node.text, node.alternatives).matches
            case _:
                fields = _FIELDS.get(node.field or "", ("text", "meta"))
                return all_of([self._terms.spellings(term, fields) for term in terms(node.text)])

    def _phrase(self, node: Phrase) -> Query:
        found = terms(node.text)
        tokens = [part for term in found for part in term.parts]
        fields = _FIELDS.get(node.field or "", ("text", "meta"))
        options = [self._terms.sequence(name, tokens) for name in fields]
        if len(found) == 1:
            options.append(self._terms.spellings(found[0], fields))
        return any_of(options)

    def _years(self, years: Years) -> Query:
        return Query.range_query(self._terms.schema, "year", FieldType.Integer, years.low, years.high)

    def _venue(self, text: str) -> Query:
        return self._terms.one("venue", match(text, self._venues) or text)

    def _topic(self, text: str) -> Query:
        words = all_of([self._terms.spellings(term, ("topic_text",)) for term in terms(text)])
        return any_of([self._terms.one("topic", text), words])

    def _status(self, text: str) -> Query:
        word = text.strip().lower()
        if word == "all":
            return Query.all_query()
        return self._terms.one_of("status", sorted(ACCEPTED) if word == Status.ACCEPTED else [word])

    # Ranking

    def _alternatives(self, node: Node) -> Word:
        query = self._node(node)
        return Word(write([Clause(node)]), silent(query), tuple(self._score(node)), self._terms.count(query))

    def _score(self, node: Node) -> list[Query]:
        """Return what ranks papers by a node; fields that name a thing narrow and don't rank."""
        match node:
            case AnyOf() | AllOf():
                return [query for inner in node.nodes for query in self._score(inner)]
            case Words(field=None | "title" | "abstract"):
                return [query for term in terms(node.text) for query in score_term(self._terms, term)]
            case Phrase(field=None | "title" | "abstract"):
                return [self._phrase(node)]
            case Words(field="text") | Phrase(field="text"):
                return [self._node(node)]
            case Sense():
                return list(self._sense(node.text, node.alternatives).scores)
            case _:
                return []

    def _exact_title(self, text: str) -> list[Query]:
        """Lift papers whose whole title was typed, alone or with words of its authors, venue or year."""
        of = self._terms
        tokens = title_key(text).split(" ")
        if not tokens[0] or len(tokens) > _LONGEST_TITLE:
            return []
        lifts: list[Query] = []
        for dropped in range(min(_MOST_AROUND + 1, len(tokens))):
            for start in range(dropped + 1):
                end = len(tokens) - (dropped - start)
                inner = tokens[start:end]
                key = " ".join(inner)
                if (dropped and len(inner) < 2) or not of.frequency("title_key", key):
                    continue
                around = [token for token in tokens[:start] + tokens[end:] if token not in STOP_WORDS]
                whole = all_of([of.one("title_key", key), *(of.one("meta", token) for token in around)])
                lifts.append(Query.const_score_query(whole, PINNED * (1 + len(inner))))
        return lifts


#: A field of the query language → the fields of the index that it looks in.
_FIELDS = {"title": ("title",), "abstract": ("text",), "keyword": ("topic_text",), "text": ("passages",)}

#: Fields that name a thing rather than hold words.
_NAMED: dict[str, Callable[[Compiler, str], Query]] = {
    "author": lambda compiler, text: compiler._terms.name(text),  # noqa: SLF001  part of this class
    "venue": Compiler._venue,  # noqa: SLF001  same
    "topic": Compiler._topic,  # noqa: SLF001  same
    "status": Compiler._status,  # noqa: SLF001  same
    "source": lambda compiler, text: compiler._terms.one("source", text.strip().lower()),  # noqa: SLF001  same
    "has": lambda compiler, text: compiler._terms.one("has", text.strip().lower()),  # noqa: SLF001  same
}


def _is_word(node: Node) -> bool:
    return isinstance(node, Words) and node.field is None


def _names_status(node: Node) -> bool:
    match node:
        case AnyOf() | AllOf():
            return any(_names_status(inner) for inner in node.nodes)
        case Words() | Phrase():
            return node.field == "status"
        case _:
            return False
