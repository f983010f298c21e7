from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.doors.api.cursor import Cursor
from lunwen.errors import Changed, UsageError
from lunwen.retrieval.request import MAX_OFFSET


@given(st.integers(0, MAX_OFFSET), st.text(max_size=20), st.text(max_size=20))
def test_a_cursor_is_good_for_the_state_it_was_given_in_and_no_other(offset, version, other):
    cursor = Cursor.read(str(Cursor.at(offset, version)))
    assert cursor.offset == offset
    cursor.check(version)
    if other != version:
        with pytest.raises(Changed):
            cursor.check(other)


@pytest.mark.parametrize(
    "text", ["", "5", "5.", "5.0123456", "5.012345678", "x.01234567", "٣.01234567", "-1.01234567"]
)
def test_anything_else_is_none(text):
    with pytest.raises(UsageError) as refused:
        Cursor.read(text)
    assert str(refused.value) == (
        f'no cursor "{text}". Allowed: one that the Link header of a page before gave. Leave it out'
    )
