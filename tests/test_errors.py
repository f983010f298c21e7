from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from lunwen.errors import LunwenError, UnknownName


def test_what_was_given_breaks_no_line() -> None:
    assert str(UnknownName('no venue "a\r\nb\x1b\u2028"')) == 'no venue "a b "'


@given(st.text())
def test_a_refusal_is_one_line(said: str) -> None:
    error = LunwenError(said)
    assert len(str(error).splitlines()) <= 1
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own, as between processes
    assert str(again) == str(error)
