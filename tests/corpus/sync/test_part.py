from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.sync.page import Edition, Page
from lunwen.corpus.sync.part import walk_parts
from lunwen.errors import Expired, FetchError, NotPublished

if TYPE_CHECKING:
    from collections.abc import Callable

ODD = Edition(venue="ODD", year=2031, site="shelf", address="")


def shelf(parts: dict[str, int], *, broken: str = "") -> Callable[[str, str | None], Page | None]:
    """Parts of so many pages."""

    def get(part: str, at: str | None) -> Page | None:
        number = int(at or 0)
        name = f"{part} {number}"
        if name == broken:
            raise FetchError(f"no {name}")
        if number >= parts[part]:
            return None
        following = str(number + 1) if number + 1 < parts[part] else None
        return Page(name=name, url="", file=None, next=following)  # type: ignore[arg-type]

    return get


def walk(parts: dict[str, int], after: str | None = None) -> list[tuple[str, str | None]]:
    pages = walk_parts(ODD, list(parts), shelf(parts), after=after)
    return [(page.name, page.next) for page in pages]


def test_empty_parts_are_passed_over() -> None:
    assert walk({"a": 0, "b": 2, "c": 0, "d": 1, "e": 0}) == [("b 0", "b 1"), ("b 1", "d"), ("d 0", None)]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5).filter(any))
def test_a_walk_goes_on_after_every_page(sizes: list[int]) -> None:
    parts = {f"p{number}": size for number, size in enumerate(sizes)}
    whole = walk(parts)
    assert [name for name, _ in whole] == [
        f"{part} {at}" for part, size in parts.items() for at in range(size)
    ]
    assert [following is None for _, following in whole] == [False] * (len(whole) - 1) + [True]
    for number, (_, following) in enumerate(whole[:-1], start=1):
        assert walk(parts, following) == whole[number:]


def test_a_page_that_came_is_given_though_the_next_did_not() -> None:
    pages = walk_parts(ODD, ["a", "b"], shelf({"a": 1, "b": 3}, broken="b 1"), after=None)
    assert [(page.name, page.next) for page in (next(pages), next(pages))] == [("a 0", "b"), ("b 0", "b 1")]
    with pytest.raises(FetchError, match="no b 1"):
        next(pages)


def test_nothing_at_all() -> None:
    with pytest.raises(NotPublished, match="ODD 2031 has no papers at shelf yet"):
        walk({"a": 0})
    for after in ("a 7", "z", "z 1"):
        with pytest.raises(Expired, match=f'odd 2031 shelf no longer goes on at "{after}"'):
            walk({"a": 2}, after)
