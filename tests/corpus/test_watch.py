from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.store import Store
from lunwen.corpus.watch import Watches
from lunwen.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def watches(tmp_path: Path) -> Iterator[Watches]:
    Store.open(tmp_path, write=True).close()
    with Store.open(tmp_path) as store:
        yield Watches(store)


def test_what_is_saved_is_found_again_by_name(watches: Watches) -> None:
    watches.save("owls", '{"query":"owls"}', 7)
    watches.save("Bats", "{}", 0)
    assert [(one.name, one.request, one.last) for one in watches.all()] == [
        ("Bats", "{}", 0),
        ("owls", '{"query":"owls"}', 7),
    ]
    assert watches.find(" owls ").made == watches.find("owls").visited
    watches.remove("Bats")
    assert [one.name for one in watches.all()] == ["owls"]


def test_what_was_seen_stays_seen(watches: Watches) -> None:
    watches.save("owls", "{}", 7)
    watches.visit("owls", 9)
    assert watches.find("owls").last == 9
    watches.visit("owls", 8)  # a page that was opened earlier
    assert watches.find("owls").last == 9


def test_a_name_is_given_once(watches: Watches) -> None:
    watches.save("owls", "{}", 7)
    said = 'there is a watch "owls" already. Choose another name, or first: lunwen watch remove "owls"'
    with pytest.raises(UsageError, match=f"^{re.escape(said)}$"):
        watches.save("owls", "{}", 8)
    with pytest.raises(UsageError, match="is no name for a watch"):
        watches.save("", "{}", 8)
    said = 'no watch "owl". Closest: "owls". List them with: lunwen watch'
    for work in (watches.find, watches.remove, lambda name: watches.visit(name, 1)):
        with pytest.raises(NotFound, match=f"^{re.escape(said)}$"):
            work("owl")
