"""Marked-up text → clean text; clean text → segments and plain text. The one door to the rooms beside it."""

from __future__ import annotations

from lunwen.corpus.xml import iter_xml, safe_xml

__all__ = ["iter_xml", "safe_xml"]
