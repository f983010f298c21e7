"""docs/methods.md is what its script writes."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_of_the_methods_is_written_anew() -> None:
    page = runpy.run_path(str(DOCS / "methods.py"))["page"]
    assert (DOCS / "methods.md").read_text("utf-8") == page(), "write it with: python docs/methods.py"
