"""Papers that run: one module per paper, found by reading, imported only when it is used."""

from __future__ import annotations

from lunwen.methods._card import Method, find, listing
from lunwen.methods._check import Checked, check
from lunwen.methods._claim import Kind
from lunwen.methods._evidence import Verdict
from lunwen.methods._record import Record, load, measured_summary, save, summary

__all__ = [
    "Checked",
    "Kind",
    "Method",
    "Record",
    "Verdict",
    "check",
    "find",
    "listing",
    "load",
    "measured_summary",
    "save",
    "summary",
]
