from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lunwen.settings import api_token, encoder, encoder_key, library_folder

if TYPE_CHECKING:
    import pytest


def test_what_is_given_comes_before_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_LIBRARY", "/from/variable")
    assert library_folder("/given") == Path("/given")
    assert library_folder() == Path("/from/variable")


def test_the_users_own_place_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUNWEN_LIBRARY", raising=False)
    assert library_folder().parts[-2:] == ("lunwen", "library")


def test_an_encoder_is_named_or_the_packaged_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_ENCODER", " onnx:here ")
    assert encoder() == "onnx:here"
    for blank in ("", "  "):
        monkeypatch.setenv("LUNWEN_ENCODER", blank)
        assert encoder() == "static"


def test_a_key_of_blanks_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_ENCODER_KEY", "sk-1\n")
    assert encoder_key() == "sk-1"
    monkeypatch.setenv("LUNWEN_ENCODER_KEY", " ")
    assert encoder_key() is None


def test_a_token_of_blanks_lets_nobody_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_TOKEN", " t0 ")
    assert api_token() == "t0"
    monkeypatch.setenv("LUNWEN_TOKEN", "  ")
    assert api_token() is None
