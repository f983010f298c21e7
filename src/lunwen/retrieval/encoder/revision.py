"""Which revision of a model files are."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def fingerprint(files: Iterable[Path]) -> str:
    """Return a short name of what files hold, wherever they lie.

    Raises:
        OSError: one cannot be read.
    """
    whole = hashlib.sha256()
    for file in files:
        with file.open("rb") as opened:
            whole.update(hashlib.file_digest(opened, "sha256").digest())
    return whole.hexdigest()[:16]
