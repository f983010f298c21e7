"""Words that may be still unfinished → the titles and authors' names that they may become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tantivy import Query

from lunwen.retrieval.embedded.schema import title_key
from lunwen.retrieval.embedded.term import all_of, any_of

if TYPE_CHECKING:
    from lunwen.retrieval.embedded.term import Terms
    from lunwen.retrieval.engine import Begun, NameField

ENDINGS = 24  # words that an unfinished one may become, the most common
LONG = 6  # characters from which whole titles are looked for by how they begin; before, thousands begin so
STARTS = 100.0  # weight of a title that begins as typed: above any sum of words


def begun_query(terms: Terms, field: NameField, begun: Begun, limit: int) -> Query:
    """Match papers with all the words in a field; titles that begin as typed score highest."""

    def spell(word: str) -> Query:
        return terms.one_of(field, terms.stems(word) if field == "title" else (word,))

    parts = [spell(word) for word in begun.words]
    if begun.is_unfinished:
        longer = terms.endings("spell" if field == "title" else field, begun.words[-1], ENDINGS)
        # by a constant: else the rarest of what it may become would come first
        parts[-1] = Query.const_score_query(any_of([parts[-1], *map(spell, longer)]), 1.0)
    key = title_key(" ".join(begun.words))
    if field != "title" or len(key) < LONG:
        return all_of(parts)
    whole = terms.one_of("title_key", terms.endings("title_key", key, limit))
    return any_of([all_of(parts), Query.boost_query(whole, STARTS)])
