"""One author with all their papers: found by id or name, and who else it may be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.author import (
    Group,
    Mention,
    group_mentions,
    id_key,
    ids_of,
    is_initials,
    name_key,
    names_of,
    orcid_of,
    read_name_key,
    slug,
    why_maybe,
)
from lunwen.corpus.name import name_parts
from lunwen.corpus.paper import Author

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lunwen.corpus.author import Words
    from lunwen.corpus.paper import Paper

ROUNDS = 8  # how often names lead to ids and ids to names; nobody has more names than that
MAYBE_SHOWN = 20  # people who may be the same, those with most papers first


class People(NamedTuple):
    """Where the papers of people are.

    Attributes:
        papers_of: the papers with an author of any of these keys, at most so many where a number is given.
        keys_begun: the keys that begin so, each with how many papers it has.
    """

    papers_of: Callable[[Sequence[str], int | None], list[Paper]]
    keys_begun: Callable[[str], Sequence[tuple[str, int]]]


class Namesake(NamedTuple):
    """Somebody who may be the same person, and why."""

    author_id: str
    name: str
    papers: int
    why: str


class CoAuthor(NamedTuple):
    """Somebody who wrote papers with a person, and how many."""

    author_id: str
    name: str
    papers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One author with all papers that are known to be theirs.

    Attributes:
        author_id: the ORCID; else the name as a slug; else, where a source tells people of one name apart,
            what it calls this one.
        name: as most of the papers spell it.
        orcid: the ORCID, where a source says it.
        spellings: how else papers spell it, the most used first.
        source_ids: what sources call this person.
        papers: all but the hidden ones, newest first.
        hidden: how many more were rejected or withdrawn.
        coauthors: those of ``papers``, the most frequent first.
        venues: where how many of ``papers`` appeared, the most frequent first.
        maybe_same: other people who may be this one, those with most papers first.
    """

    author_id: str
    name: str
    orcid: str | None = None
    spellings: tuple[str, ...] = ()
    source_ids: tuple[str, ...] = ()
    papers: tuple[Paper, ...] = ()
    hidden: int = 0
    coauthors: tuple[CoAuthor, ...] = ()
    venues: Mapping[str, int]
    maybe_same: tuple[Namesake, ...] = ()


def find_person(text: str, people: People) -> Person | None:
    """Return the author of an ORCID, a source id, a slug or a name; None where no paper has one.

    A name that ids give to several people means those of its papers that have no id.
    """
    text = text.strip()
    wanted, words = orcid_of(text) or text, name_parts(text)
    groups = group_mentions(_gather(id_key(wanted), people))
    having = [group for group in groups if wanted in group.ids]
    chosen = max(having, key=lambda group: len(group.mentions), default=None)
    if chosen is None and words:
        groups = group_mentions(_gather(name_key(words), people))
        chosen = _choose(groups, words)
    return _describe(chosen, groups, people) if chosen else None


def closest(text: str, people: People) -> list[str]:
    """Return names close to one that no paper has, those with most papers first."""
    words = name_parts(text)
    if len(words) == 1:
        found = dict(people.keys_begun(f"{name_key(words)}"))
    else:
        found = {
            key: papers
            for key, papers in (_near(words, people) if words else ())
            if why_maybe(words, read_name_key(key))
        }
    keys = sorted(found, key=lambda key: (-found[key], key))
    return [_spelling_of(key, people) for key in keys[:3]]


def _gather(key: str, people: People) -> list[Mention]:
    """Return the mentions that a key leads to, and those that their ids and full names lead to."""
    papers: dict[str, Paper] = {}
    asked: set[str] = set()
    keys = {key}
    found: list[Mention] = []
    for _ in range(ROUNDS):
        papers |= {paper.paper_id: paper for paper in people.papers_of(sorted(keys - asked), None)}
        asked |= keys
        found = [
            Mention(paper, author)
            for paper in papers.values()
            for author in paper.authors
            if _keys_of(author) & asked
        ]
        ids = {id_key(one) for mention in found for one in ids_of(mention.author)}
        identified = [mention.author for mention in found if ids_of(mention.author)]
        names = {words for author in identified for words in names_of(author) if not is_initials(words)}
        keys = ids | {name_key(words) for words in names}
        if keys <= asked:
            break
    return found


@lru_cache(maxsize=65_536)
def _keys_of_name(name: str) -> frozenset[str]:
    return frozenset(name_key(words) for words in names_of(Author(name=name)))


def _keys_of(author: Author) -> frozenset[str]:
    ids = ids_of(author)
    if not ids and not author.variants:
        return _keys_of_name(author.name)
    return frozenset([*map(id_key, ids), *map(name_key, names_of(author))])


def _choose(groups: Sequence[Group], words: Words) -> Group | None:
    """Return whom a name means: the only one who has it, or those of its papers that nobody is known for."""
    named = [group for group in groups if words in group.names]
    if len(named) < 2:
        return named[0] if named else None
    return next((group for group in named if not group.ids), Group([], (), (words,)))


