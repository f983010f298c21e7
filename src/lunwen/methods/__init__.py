"""Papers that run: one module per paper, found by reading, imported only when it is used."""

from __future__ import annotations

from lunwen.methods._card import PARTS, Method, find, listing
from lunwen.methods._check import Checked, check
from lunwen.methods._claim import Kind
from lunwen.methods._evidence import Evidence, Finding, Verdict
from lunwen.methods._plot import plot
from lunwen.methods._record import Record, load, mark, measured_summary, picture, place, summary, text

__all__ = [
    "PARTS",
    "Checked",
    "Evidence",
    "Finding",
    "Kind",
    "Method",
    "Record",
    "Verdict",
    "check",
    "find",
    "listing",
    "load",
    "mark",
    "measured_summary",
    "picture",
    "place",
    "plot",
    "summary",
    "text",
]
