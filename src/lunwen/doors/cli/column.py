"""Rows as columns: words to the left, counts to the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.doors.cli.text import cells

if TYPE_CHECKING:
    from collections.abc import Sequence


def align(rows: Sequence[Sequence[str | int]]) -> list[str]:
    """Write each row as a line; a column is of counts where its last cell is one."""
    if not rows:
        return []
    written = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    widths = [max(cells(row[at]) for row in written) for at in range(len(rows[0]))]
    counts = [isinstance(cell, int) for cell in rows[-1]]
    lines = []
    for row in written:
        gaps = [" " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True)]
        padded = [
            gap + cell if right else cell + gap for cell, gap, right in zip(row, gaps, counts, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def when(moment: str) -> str:
    """Write an ISO date and time to the minute: 2026-01-02 03:04."""
    return moment[:16].replace("T", " ")
