"""Which records describe one paper: keys to look under, evidence, verdicts, groups."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz import fuzz

from lunwen.corpus import markup
from lunwen.corpus.identifier import EXCLUSIVE, STRONG, Identifier, identifiers_in
from lunwen.corpus.name import fold_name, is_anonymous, name_key
from lunwen.corpus.paper import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.paper import Author, Record

__all__ = ["Identifier", "Likeness", "Verdict", "authors_key", "identifiers_in", "keys_of",
           "new_paper_id", "paper_ids", "same", "title_key"]  # fmt: skip

LISTED = 10  # authors that a listing names before it cuts the list
CERTAIN = 1000.0  # the strength of a shared identifier
_SAME_ABSTRACT = 90.0  # of 100: one abstract, edited
_WEAKEST = 1.0  # the strength of authors without an abstract: any other evidence comes first
LISTED_ABSTRACT = 80.0  # the same for a record without title, whose authors already agree
_LIKE_ABSTRACT = 65.0
_LIKE_TITLE = 80.0
_PLACEHOLDERS = frozenset(  # titles that name no paper
    re.split(
        " ",
        "withdrawn withdrawnsubmission null none untitled title tba tbd na preface foreword editorial "
        "abstract abstracts introduction contents index tableofcontents authorindex frontmatter anonymous "
        "deskrejected "
        "guesteditorial erratum corrigendum bookreview bookreviews",
    )
)
_UNPUBLISHED = (Status.PREPRINT, Status.REJECTED, Status.WITHDRAWN)
_ASCII = str.maketrans({chr(code): None for code in range(128) if not chr(code).isalnum()})
_SAFE = re.compile(r"[A-Za-z0-9._-]{1,80}")


class Likeness(IntEnum):
    """How alike two records are."""

    DIFFERENT = 0
    MAYBE = 1
    SAME = 2


class Verdict(NamedTuple):
    """Whether two records are one paper, and why."""

    likeness: Likeness
    why: str
    strength: float = 0.0  # of two SAME the stronger is believed first


def fold(text: str) -> str:
    """Letters and digits only, without case and accents."""
    if text.isascii():
        return text.lower().translate(_ASCII)
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join([letter for letter in text if letter.isalnum()])


def title_key(title: str) -> str:
    """The title's letters and digits; empty for placeholders such as "Withdrawn"."""
    if "$" in title or "\\" in title:
        title = markup.plain(title)
    key = fold(title)
    return "" if key in _PLACEHOLDERS else key


def authors_key(authors: Sequence[Author]) -> str:
    """The first ten authors, folded, in no order; empty where nobody is named."""
    keys = [name_key(author.name) for author in authors[:LISTED] if not is_anonymous(author.name)]
    return "|".join(sorted(keys))


def keys_of(record: Record) -> list[tuple[str, str]]:
    """The (kind, key) under which records of the same paper are looked for, besides identifiers."""
    found = []
    if record.title and (title := title_key(record.title)):
        found.append(("title", title))
    if authors := authors_key(record.authors):
        found.append(("authors", authors))
    if event := record.identifiers.get("event"):
        found.append(("number", event.rsplit("-", 1)[-1]))
    return found


def is_bare_event(scheme: str, value: str) -> bool:
    """Whether it is an event's number without its conference, which alone names no paper."""
    return scheme == "event" and value.isdigit()


