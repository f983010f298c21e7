"""The paths in which sites write topics."""

from __future__ import annotations


def read_path(text: str | None, separator: str = "->") -> tuple[str, ...]:
    """Return the steps of "Deep Learning->Large Language Models", broadest first."""
    return tuple(step.strip() for step in (text or "").split(separator) if step.strip())
