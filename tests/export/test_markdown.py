from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.export.markdown import markdown


@pytest.mark.parametrize(
    ("paper", "line"),
    [
        (
            Paper(
                paper_id="1",
                title="Owls & Bats: a_b, #1 in $O(n_1^2)$",
                authors=(Author(name="Kurt Gödel"), Author(name="Ana *Díaz*")),
                venue="ICML",
                year=2024,
                identifiers={"arxiv": "2401.00001"},
                urls={"paper": "https://e.org/a_(b)", "pdf": "https://e.org/1.pdf", "code": "javascript:1"},
            ),
            (
                "- **[Owls & Bats: a\\_b, \\#1 in $O(n_1^2)$](https://e.org/a_%28b%29)**. Kurt Gödel, "
                "Ana \\*Díaz\\*. *ICML* 2024. [PDF](https://e.org/1.pdf) · [arXiv](https://arxiv.org/abs/2401.00001)\n"
            ),
        ),
        (
            Paper(paper_id="2", title="[x](javascript:1)\n<b>", venue="ICLR", status=Status.REJECTED),
            "- **\\[x\\](javascript:1) \\<b\\>**. *ICLR* (rejected)\n",
        ),
        (
            Paper(paper_id="3", title="Owls", authors=tuple(Author(name=f"O{n}") for n in range(8))),
            "- **Owls**. O0, O1, O2, O3, O4, O5 et al\n",
        ),
        (
            Paper(paper_id="4", title="", identifiers={"doi": "10.1/x"}),
            "- **[Untitled](https://doi.org/10.1/x)**\n",
        ),
    ],
)
def test_items(paper: Paper, line: str) -> None:
    assert "".join(markdown([paper])) == line