class Evidence:
    """What of a record speaks for or against being the same paper as another."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.titled = bool(record.title)
        self.ids = {
            (scheme, value)
            for scheme, value in record.identifiers.items()
            if scheme in STRONG and not is_bare_event(scheme, value)
        }
        event = record.identifiers.get("event", "")
        self.bare_event = event if event.isdigit() else ""

    @cached_property
    def title(self) -> str:
        """The title's key."""
        return title_key(self.record.title) if self.record.title else ""

    @cached_property
    def keys(self) -> list[str]:
        """The keys of the authors' names."""
        return [name_key(author.name) for author in self.record.authors if not is_anonymous(author.name)]

    @cached_property
    def folds(self) -> list[frozenset[str]]:
        """The authors' names, folded."""
        return [fold_name(author.name) for author in self.record.authors if not is_anonymous(author.name)]

    @cached_property
    def abstracts(self) -> frozenset[str]:
        """The folded abstract, to which a group adds those of records known to be the same paper."""
        return frozenset({fold(self.record.abstract)} if self.record.abstract else ())

    def likeness(self, other: Evidence, cutoff: float = 0.0) -> float:
        """How alike the abstracts are, of 100; below ``cutoff`` 0."""
        pairs = ((a, b) for a in self.abstracts for b in other.abstracts)
        return max((fuzz.ratio(a, b, score_cutoff=cutoff) for a, b in pairs), default=0.0)

    def shared_ids(self, other: Evidence) -> set[tuple[str, str]]:
        """The identifiers of both; a program's hash only where title or authors do not speak against it.

        Programs hash the number of a submission, which conference and journal track both count from 1.
        """
        shared = self.ids & other.ids
        if shared and all(scheme == "uid" for scheme, _ in shared):
            alien = self.titled and other.titled and self.title != other.title
            if alien and self.keys and other.keys and not self.shared_authors(other):
                return set()
        return shared

    def order(self) -> tuple[str, ...]:
        """A place among others which does not depend on when it was imported."""
        record = self.record
        ids = [f"{scheme}:{value}" for scheme, value in sorted(self.ids)]
        names = "|".join(self.keys)
        return (
            self.title,
            record.key,
            *ids,
            str(record.venue),
            str(record.year),
            names,
            record.abstract or "",
        )

    def shared_authors(self, other: Evidence) -> int:
        """How many of the shorter list the other list names too."""
        few, many = (self, other) if len(self.keys) <= len(other.keys) else (other, self)
        keys, folds = set(many.keys), set(many.folds)
        return sum(key in keys or folded in folds for key, folded in zip(few.keys, few.folds, strict=True))


def same(a: Record, b: Record) -> Verdict:
    """Whether two records describe one paper.

    A shared identifier says yes, a program's hash only where not both title and authors differ. Two
    OpenReview ids (ACL ids, DOIs …) within one venue and year say no. Otherwise yes where the title is the
    same, at least half of the shorter list of authors (or the first author) too, and the years are at most
    one apart; or where all authors are the same and so is nearly all of the abstract, whatever the title,
    unless both appeared at venues of their own. A title alone is never enough.
    """
    return judge(Evidence(a), Evidence(b))


def judge(a: Evidence, b: Evidence) -> Verdict:
    """The verdict of ``same`` on evidence that is at hand."""
    if shared := a.shared_ids(b):
        return Verdict(Likeness.SAME, f"the same {min(shared)[0]} id", CERTAIN)
    if scheme := conflict(a, b):
        return Verdict(Likeness.DIFFERENT, f"two {scheme} ids in one venue and year")
    if not (a.titled and b.titled):
        return _judge_untitled(a, b)
    smaller = min(len(a.keys), len(b.keys))
    shared_authors = a.shared_authors(b) if smaller else 0
    if a.title and a.title == b.title:
        verdict = _judge_titles(a, b, shared_authors)
        if verdict.likeness is Likeness.SAME:
            return verdict
    else:
        verdict = Verdict(Likeness.DIFFERENT, "another title")
    if len(a.keys) == len(b.keys) == shared_authors and shared_authors > 1:
        return _judge_abstracts(a, b, verdict)
    return verdict


def _judge_titles(a: Evidence, b: Evidence, shared_authors: int) -> Verdict:
    """Two records of one title."""
    smaller = min(len(a.keys), len(b.keys))
    if not smaller:
        if at_one_venue(a, b):
            return Verdict(Likeness.SAME, "the same title, venue and year", 400)
        return Verdict(Likeness.DIFFERENT, "the same title, but authors are missing")
    if not (shared_authors * 2 >= smaller or a.folds[0] == b.folds[0]):
        return Verdict(Likeness.DIFFERENT, "the same title by other authors")
    years = (a.record.year, b.record.year)
    if None in years or abs((years[0] or 0) - (years[1] or 0)) <= 1:
        return Verdict(Likeness.SAME, "the same title and authors", 500)
    return Verdict(Likeness.MAYBE, "the same title and authors, in another year")


def _judge_abstracts(a: Evidence, b: Evidence, verdict: Verdict) -> Verdict:
    """Two records of the same authors."""
    alike = a.likeness(b, cutoff=_LIKE_ABSTRACT)
    if alike >= _SAME_ABSTRACT and not _are_two_publications(a, b):
        return Verdict(Likeness.SAME, "the same authors and abstract", 100 + alike)
    if alike:
        return Verdict(Likeness.MAYBE, "the same authors and a similar abstract")
    words = fuzz.token_set_ratio if at_one_venue(a, b) and not (a.abstracts and b.abstracts) else fuzz.ratio
    titled = a.title and b.title  # neither is a placeholder
    if titled and words(_words(a.record.title), _words(b.record.title)) >= _LIKE_TITLE:
        return max(verdict, Verdict(Likeness.MAYBE, "the same authors and a similar title"))
    return verdict


