"""The bag of words of a query: which papers hold enough of it, and how it scores them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tantivy import Occur, Query

from lunwen.retrieval.analysis import STOP_WORDS, terms
from lunwen.retrieval.embedded.term import any_of, boost, silent
from lunwen.retrieval.node import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.retrieval.analysis import Term
    from lunwen.retrieval.embedded.term import Terms
    from lunwen.retrieval.node import Node

# Measured on the judged sets (docs/design.md, "How papers are ranked"): a word weighs more in a title, and
# two typed side by side weigh more where a paper has them so. A page of papers that hold every word is enough
# to ask for every word; else the rarest words count, as many as ten thousand postings hold, which loses
# nothing of what an OR of all words ranks.
TITLE_WEIGHT = 0.3
META_WEIGHT = 0.3
JOINED_WEIGHT = 0.3
PAIR_WEIGHT = 0.2
ACCENT_WEIGHT = 2.0
ENOUGH = 20
POSTINGS = 10_000
MAX_WORDS = 400  # a pasted abstract has 150
SAID = 8  # words that the reading names


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the bag: what matches it in any spelling, and what scores it."""

    label: str
    matches: Query
    scores: tuple[Query, ...]
    frequency: int


class Bag:
    """The distinct words of a query; function words are left out where others remain."""

    def __init__(self, terms_: Terms, nodes: Sequence[Node], text: str, alternatives: Sequence[Word]) -> None:
        self._terms = terms_
        plain = (node.text for node in nodes if isinstance(node, Words) and not node.field)
        self._found = [term for typed_text in plain for term in terms(typed_text)]
        typed = Counter(piece.parts for term in terms(text) for piece in _pieces(term))
        pieces = {piece.parts: piece for term in self._found for piece in _pieces(term)}
        kept = [piece for parts, piece in pieces.items() if " ".join(parts) not in STOP_WORDS]
        if not kept and not alternatives:
            kept = list(pieces.values())
        kept = kept[:MAX_WORDS]
        joins = self._joins(kept)
        words = [self._word(piece, typed[piece.parts] or 1, joins.get(piece.parts, ())) for piece in kept]
        self.words = [*alternatives, *words]

    @property
    def scores(self) -> list[Query]:
        """Return what ranks papers: each word, and neighbours side by side."""
        return [query for word in self.words for query in word.scores] + self._pairs()

    def require(self, required: Sequence[Query], without: Sequence[Query]) -> tuple[list[Query], str]:
        """Return what the bag asks of a paper, and a sentence where that is not every word.

        Filters never come in here: they must not change how many words are needed.
        """
        if len(self.words) < 2:
            return [word.matches for word in self.words], ""
        every = [(Occur.Must, silent(q)) for q in (*(word.matches for word in self.words), *required)]
        every += [(Occur.MustNot, q) for q in without]
        whole = self._terms.count(Query.boolean_query(every))
        if whole >= self._enough:
            return [word.matches for word in self.words], ""
        chosen: list[Word] = []
        postings = 0
        for word in sorted(self.words, key=lambda word: (word.frequency, word.label)):
            if word.frequency:
                chosen.append(word)
                postings += word.frequency
            if postings >= POSTINGS:
                break
        if not chosen:
            return [any_of([word.matches for word in self.words])], ""
        return [any_of([word.matches for word in chosen])], self._say(chosen, whole)

    def _say(self, chosen: Sequence[Word], whole: int) -> str:
        unknown = [word.label for word in self.words if not word.frequency]
        holding = ", ".join(word.label for word in chosen[:SAID]) + (" …" if len(chosen) > SAID else "")
        several = len(chosen) > 1
        if unknown:
            missing = ", ".join(unknown[:SAID])
            return f"no paper has {missing}; these have {'any of ' if several else ''}{holding}"
        few = "few papers have all words" if whole else "no paper has all words"
        return f"{few}; these have {'any of' if several else 'at least'} {holding}"

    @property
    def _enough(self) -> int:
        """How many papers with every word are enough: a page of them, fewer in a small library."""
        return min(ENOUGH, max(1, self._terms.searcher.num_docs // 200))

    def _word(self, term: Term, weight: int, joins: Sequence[str]) -> Word:
        of = self._terms
        stems = [stem for part in term.parts for stem in of.stems(part)]
        metas = [part for part in term.parts if of.frequency("meta", part)]
        if term.cjk:
            scores = [of.sequence("text", term.parts)]
        else:
            scores = [of.one("text", stem) for stem in stems]
            scores += [boost(of.one("title", stem), TITLE_WEIGHT) for stem in stems]
        scores += [boost(of.one("meta", part), META_WEIGHT) for part in metas]
        frequencies = [of.frequency("text", stem) for stem in stems]
        frequencies += [of.frequency("meta", part) for part in metas]
        if term.joined:
            scores += [boost(of.one("text", stem), JOINED_WEIGHT) for stem in of.stems(term.joined)]
            frequencies += [of.frequency("text", stem) for stem in of.stems(term.joined)]
        if term.accented:
            scores.append(boost(of.one("accent", term.accented), ACCENT_WEIGHT))
        frequencies += [of.frequency("text", stem) for stem in joins]
        matches = any_of([of.spellings(term, ("text", "meta")), *(of.one("text", stem) for stem in joins)])
        scores = [boost(query, float(weight)) for query in scores]
        return Word(term.text, matches, tuple(scores), max(frequencies, default=0))

    def _joins(self, found: Sequence[Term]) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Return for neighbours that the library also writes as one word ("data set") that word's stem."""
        joins: dict[tuple[str, ...], tuple[str, ...]] = {}
        for left, right in pairwise(found):
            if left.cjk or right.cjk or len(left.parts) != 1 or len(right.parts) != 1:
                continue
            for stem in self._terms.stems(left.parts[0] + right.parts[0]):
                if self._terms.frequency("text", stem):
                    for term in (left, right):
                        joins[term.parts] = (*joins.get(term.parts, ()), stem)
        return joins

    def _pairs(self) -> list[Query]:
        pairs: dict[tuple[str, ...], Query] = {}
        for left, right in pairwise(self._found[:MAX_WORDS]):
            parts = (*left.parts, *right.parts)
            if left.cjk or right.cjk or not STOP_WORDS.isdisjoint(parts):
                continue
            pairs[parts] = boost(self._terms.sequence("text", parts), PAIR_WEIGHT)
        return list(pairs.values())


def score_term(of: Terms, term: Term) -> tuple[Query, ...]:
    """Return what ranks papers by a required word."""
    return Bag(of, [Words(term.text)], term.text, ()).words[0].scores if term.parts else ()


def _pieces(term: Term) -> list[Term]:
    """Return a long run of Chinese as overlapping pairs of characters, any other term as it is."""
    if not term.cjk or len(term.parts) <= 2:
        return [term]
    kind = type(term)
    return [kind(left + right, (left, right), cjk=True) for left, right in pairwise(term.parts)]
