"""Libraries that come with an extra of lunwen."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from lunwen.errors import CouldNot

if TYPE_CHECKING:
    from types import ModuleType


def need(module: str, extra: str) -> ModuleType:
    """Return a library.

    Raises:
        CouldNot: it is not installed, or is broken.
    """
    try:
        return import_module(module)
    except (ImportError, OSError) as error:  # a shared library that does not load is an OSError
        raise CouldNot(
            f"the encoder needs {module} ({error}). Install it with: pip install 'lunwen[{extra}]', "
            "or set LUNWEN_ENCODER=static"
        ) from error
