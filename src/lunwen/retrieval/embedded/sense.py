"""Terms across languages → what matches and scores them.

A Chinese term of a query matches its English alternatives or the Chinese itself; an English query also
matches what its terms are called in Chinese.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tantivy import Occur, Query

from lunwen.retrieval.analysis import STOP_WORDS, terms
from lunwen.retrieval.embedded.bag import Bag, Word
from lunwen.retrieval.embedded.term import all_of, any_of, boost, silent
from lunwen.retrieval.node import Words

if TYPE_CHECKING:
    from lunwen.retrieval.chinese.glossary import Alternatives
    from lunwen.retrieval.embedded.term import Terms

__all__ = ["in_chinese", "sense_word"]

# Measured on icml2026-zh (benchmarks/chinese.py): the best alternative counts, and a little of the others,
# since a paper that says it in two ways is about it; the words of an alternative in a row count more.
OTHERS_WEIGHT = 0.2
PHRASE_WEIGHT = 0.5
_FIELDS = ("text", "meta")
_FREQUENT = "的学模型方法"  # a library with Chinese text has one of these characters


def sense_word(of: Terms, zh: str, alternatives: Alternatives) -> Word:
    """Return one word of the bag for a Chinese term.

    A paper matches with all words of any alternative, or with the Chinese; it scores the best of weight × the
    alternative's score.
    """
    options = [_score(of, english, weight) for english, weight in alternatives]
    matches = [_match(of, english) for english, _ in alternatives]
    for term in terms(zh):
        chinese = of.sequence("text", term.parts)
        options.append(chinese)
        matches.append(chinese)
    found = any_of(matches)
    best = Query.disjunction_max_query(options, OTHERS_WEIGHT) if len(options) > 1 else any_of(options)
    return Word(zh, silent(found), (best,), of.count(found))


def in_chinese(of: Terms, text: str) -> tuple[Query, ...]:
    """Return for each English term of a text what matches it in Chinese.

    Nothing where the library has no Chinese, or where a word has none: half a query would match too much.
    """
    if not text.isascii() or not any(of.frequency("text", character) for character in _FREQUENT):
        return ()
    from lunwen.retrieval.chinese.english import find_chinese  # noqa: PLC0415  only where there is Chinese

    found = find_chinese(text)
    said = {part for english, _ in found for term in terms(english) for part in term.parts}
    if not all(said.issuperset(term.parts) for term in terms(text) if term.text.lower() not in STOP_WORDS):
        return ()
    return tuple(any_of([of.sequence("text", _characters(zh)) for zh in chinese]) for _, chinese in found)


def _characters(chinese: str) -> list[str]:
    return [part for term in terms(chinese) for part in term.parts]


def _match(of: Terms, english: str) -> Query:
    return all_of([of.spellings(term, _FIELDS) for term in terms(english)])


def _score(of: Terms, english: str, weight: float) -> Query:
    scores = Bag(of, [Words(english)], english, ()).scores
    tokens = [part for term in terms(english) for part in term.parts]
    if len(tokens) > 1:
        scores.append(boost(of.sequence("text", tokens), PHRASE_WEIGHT))
    return boost(Query.boolean_query([(Occur.Should, score) for score in scores]), weight)
