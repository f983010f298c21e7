"""Who an author is: the keys a name is found under, and which names on which papers are one person; pure."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lunwen.corpus.name import is_anonymous, name_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lunwen.corpus.paper import Author, Paper

_ORCID = re.compile(r"(?:https?://)?(?:www\.)?(?:orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.IGNORECASE)
_SITES = (  # the ids of one site are told from those of another by their form
    ("openreview", re.compile(r"~.+")),
    ("dblp", re.compile(r"[a-z0-9]+/[A-Za-z0-9-]+")),
    ("dblp name", re.compile(r".+ \d{4}")),
)


#: A folded name: its parts in order.
Words: TypeAlias = tuple[str, ...]


class Mention(NamedTuple):
    """One author of one paper."""

    paper: Paper
    author: Author


class Group:
    """Mentions that are one person."""

    def __init__(self, mentions: Sequence[Mention], ids: Iterable[str], names: Iterable[Words]) -> None:
        self.mentions = list(mentions)
        self.ids = frozenset(ids)
        self.names = frozenset(names)

    @property
    def orcid(self) -> str | None:
        """The person's ORCID."""
        return next((one for one in sorted(self.ids) if orcid_of(one)), None)

    def join(self, others: Sequence[Group]) -> Group:
        """Return all of them as one."""
        groups = [self, *others]
        return Group(
            [one for group in groups for one in group.mentions],
            frozenset[str]().union(*(group.ids for group in groups)),
            frozenset[Words]().union(*(group.names for group in groups)),
        )


def orcid_of(text: str | None) -> str | None:
    """The ORCID that ``text`` is, or is a URL of; None where it is none."""
    found = _ORCID.fullmatch(text.strip()) if text else None
    return found[1].upper() if found else None


def ids_of(author: Author) -> frozenset[str]:
    """What names an author beyond the name: ORCID and source id; a bare number names nobody."""
    if author.orcid is None and author.author_id is None:
        return frozenset()
    ids = (orcid_of(author.orcid), author.author_id)
    return frozenset(one for one in ids if one and not one.isdecimal())


def names_of(author: Author) -> Iterator[Words]:
    """An author's names in every script, folded; none where the name is hidden."""
    for name in (author.name, *author.variants):
        if not is_anonymous(name) and (words := name_parts(name)):
            yield words


def id_key(one: str) -> str:
    """The key under which the papers of an ORCID or a source id are found."""
    return f"id {one}"


def name_key(words: Words) -> str:
    """The key of a name, its last part first: names that may be one person's stand beside each other."""
    return f"name {words[-1]}, {' '.join(words[:-1])}"


def read_name_key(key: str) -> Words:
    """The folded name of a ``name_key``."""
    last, _, before = key.removeprefix("name ").partition(", ")
    return (*before.split(), last)


def keys_of(paper: Paper) -> list[str]:
    """All keys of a paper's authors, each once."""
    keys: dict[str, None] = {}
    for author in paper.authors:
        keys |= dict.fromkeys(name_key(words) for words in names_of(author))
        keys |= dict.fromkeys(id_key(one) for one in ids_of(author))
    return list(keys)


@lru_cache(maxsize=65_536)
def slug(name: str) -> str:
    """A name for a URL: its folded parts, joined by hyphens; empty where the name is hidden."""
    return "" if is_anonymous(name) else "-".join(name_parts(name))


def author_id(author: Author) -> str:
    """An id that leads to an author, from what one paper says: the ORCID, else the slug; "" for nobody."""
    return orcid_of(author.orcid) or slug(author.name)


def group_mentions(mentions: Iterable[Mention]) -> list[Group]:
    """Sort mentions into people.

    First those with one id, unless that would make one person of two ORCIDs, or of two names without a part
    in common: sources give ids to the wrong one of a paper's authors. Then, name by name, those who
    share a full name, unless ids of one site or two ORCIDs say that several people have it: then those
    without any id stay apart, as one person. Initials alone join only what has no id.
    """
    groups = _group_by_id(_bundle(mentions))
    for words in sorted({words for group in groups for words in group.names}):
        sharing = [group for group in groups if words in group.names]
        bare = [group for group in sharing if not group.ids]
        joined = bare if is_initials(words) or _are_told_apart(sharing) else sharing
        if len(joined) > 1:
            groups = [group for group in groups if group not in joined]
            groups.append(joined[0].join(joined[1:]))
    return groups


def is_initials(words: Words) -> bool:
    """Whether a name is spelled out in its last part only."""
    return all(len(word) == 1 and word.isascii() for word in words[:-1])


def why_maybe(mine: Words, theirs: Words) -> str | None:
    """Why two different folded names may be one person's; None where nothing says so."""
    if sorted(mine) == sorted(theirs):
        return "the same name in another order"
    if mine[-1] != theirs[-1] or len(mine) == 1 or len(theirs) == 1:
        return None
    pairs = list(zip_longest(mine[:-1], theirs[:-1]))
    if not all(one is None or other is None or _fits(one, other) for one, other in pairs):
        return None
    short = any(one and other and one != other for one, other in pairs)
    return "the same name with initials" if short else "the same name without a middle name"


def _fits(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _bundle(mentions: Iterable[Mention]) -> list[Group]:
    """Mentions with the same ids and names, of which a person has few kinds, as groups to sort."""
    kinds: dict[tuple[frozenset[str], frozenset[Words]], list[Mention]] = {}
    for one in mentions:
        kinds.setdefault((ids_of(one.author), frozenset(names_of(one.author))), []).append(one)
    bundles = [Group(held, ids, names) for (ids, names), held in kinds.items()]
    return sorted(bundles, key=lambda one: (not one.orcid, sorted(one.ids), sorted(one.names)))


def _group_by_id(bundles: Iterable[Group]) -> list[Group]:
    groups: list[Group] = []
    for one in bundles:
        joined = one
        for group in list(groups):
            both = {*_orcids(group), *_orcids(joined)}
            if group.ids & joined.ids and len(both) <= 1 and _share_a_part(group, joined):
                groups.remove(group)
                joined = group.join([joined])
        groups.append(joined)
    return groups


def _share_a_part(one: Group, other: Group) -> bool:
    """Whether two people's names have a part in common, or are in two scripts and so could have none."""
    parts = [{part for words in group.names for part in words if len(part) > 1} for group in (one, other)]
    written = [any(part.isascii() for part in held) for held in parts]
    return bool(parts[0] & parts[1]) or written[0] != written[1]


def _orcids(group: Group) -> set[str]:
    return {one for one in group.ids if orcid_of(one)}


def _are_told_apart(groups: Sequence[Group]) -> bool:
    """Whether two of them have different ids at one site."""
    sites = Counter(site for group in groups for site in {_site(one) for one in group.ids})
    return any(count > 1 for count in sites.values())


def _site(one: str) -> str:
    if orcid_of(one):
        return "orcid"
    return next((site for site, form in _SITES if form.fullmatch(one)), "another")
