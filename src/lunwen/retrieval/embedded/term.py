"""A typed term → tantivy queries: every spelling in which the library may have it."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

from tantivy import FieldType, Occur, Query

from lunwen.retrieval.analysis import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tantivy import Schema, Searcher, SearchResult, TextAnalyzer

    from lunwen.retrieval.analysis import Term

_NAME_PARTS = 4  # so many parts of a name are tried in every order, more only turned around
_NAME_SLOP = 3  # middle names left out


class Terms:
    """Terms in one state of the index."""

    def __init__(self, schema: Schema, searcher: Searcher, stemmed: TextAnalyzer) -> None:
        self.schema = schema
        self.searcher = searcher
        self.stems = lru_cache(maxsize=8192)(lambda token: tuple(stemmed.analyze(token)))
        self.endings = lru_cache(maxsize=1024)(self._list_endings)
        self._halves = lru_cache(maxsize=8192)(self._find_halves)

    def frequency(self, field: str, value: str) -> int:
        """Return how many papers have a term."""
        return self.searcher.doc_freq(field, value)

    def count(self, query: Query) -> int:
        """Return how many papers a query finds."""
        return total(self.searcher.search(query, 1))

    def one(self, field: str, value: str) -> Query:
        """Match one term as the index has it."""
        return Query.term_query(self.schema, field, value)

    def one_of(self, field: str, values: Iterable[str]) -> Query:
        """Match any of the terms."""
        return any_of([self.one(field, value) for value in values])

    def above(self, field: str, number: int) -> Query:
        """Match what has a larger number."""
        most = 2**63 - 1
        return Query.range_query(self.schema, field, FieldType.Unsigned, number, most, include_lower=False)

    def sequence(self, field: str, tokens: Sequence[str]) -> Query:
        """Match tokens in a row in one field."""
        if field in ("meta", "author"):
            parts = [token.lower() for token in tokens]
        else:
            parts = [stem for token in tokens for stem in self.stems(token)]
        if not parts:
            return Query.empty_query()
        if len(parts) == 1:
            return self.one(field, parts[0])
        return Query.phrase_query(self.schema, field, list(parts))

    def spellings(self, term: Term, fields: Sequence[str]) -> Query:
        """Match a term in any spelling: its parts in a row, joined, split, or with umlauts written out."""
        options: list[Query] = []
        for field in fields:
            options.append(self.sequence(field, term.parts))
            if term.joined:
                options.append(self.sequence(field, [term.joined]))
            elif not term.cjk and field != "meta" and (halves := self._halves(term.parts[0])):
                options.append(self.sequence(field, halves))
            options += [self.sequence(field, variant.split()) for variant in term.variants]
        return any_of(options)

    def name(self, text: str) -> Query:
        """Match all parts of a name within one author's name, in any order."""
        found = terms(text)
        spellings = [[part for term in found for part in term.parts]]
        if any(term.variants for term in found):
            written = [(term.variants[0].split() if term.variants else term.parts) for term in found]
            spellings.append([part for parts in written for part in parts])
        options: list[Query] = []
        for parts in spellings:
            if len(parts) < 2:
                options += [self.one("author", part) for part in parts]
                continue
            turned = [[*parts[cut:], *parts[:cut]] for cut in range(len(parts))]
            orders: Iterable[Sequence[str]] = permutations(parts) if len(parts) <= _NAME_PARTS else turned
            # "Lei Lei": with slop, tantivy finds both in one Lei
            slop = _NAME_SLOP if len(set(parts)) == len(parts) else 0
            options += [
                Query.phrase_query(self.schema, "author", list(order), slop=slop)
                for order in dict.fromkeys(map(tuple, orders))
            ]
        return any_of(options)

    def _list_endings(self, field: str, beginning: str, limit: int) -> tuple[str, ...]:
        """Return the most common terms of a field that begin so."""
        return tuple(word for word, _ in self.searcher.terms_with_prefix(field, beginning, limit=limit))

    def _find_halves(self, word: str) -> tuple[str, ...]:
        """Return the two words as which the library also writes a joined one ("noninvasive")."""
        if not 6 <= len(word) <= 24 or not word.isascii():
            return ()
        best: tuple[str, ...] = ()
        most = 0
        for cut in range(3, len(word) - 2):
            halves = (word[:cut], word[cut:])
            if all(self.frequency("text", stem) for half in halves for stem in self.stems(half)):
                papers = self.count(self.sequence("text", halves))
                if papers > most:
                    best, most = halves, papers
        return best


def total(result: SearchResult) -> int:
    """Return how many papers a search found."""
    return int(result.count or 0)  # type: ignore[attr-defined]  # the stubs lack it


def boost(query: Query, factor: float) -> Query:
    """Weigh a query's score."""
    return query if factor == 1 else Query.boost_query(query, factor)


def silent(query: Query) -> Query:
    """Match without scoring."""
    return Query.const_score_query(query, 0.0)


def any_of(options: Sequence[Query]) -> Query:
    """Match at least one; nothing where there is none."""
    if not options:
        return Query.empty_query()
    return options[0] if len(options) == 1 else Query.boolean_query([(Occur.Should, q) for q in options])


def all_of(parts: Sequence[Query]) -> Query:
    """Match every one; everything where there is none."""
    if not parts:
        return Query.all_query()
    return parts[0] if len(parts) == 1 else Query.boolean_query([(Occur.Must, q) for q in parts])
