"""Which papers a batch of records makes, joins or changes, and the papers brought up to date."""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import orjson

from lunwen.corpus.codec import decode_record, encode_paper
from lunwen.corpus.grouping import group
from lunwen.corpus.identifier import STRONG
from lunwen.corpus.identity import own_id, paper_ids
from lunwen.corpus.merge import Sighting, merge
from lunwen.corpus.prepare import tokens_of
from lunwen.corpus.store import hash_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lunwen.corpus.paper import Record
    from lunwen.corpus.prepare import Prepared

#: A title or a list of authors that more records than this share says nothing about being one paper.
COMMON = 60

# Kinds of key which lead to a record only for a record of the other kind: an event's number for one that
# has nothing but the number, a single author's name for one without a title.
_FOUND_BY = {"number": "bare", "alone": "authors"}
_NAMED = {"bare": "number", "alone": "authors"}

_Token = tuple[str, str | int]


class Outcome(StrEnum):
    """What came of one record."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    WAITING = "waiting"


class _Held(NamedTuple):
    """A record in the library."""

    record: int
    paper: int | None
    source: str
    file: str
    imported: str
    value: Record
    gone: str


class Settlement:
    """Brings papers up to date with their records, within the transaction of ``db``."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        (self._seq,) = db.execute("SELECT coalesce(max(seq), 0) FROM papers").fetchone()
        (self._row,) = db.execute(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'papers'"
        ).fetchone()
        self._held: dict[int, _Held] = {}
        self._tokens: dict[int, list[_Token]] = {}
        self._sharing: dict[_Token, set[int]] = {}
        self._given: set[str] = set()  # paper_ids of this transaction

    def settle(self, new: Mapping[int, Prepared], again: Sequence[int] = ()) -> dict[int, Outcome]:
        """Find the papers of the ``new`` records and of those to be looked at ``again``."""
        for record, one in new.items():
            self._tokens[record] = _name_tokens([*one.identifiers, *one.keys])
        linked = self._reach(new, again)
        outcomes = self._add([(record, one) for record, one in new.items() if record not in linked])
        for component in self._components(linked):
            outcomes.update(self._regroup(component, {*new, *again}))
        return outcomes

    # which records belong together

    def _reach(self, new: Iterable[int], again: Iterable[int]) -> set[int]:
        """Every record to be looked at: all that share a key, and all that share one with those."""
        new = list(new)
        self._look_up(new)
        reached = {
            record for record in new if any(len(self._sharing[token]) > 1 for token in self._tokens[record])
        }
        reached.update(again)
        frontier = reached
        while frontier:
            self._load(frontier)
            self._look_up(frontier)
            near = {
                other
                for record in frontier
                for token in self._tokens[record]
                for other in self._sharing[token]
            }
            near.update(self._siblings(frontier))
            frontier = near - reached
            reached = reached | frontier
        return reached

    def _look_up(self, records: Iterable[int]) -> None:
        """Learn which records share the tokens of these."""
        wanted = {token for record in records for token in self._tokens[record]} - self._sharing.keys()
        found: dict[_Token, set[int]] = {token: set() for token in wanted}
        kinds: dict[_Token, set[str]] = defaultdict(set)
        for table, names in (("identifiers", "scheme"), ("keys", "kind")):
            values = [value for _, value in wanted if isinstance(value, str) == (table == "identifiers")]
            for value, kind, record in self._db.execute(
                f"SELECT value, {names}, record FROM {table} WHERE value IN (SELECT value FROM json_each(?))",  # noqa: S608
                (orjson.dumps(values).decode(),),
            ):
                token = (_NAMED.get(kind, kind), value)
                if token in found:
                    found[token].add(record)
                    kinds[token].add(kind)
        for token, sharing in found.items():
            reason = {_FOUND_BY.get(kind, kind) for kind in kinds[token]} & kinds[token]
            too_common = isinstance(token[1], int) and len(sharing) > COMMON
            self._sharing[token] = set() if too_common or not reason else sharing

    def _siblings(self, records: Iterable[int]) -> list[int]:
        papers = {held.paper for record in records if (held := self._held[record]).paper is not None}
        return [
            record
            for (record,) in self._db.execute(
                "SELECT record FROM records WHERE paper IN (SELECT value FROM json_each(?))",
                (_array(papers),),
            )
        ]

    def _load(self, records: Iterable[int]) -> None:
        for record, paper, source, file, imported, data, gone in self._db.execute(
            """SELECT record, paper, r.source, file, imported, data, coalesce(gone, '')
               FROM records r JOIN imports USING(import) WHERE record IN (SELECT value FROM json_each(?))""",
            (_array(set(records) - self._held.keys()),),
        ):
            value = decode_record(data)
            self._held[record] = _Held(record, paper, source, file, imported, value, gone)
            ids, keys = tokens_of(value)
            self._tokens[record] = _name_tokens([*ids, *keys])

    def _components(self, records: set[int]) -> Iterator[list[int]]:
        """Records that share something, directly or through others."""
        by_paper: dict[int, list[int]] = defaultdict(list)
        for record in records:
            if (paper := self._held[record].paper) is not None:
                by_paper[paper].append(record)
        left = set(records)
        for first in sorted(records):
            if first not in left:
                continue
            left.discard(first)
            component, frontier = [first], [first]
            while frontier:
                record = frontier.pop()
                paper = self._held[record].paper
                near = chain(
                    *(self._sharing[token] for token in self._tokens[record]), by_paper.get(paper or 0, ())
                )
                for other in left.intersection(near):
                    left.discard(other)
                    component.append(other)
                    frontier.append(other)
            yield sorted(component)

    # papers

    def _add(self, alone: Sequence[tuple[int, Prepared]]) -> dict[int, Outcome]:
        """Make a paper of each record that is all there is of its paper."""
        taken = self._taken([name for _, one in alone for name in one.paper_ids])
        papers, owners, outcomes = [], [], {}
        for record, one in alone:
            if one.paper is None:
                outcomes[record] = Outcome.WAITING
                continue
            free = next((name for name in one.paper_ids if name not in taken), None)
            paper_id = free or self._choose_id(decode_record(one.data), "")
            taken.add(paper_id)
            self._given.add(paper_id)
            self._row += 1
            self._seq += 1
            papers.append((self._row, paper_id, one.paper, hash_text(one.paper), self._seq))
            owners.append((self._row, record))
            outcomes[record] = Outcome.ADDED
        self._db.executemany(
            "INSERT INTO papers(row, paper_id, data, hash, seq) VALUES(?, ?, ?, ?, ?)", papers
        )
        self._db.executemany("UPDATE records SET paper = ? WHERE record = ?", owners)
        return outcomes

    def _regroup(self, component: list[int], asked: set[int]) -> dict[int, Outcome]:
        """Sort one component into papers and write what came out differently."""
        held = [self._held[record] for record in component]
        found = group([one.value for one in held])
        founders = {}  # a row stays with the oldest of its records that has a title
        for one in reversed(held):
            if one.paper is not None and one.value.title:
                founders[one.paper] = one.record
        outcomes, rows = {}, {}
        gone = {one.paper for one in held if one.paper is not None}
        for places in found.papers:
            members = [held[place] for place in places]
            named = {one.record for one in members}
            row, outcome = self._write(
                members, sorted(row for row, founder in founders.items() if founder in named)
            )
            gone.discard(row)
            rows.update(dict.fromkeys(places, row))
            fresh = [one.record for one in members if one.record in asked and one.value.title]
            for one in members:
                first = outcome is Outcome.ADDED and one.record == min(fresh, default=None)
                outcomes[one.record] = Outcome.UPDATED if outcome is Outcome.ADDED and not first else outcome
        self._end(gone, {})
        for place in found.waiting:
            outcomes[held[place].record] = Outcome.WAITING
        self._db.executemany(
            "UPDATE records SET paper = ? WHERE record = ?",
            [(rows.get(place), one.record) for place, one in enumerate(held) if rows.get(place) != one.paper],
        )
        self._name([(held[place], row) for place, row in rows.items()], asked)
        self._note_maybe({*rows.values(), *gone}, [(rows[i], rows[j], why) for i, j, why in found.maybe])
        return {record: outcome for record, outcome in outcomes.items() if record in asked}

    def _write(self, members: Sequence[_Held], rows: Sequence[int]) -> tuple[int, Outcome]:
        """Write the paper of these records into the first of ``rows``; the others become its aliases."""
        data = encode_paper(merge(self._sightings(members)))
        if not rows:
            first = next(one for one in members if one.value.title)
            paper_id = self._choose_id(first.value, first.source)
            self._row += 1
            self._seq += 1
            self._db.execute(
                "INSERT INTO papers(row, paper_id, data, hash, seq) VALUES(?, ?, ?, ?, ?)",
                (self._row, paper_id, data, hash_text(data), self._seq),
            )
            return self._row, Outcome.ADDED
        self._end(rows[1:], dict.fromkeys(rows[1:], rows[0]))
        changed = self._db.execute(
            """UPDATE papers SET data = ?, hash = ?, seq = ?
               WHERE row = ? AND (hash <> ? OR data IS NULL OR ?)""",  # others bring their PDF's text
            (data, hash_text(data), self._seq + 1, rows[0], hash_text(data), len(rows) > 1),
        ).rowcount
        self._seq += changed
        return rows[0], Outcome.UPDATED if changed else Outcome.UNCHANGED

    def _sightings(self, members: Sequence[_Held]) -> list[Sighting]:
        return [Sighting(one.value, one.source, one.file, one.imported, one.gone) for one in members]

    def _end(self, rows: Iterable[int], into: Mapping[int, int]) -> None:
        """Leave tombstones; the ids of rows that went into another lead there."""
        for row in rows:
            self._seq += 1
            ended = self._db.execute(
                "UPDATE papers SET data = NULL, hash = x'', seq = ? WHERE row = ? AND data IS NOT NULL",
                (self._seq, row),
            ).rowcount
            self._seq -= 1 - ended
            if row in into:
                self._db.execute("UPDATE aliases SET row = ? WHERE row = ?", (into[row], row))
                self._db.execute(
                    "INSERT OR REPLACE INTO aliases SELECT paper_id, ? FROM papers WHERE row = ?",
                    (into[row], row),
                )

    def _name(self, filed: Iterable[tuple[_Held, int]], asked: set[int]) -> None:
        """Let a paper be known by the ids that its records bring, where these name no other."""
        self._db.executemany(
            """INSERT OR IGNORE INTO aliases(paper_id, row)
               SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM papers WHERE paper_id = ?1)""",
            [
                (own, row)
                for one, row in filed
                if one.record in asked and (own := own_id(one.value, one.source)) is not None
            ],
        )

    def _note_maybe(self, rows: set[int], pairs: Iterable[tuple[int, int, str]]) -> None:
        listed = _array(rows)
        self._db.execute(
            """DELETE FROM maybe_same WHERE row IN (SELECT value FROM json_each(?1))
               OR other IN (SELECT value FROM json_each(?1))""",
            (listed,),
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO maybe_same(row, other, why) VALUES(?, ?, ?)",
            [(min(row, other), max(row, other), why) for row, other, why in pairs if row != other],
        )

    def _choose_id(self, record: Record, source: str) -> str:
        for paper_id in paper_ids(record, source):
            if paper_id not in self._given and not self._taken([paper_id]):
                self._given.add(paper_id)
                return paper_id
        raise AssertionError  # paper_ids never ends

    def _taken(self, names: Sequence[str]) -> set[str]:
        listed = orjson.dumps(names).decode()
        return {
            name
            for (name,) in self._db.execute(
                """SELECT paper_id FROM papers WHERE paper_id IN (SELECT value FROM json_each(?1)) UNION ALL
                   SELECT paper_id FROM aliases WHERE paper_id IN (SELECT value FROM json_each(?1))""",
                (listed,),
            )
        } | self._given.intersection(names)


def _name_tokens(tokens: Iterable[_Token]) -> list[_Token]:
    return [
        (_NAMED.get(kind, kind), value) for kind, value in tokens if isinstance(value, int) or kind in STRONG
    ]


def _array(numbers: Iterable[int]) -> str:
    return orjson.dumps(list(numbers)).decode()
