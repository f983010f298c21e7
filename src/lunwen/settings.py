"""Places and options: where the library is."""

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
