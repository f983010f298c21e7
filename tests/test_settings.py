from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lunwen.errors import UsageError
from lunwen.settings import (
    api_token,
    cache_bound,
    cache_folder,
    contact,
    encoder,
    encoder_key,
    is_offline,
    library_folder,
    mirror,
    openalex_key,
    openreview_login,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


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


def test_how_sites_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LUNWEN_CONTACT", "LUNWEN_MIRROR", "LUNWEN_CACHE", "LUNWEN_CACHE_MB", "LUNWEN_OFFLINE"):
        monkeypatch.setenv(name, " ")
    assert (contact(), mirror(), is_offline(), cache_bound()) == (None, None, False, 2_000_000_000)
    assert cache_folder().parts[-1] == "lunwen"
    monkeypatch.setenv("LUNWEN_CONTACT", " ann@example.org ")
    monkeypatch.setenv("LUNWEN_MIRROR", "https://lab.example/")
    monkeypatch.setenv("LUNWEN_CACHE", "~/papers")
    monkeypatch.setenv("LUNWEN_CACHE_MB", "5")
    assert (contact(), mirror(), cache_bound()) == ("ann@example.org", "https://lab.example", 5_000_000)
    assert cache_folder() == Path.home() / "papers"
    monkeypatch.setenv("LUNWEN_CACHE_MB", "2 GB")
    with pytest.raises(UsageError) as refused:
        cache_bound()
    assert str(refused.value) == (
        'LUNWEN_CACHE_MB is "2 GB". Set it to a whole number of megabytes, such as 2000'
    )


@pytest.mark.parametrize(("given", "offline"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_offline_is_anything_but_zero(given: str, offline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_OFFLINE", given)
    assert is_offline() is offline


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[tuple[str, str], str]]:
    """What the user's keyring holds."""
    import keyring  # noqa: PLC0415  only here
    from keyring.backend import KeyringBackend  # noqa: PLC0415  same

    held: dict[tuple[str, str], str] = {}

    class Held(KeyringBackend):
        priority = 1  # type: ignore[assignment]

        def get_password(self, service: str, username: str) -> str | None:
            return held.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            held[service, username] = password

    for name in ("OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD", "OPENALEX_KEY"):
        monkeypatch.delenv(name, raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(Held())
    yield held
    keyring.set_keyring(before)


def test_a_secret_is_in_the_environment_or_the_keyring(
    keyring: dict[tuple[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert openalex_key() is None
    keyring["lunwen", "OPENALEX_KEY"] = "k-1"
    assert openalex_key() == "k-1"
    monkeypatch.setenv("OPENALEX_KEY", "k-2")
    assert openalex_key() == "k-2"
    keyring["lunwen", "OPENREVIEW_USERNAME"] = "ann"
    assert openreview_login() is None
    keyring["lunwen", "OPENREVIEW_PASSWORD"] = "p-1"
    assert openreview_login() == ("ann", "p-1")


def test_without_a_keyring_there_are_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring.core  # noqa: PLC0415  only here
    from keyring.backends.fail import Keyring  # noqa: PLC0415  same

    monkeypatch.delenv("OPENALEX_KEY", raising=False)
    monkeypatch.setattr(keyring.core, "_keyring_backend", Keyring())
    assert openalex_key() is None