def _describe(chosen: Group, groups: Sequence[Group], people: People) -> Person:
    papers = {mention.paper.paper_id: mention.paper for mention in chosen.mentions}
    shown = sorted(
        (paper for paper in papers.values() if paper.status.shown), key=lambda paper: paper.paper_id
    )
    shown.sort(key=lambda paper: (paper.year or 0, paper.date or ""), reverse=True)
    spellings = _spellings(chosen) or _spellings(next(one for one in groups if one.names & chosen.names))
    venues = Counter(paper.venue for paper in shown if paper.venue)
    return Person(
        author_id=_id_of(chosen, groups),
        name=spellings[0],
        orcid=chosen.orcid,
        spellings=tuple(spellings[1:]),
        source_ids=tuple(sorted(one for one in chosen.ids if not orcid_of(one))),
        papers=tuple(shown),
        hidden=len(papers) - len(shown),
        coauthors=_coauthors(chosen),
        venues=dict(sorted(venues.items(), key=lambda pair: (-pair[1], pair[0]))),
        maybe_same=_maybe_same(chosen, groups, people),
    )


def _spellings(group: Group) -> list[str]:
    """Return the names as written, the most used first, those in another script last."""
    counted = Counter(mention.author.name for mention in group.mentions)
    names = sorted(counted, key=lambda name: (-counted[name], name))
    return list(dict.fromkeys([*names, *(one for held in group.mentions for one in held.author.variants)]))


def _id_of(group: Group, groups: Sequence[Group]) -> str:
    if group.orcid and group is _owner(group.orcid, groups):
        return group.orcid
    name = slug(_spellings(group)[0]) if group.mentions else "-".join(min(group.names))
    alone = sum(name_parts(name) in one.names for one in groups) <= 1
    return name if alone or not group.ids else min(group.ids)


def _owner(orcid: str, groups: Sequence[Group]) -> Group:
    """Return who has an ORCID that a source also gave to somebody else: who has it most often."""
    return max((one for one in groups if orcid in one.ids), key=lambda one: len(one.mentions))


def _coauthors(group: Group) -> tuple[CoAuthor, ...]:
    """Return who else wrote these papers; somebody's ORCID counts where the name has just one."""
    papers: Counter[str] = Counter()
    names: dict[str, Counter[str]] = {}
    orcids: dict[str, set[str]] = {}
    own: dict[str, list[Author]] = {}
    for paper, author in group.mentions:
        own.setdefault(paper.paper_id, []).append(author)
    for paper in {paper.paper_id: paper for paper, _ in group.mentions if paper.status.shown}.values():
        others = {slug(one.name): one for one in paper.authors if one not in own[paper.paper_id]}
        others.pop("", None)
        papers.update(others.keys())
        for name, one in others.items():
            names.setdefault(name, Counter())[one.name] += 1
            orcids.setdefault(name, set()).update(filter(None, [orcid_of(one.orcid)]))
    return tuple(
        CoAuthor(next(iter(orcids[name])) if len(orcids[name]) == 1 else name, _commonest(names[name]), count)
        for name, count in sorted(papers.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def _commonest(counted: Counter[str]) -> str:
    return min(counted, key=lambda name: (-counted[name], name))


def _maybe_same(chosen: Group, groups: Sequence[Group], people: People) -> tuple[Namesake, ...]:
    found = [
        Namesake(
            _id_of(group, groups),
            _spellings(group)[0],
            len({mention.paper.paper_id for mention in group.mentions}),
            _why_apart(chosen, group),
        )
        for group in groups
        if group is not chosen and group.mentions and (group.names & chosen.names or group.ids & chosen.ids)
    ]
    known = {name_key(words) for group in groups for words in group.names}
    near: dict[str, tuple[int, str]] = {}
    for mine in chosen.names:
        for key, papers in _near(mine, people):
            if key not in known and (why := why_maybe(mine, read_name_key(key))):
                near[key] = (papers, why)
    for key, (papers, why) in sorted(near.items(), key=lambda pair: (-pair[1][0], pair[0]))[:MAYBE_SHOWN]:
        spelled = _spelling_of(key, people)
        found.append(Namesake(slug(spelled), spelled, papers, why))
    return tuple(sorted(found, key=lambda one: (-one.papers, one.author_id))[:MAYBE_SHOWN])


def _why_apart(one: Group, other: Group) -> str:
    if one.ids & other.ids:
        return "another name with the same id"
    return "the same name, another id" if one.ids and other.ids else "the same name; no id says who"


def _near(words: Words, people: People) -> Iterable[tuple[str, int]]:
    """Yield the keys of names that may be the same, and others."""
    for turned in {(*words[1:], words[0]), (words[-1], *words[:-1])} - {words}:
        key = name_key(turned)
        yield from (pair for pair in people.keys_begun(key) if pair[0] == key)
    if len(words) > 1:
        yield from people.keys_begun(name_key((words[0][0], words[-1])))


def _spelling_of(key: str, people: People) -> str:
    for paper in people.papers_of([key], 1):
        for author in paper.authors:
            if key in _keys_of(author):
                return author.name
    return " ".join(read_name_key(key))
