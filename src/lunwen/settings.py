"""Places and options: where the library is, which encoder is used."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


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
