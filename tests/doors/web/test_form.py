"""The token of the page's forms, as pages carry it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException
from starlette.requests import Request

from lunwen.doors.web.form import mask, read_form


def sent(token: str) -> Request:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": f"token={token}&paper=p1".encode(), "more_body": False}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


def read(token: str, known: str) -> dict[str, str]:
    """What a form is read as; nothing is awaited that would not be there."""
    reading = read_form(sent(token), known)
    with pytest.raises(StopIteration) as done:
        reading.send(None)
    return done.value.value


@given(st.text(min_size=1))
def test_a_token_is_known_under_any_of_its_masks(token):
    masks = {mask(token) for _ in range(3)}
    assert len(masks) == 3
    for one in masks:
        assert read(one, token) == {"paper": "p1"}


def test_neither_the_token_itself_nor_another_one_will_do():
    for wrong in ("", "t0ken", mask("t0ken2"), mask("t0ken")[:-4], "é", "=" * 88):
        with pytest.raises(HTTPException):
            read_form(sent(wrong), "t0ken").send(None)
