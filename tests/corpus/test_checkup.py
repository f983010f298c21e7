from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.checkup import Finding
from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Paper, Record
from lunwen.corpus.shelf import Shelf
from lunwen.corpus.store import Store

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = [
    Record(
        key=str(number),
        title=f"Wheel {number}",
        authors=(Author(name="Ada Lovelace"),),
        identifiers={"acl": f"P17-100{number}"},
    )
    for number in range(4)
]


def damage(folder: Path, statement: str) -> None:
    with Store.open(folder, write=True) as store, store.transaction() as db:
        db.execute(statement)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("INSERT INTO stars VALUES(9, 'a', 'gone', '')", "stars of papers that are gone"),
        ("INSERT INTO notes VALUES('gone', 'text', '')", "notes of papers that are gone"),
        ("INSERT INTO watches VALUES('a', '{', '', '', 0)", "saved searches that cannot be read"),
    ],
)
def test_what_readers_wrote_is_looked_at(tmp_path: Path, statement: str, what: str) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "acl", RECORDS)
        shelf = Shelf(store)
        shelf.star(["P17-1001", "000-01"])  # the other is the catalogue's
        shelf.write_note("000-01", "kept")
        assert store.check() == []
    damage(tmp_path, statement)
    with Store.open(tmp_path, write=True) as store:
        assert store.check() == [Finding(what, 1, repaired=False)]
        assert store.check(repair=True) == [Finding(what, 1, repaired=True)]
        assert store.check() == []
        assert len(Shelf(store).stars()) == 2
        assert Shelf(store).notes() == {"000-01": "kept"}


def test_a_star_waits_for_the_paper_that_a_repair_restores(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "acl", RECORDS)
        Shelf(store).star(["P17-1001"])
    damage(tmp_path, "DELETE FROM papers WHERE paper_id = 'P17-1001'")
    with Store.open(tmp_path, write=True) as store:
        assert store.resolve("P17-1001") is None
        store.check(repair=True)
        assert [star.paper_id for star in Shelf(store).stars()] == ["P17-1001"]


@pytest.mark.parametrize(
    ("statement", "what", "count"),
    [
        ("INSERT INTO identifiers VALUES('x', 'acl', 99)", "identifiers of no record", 1),
        ("INSERT INTO keys VALUES(1, 'title', 99)", "keys of no record", 1),
        ("INSERT INTO aliases VALUES('old', 99)", "aliases of a paper that is gone", 1),
        ("INSERT INTO maybe_same VALUES(1, 99, 'x')", "maybe-the-same links to a paper that is gone", 1),
        (
            "DELETE FROM identifiers WHERE record < 3",
            "records that cannot be found by their identifiers or keys",
            2,
        ),
        ("UPDATE records SET paper = 99 WHERE record = 2", "records without their paper", 1),
        ("UPDATE records SET paper = NULL WHERE record = 2", "records without their paper", 1),
        (
            'UPDATE papers SET data = \'{"title":"Forged"}\' WHERE row = 3',
            "papers that differ from what their records say",
            1,
        ),
    ],
)
def test_what_is_wrong_is_found_and_mended(tmp_path: Path, statement: str, what: str, count: int) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "acl", RECORDS)
        before = sorted(paper.title for paper in store.all_papers())
    damage(tmp_path, statement)
    with Store.open(tmp_path) as store:
        assert Finding(what, count, repaired=False) in store.check()
    with Store.open(tmp_path, write=True) as store:
        assert Finding(what, count, repaired=True) in store.check(repair=True)
        assert store.check() == []
        assert sorted(paper.title for paper in store.all_papers()) == before
        assert store.resolve("P17-1002") is not None


def test_a_sound_library_has_nothing_wrong(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        store.put(Paper(paper_id="kept as it is", title="T"))
        ingest_records(store, "acl", RECORDS)
        assert store.check() == store.check(repair=True) == []


def test_a_record_that_waits_in_vain_is_given_its_paper(tmp_path: Path) -> None:
    listed = Record(
        key="l", abstract="They turn. " * 9, authors=(Author(name="Ada Lovelace"), Author(name="Bo Li"))
    )
    titled = Record(key="t", title="Wheels", abstract="They turn. " * 9, authors=listed.authors)
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "acl", [titled])
        ingest_records(store, "listing", [listed])
    damage(tmp_path, "UPDATE records SET paper = NULL WHERE source = 'listing'")
    with Store.open(tmp_path, write=True) as store:
        found = Finding("records that waited although their paper was there", 1, repaired=True)
        assert found in store.check(repair=True)
        assert store.check(repair=True) == []