def _are_two_publications(a: Evidence, b: Evidence) -> bool:
    """Whether both appeared, in proceedings of two venues or years."""
    places = {(one.record.venue, one.record.year) for one in (a, b)}
    return len(places) > 1 and all(
        one.record.venue not in (None, "arXiv") and one.record.year and one.record.status not in _UNPUBLISHED
        for one in (a, b)
    )


def _judge_untitled(a: Evidence, b: Evidence) -> Verdict:
    """A listing's record, which may name the first ten authors only, and another."""
    few, many = (a, b) if not a.titled else (b, a)
    authors = few.keys and few.shared_authors(many) == len(few.keys)
    cut = len(few.keys) == LISTED
    if not authors or not (len(few.keys) == len(many.keys) or (cut and len(many.keys) > LISTED)):
        return Verdict(Likeness.DIFFERENT, "other authors")
    alike = a.likeness(b, cutoff=LISTED_ABSTRACT)
    if alike:
        return Verdict(Likeness.SAME, "the same authors and abstract", alike)
    if few.abstracts and not many.abstracts and _is_one_team(few, many):
        return Verdict(Likeness.SAME, "the same authors, of a paper whose abstract is not known", _WEAKEST)
    return Verdict(Likeness.DIFFERENT, "another abstract")


def _is_one_team(a: Evidence, b: Evidence) -> bool:
    """Whether two equal lists of authors are long enough to name one paper: shorter ones by their topic."""
    topics = {one.record.topic for one in (a, b)}
    authors = min(len(a.keys), len(b.keys))
    return authors > 2 if () in topics else authors > 1 and len(topics) == 1


def at_one_venue(a: Evidence, b: Evidence) -> bool:
    """Whether both are of one known venue and year."""
    return bool(a.record.venue and a.record.year) and (
        (a.record.venue, a.record.year) == (b.record.venue, b.record.year)
    )


def _words(title: str | None) -> str:
    return re.sub(r"\W+", " ", (title or "").casefold())


def conflict(a: Evidence, b: Evidence) -> str | None:
    """The scheme by which two records are two papers of one venue and year."""
    if not at_one_venue(a, b):
        return None
    mine, theirs = a.record.identifiers, b.record.identifiers
    return next((s for s in EXCLUSIVE if s in mine and s in theirs and mine[s] != theirs[s]), None)


def new_paper_id(record: Record, source: str = "") -> str:
    """The first choice of ``paper_ids``."""
    return next(paper_ids(record, source))


def own_id(record: Record, source: str) -> str | None:
    """The paper_id that the record brings with it."""
    return record.key if source in OWN and _SAFE.fullmatch(record.key) else None


def paper_ids(record: Record, source: str = "") -> Iterator[str]:
    """Ids for a new paper, best first, without end: its own, else one from what names it elsewhere."""
    if (own := own_id(record, source)) is not None:
        yield own
    place = f"{record.venue or ''}{record.year or ''}".lower()
    place = re.sub(r"[^a-z0-9]+", "", place) or "paper"
    ids = record.identifiers
    if "acl" in ids and _SAFE.fullmatch(ids["acl"]):
        chosen = ids["acl"]
    elif "openreview" in ids and _SAFE.fullmatch(f"{place}-{ids['openreview']}"):
        chosen = f"{place}-{ids['openreview']}"
    elif "arxiv" in ids and _SAFE.fullmatch(arxiv := f"arxiv-{ids['arxiv'].replace('/', '-')}"):
        chosen = arxiv
    else:
        names = [name_key(author.name) for author in record.authors[:1]]
        said = "|".join([title_key(record.title or "") or record.key, *names, str(record.year)])
        digest = hashlib.sha256(said.encode("utf-8", "replace")).digest()
        chosen = f"{place}-{base64.b32encode(digest).decode()[:10].lower()}"
    yield chosen
    number = 2
    while True:
        yield f"{chosen}-{number}"
        number += 1


#: Sources whose records bring the paper_id with them as their key.
OWN = frozenset({"catalogue", "jsonl", "table"})
