"""Places and options: where the library is, which encoder is used, how sites are asked."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from lunwen.errors import UsageError


def library_folder(given: str | Path | None = None) -> Path:
    """The library's folder: as given, else ``LUNWEN_LIBRARY``, else the user's data folder."""
    chosen = given or os.environ.get("LUNWEN_LIBRARY")
    if chosen:
        return Path(chosen).expanduser()
    return platformdirs.user_data_path("lunwen") / "library"


def encoder() -> str:
    """Which encoder search by meaning uses: ``LUNWEN_ENCODER``, else "static"."""
    return os.environ.get("LUNWEN_ENCODER", "").strip() or "static"


def api_token() -> str | None:
    """What a client of the HTTP API must know to write: ``LUNWEN_TOKEN``; without it nobody writes there."""
    return os.environ.get("LUNWEN_TOKEN", "").strip() or None


def encoder_key() -> str | None:
    """The key that an encoder behind a URL asks for: ``LUNWEN_ENCODER_KEY``; it is never shown or stored."""
    return os.environ.get("LUNWEN_ENCODER_KEY", "").strip() or None


def contact() -> str | None:
    """A mail address by which sites can reach who asks them: ``LUNWEN_CONTACT``; it is in the user agent."""
    return os.environ.get("LUNWEN_CONTACT", "").strip() or None


def is_offline() -> bool:
    """Whether no site is asked, and the cache alone answers: ``LUNWEN_OFFLINE``, anything but "0"."""
    return os.environ.get("LUNWEN_OFFLINE", "").strip() not in {"", "0"}


def mirror() -> str | None:
    """A URL under which sites are found as ``{mirror}/{host}/{path}``: ``LUNWEN_MIRROR``."""
    return os.environ.get("LUNWEN_MIRROR", "").strip().rstrip("/") or None


def cache_folder() -> Path:
    """Where fetched bodies are kept: ``LUNWEN_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("LUNWEN_CACHE", "").strip()
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("lunwen")


def cache_bound() -> int:
    """How many bytes of fetched bodies are kept: ``LUNWEN_CACHE_MB`` (2000).

    Raises:
        UsageError: it is no number of megabytes.
    """
    given = os.environ.get("LUNWEN_CACHE_MB", "").strip() or "2000"
    if not (given.isascii() and given.isdecimal()):
        raise UsageError(f'LUNWEN_CACHE_MB is "{given}". Set it to a whole number of megabytes, such as 2000')
    return int(given) * 1_000_000


def secret(name: str) -> str | None:
    """A secret by its name: the variable, else the entry of that name under "lunwen" in the user's keyring.

    The keyring is asked where ``pip install 'lunwen[keyring]'`` has one. A secret is never shown or stored.
    """
    value = os.environ.get(name, "").strip()
    if value:
        return value
    try:
        import keyring  # noqa: PLC0415  long to load, and few have one
        from keyring.errors import KeyringError  # noqa: PLC0415  same
    except ImportError:
        return None
    try:
        return (keyring.get_password("lunwen", name) or "").strip() or None
    except KeyringError:  # none on this machine, or it stays locked
        return None


def openreview_login() -> tuple[str, str] | None:
    """Name and password at OpenReview: ``OPENREVIEW_USERNAME`` and ``OPENREVIEW_PASSWORD``; both or none."""
    name, password = secret("OPENREVIEW_USERNAME"), secret("OPENREVIEW_PASSWORD")
    return (name, password) if name and password else None


def openalex_key() -> str | None:
    """The key that OpenAlex asks for: ``OPENALEX_KEY``."""
    return secret("OPENALEX_KEY")
