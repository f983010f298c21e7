"""The command line: adapters only. Data go to standard output, everything else to standard error."""

from __future__ import annotations

from lunwen.doors.cli.program import main

__all__ = ["main"]
