"""Records sorted into papers; the same whatever their order."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.identity import LISTED_ABSTRACT, Evidence, Likeness, Verdict, conflict, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.corpus.paper import Record


class Group(NamedTuple):
    """Records sorted into papers, as places in the sequence given."""

    papers: list[list[int]]
    waiting: list[int]  # without a title, and no paper among these is theirs
    maybe: list[tuple[int, int, str]]  # of two papers that may be one, a record each, and why


def group(records: Sequence[Record]) -> Group:
    """Sort records into papers.

    Shared identifiers join first, then the strongest verdicts, unless two of the records thus joined
    contradict each other. A record without a title joins the one paper it describes best.
    """
    evidence = [Evidence(record) for record in records]
    clusters = _Clusters(evidence)
    for i, j in combinations(range(len(records)), 2):
        if evidence[i].shared_ids(evidence[j]):
            clusters.join(i, j)
    for place in range(len(records)):
        if (event := _find_event(evidence, place)) is not None:
            clusters.join(place, event)
    if clusters.is_one():
        return clusters.result({})
    order = sorted(range(len(records)), key=lambda place: evidence[place].order())
    clusters.share_abstracts()
    verdicts = {
        (i, j): judge(evidence[i], evidence[j])
        for i, j in combinations(order, 2)
        if not clusters.are_one(i, j)
    }
    # sorted() is stable: verdicts of one strength stay in the order of the records
    alike = [(pair, verdict) for pair, verdict in verdicts.items() if verdict.likeness is Likeness.SAME]
    for (i, j), _ in sorted(alike, key=lambda entry: -entry[1].strength):
        if clusters.may_join(i, j):
            clusters.join(i, j)
    return clusters.result(verdicts)


class _Clusters:
    """Places joined so far."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._evidence = evidence
        self._of = [[place] for place in range(len(evidence))]

    def join(self, i: int, j: int) -> None:
        if self._of[i] is not self._of[j]:
            self._of[i].extend(self._of[j])
            for place in self._of[j]:
                self._of[place] = self._of[i]

    def is_one(self) -> bool:
        return all(places is self._of[0] for places in self._of)

    def are_one(self, i: int, j: int) -> bool:
        return self._of[i] is self._of[j]

    def share_abstracts(self) -> None:
        """Let a program's event speak with the abstract that came in a file of its own."""
        for places in self._of:
            if len(places) > 1:
                shared = frozenset(text for place in places for text in self._evidence[place].abstracts)
                for place in places:
                    self._evidence[place].abstracts = shared

    def may_join(self, i: int, j: int) -> bool:
        ours, theirs = self._of[i], self._of[j]
        if ours is theirs:
            return False
        if not (self._evidence[i].titled and self._evidence[j].titled):
            # a record without title goes to one paper: it neither ties two together nor two of its kind
            titled, untitled = (ours, theirs) if self._is_titled(ours) else (theirs, ours)
            return (
                not self._is_titled(untitled)
                and self._is_titled(titled)
                and self._may_be_abstract(i, j, titled)
            )
        return not any(conflict(self._evidence[x], self._evidence[y]) for x in ours for y in theirs)

    def _may_be_abstract(self, i: int, j: int, titled: Sequence[int]) -> bool:
        """Whether the one of i and j without title has the abstract of a paper, or the paper has none yet."""
        listed = self._evidence[j if self._evidence[i].titled else i]
        known = [
            self._evidence[x] for x in titled if self._evidence[x].titled and self._evidence[x].abstracts
        ]
        return not known or any(one.likeness(listed, cutoff=LISTED_ABSTRACT) for one in known)

    def _is_titled(self, places: Sequence[int]) -> bool:
        return any(self._evidence[place].titled for place in places)

    def result(self, verdicts: dict[tuple[int, int], Verdict]) -> Group:
        clusters = {id(places): sorted(places) for places in self._of}.values()
        maybe: dict[frozenset[int], tuple[int, int, str]] = {}
        for (i, j), verdict in verdicts.items():
            apart = self._of[i] is not self._of[j] and self._evidence[i].titled and self._evidence[j].titled
            if apart and verdict.likeness is not Likeness.DIFFERENT:
                maybe.setdefault(frozenset((id(self._of[i]), id(self._of[j]))), (i, j, verdict.why))
        return Group(
            papers=sorted(places for places in clusters if self._is_titled(places)),
            waiting=sorted(place for places in clusters if not self._is_titled(places) for place in places),
            maybe=list(maybe.values()),
        )


def _find_event(evidence: Sequence[Evidence], place: int) -> int | None:
    """Where the one event is whose number this record gives without its conference."""
    number = evidence[place].bare_event
    if not number:
        return None
    named = {
        value: other
        for other, one in enumerate(evidence)
        for scheme, value in one.ids
        if scheme == "event" and value.rsplit("-", 1)[-1] == number
    }
    return next(iter(named.values())) if len(named) == 1 else None
