"""What BibTeX, LaTeX and biber themselves say of an export."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from lunwen.corpus.markup import clean
from lunwen.corpus.paper import Author, Markup, Paper
from lunwen.export.bibtex import bibtex, entry

SHARED = Path(os.environ.get("LUNWEN_SHARED", Path(__file__).parents[3] / "shared"))
FILE = SHARED / "corpora" / "conference-papers.jsonl.gz"
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,url}
\begin{document}
\nocite{*}
\bibliographystyle{plain}
\bibliography{all}
\end{document}
"""
ODD = [
    Paper(
        paper_id=f"lw{number}",
        title=title,
        authors=(
            Author(name="Kurt Gödel"),
            Author(name="Łukasz Ørsted"),
            Author(name="Owls & Bats_Team 100%"),
        ),
        abstract=title,
        venue="ICML",
        year=2024,
        pages="1–12",
        identifiers={"doi": "10.1/a_b%c#d"},
        urls={"paper": "https://example.org/a_b?c=%20&d=~e#f"},
    )
    for number, title in enumerate(
        (
            "Q&A at 100 % of a_b, #1, {braces} and C:\\path",
            "$\\ell_1$ and $\\mathcal{O}(n^2)$ for $50%$ of $a_{b_c}$",
            "$x^2$",
            "a } b { c",
            "Costs \\$5 or \\$6, not ~7^8",
            "naïve “owls”—bats… ½ × α ≤ β → ∞",
            "CDAˆ2 ― CO₂ and π₀ x² 10ⁿ 2−3 K∗ x\u0302",
            "It's `quoted' <b>bold</b> \\textbf{x} \\undefined",
        )
    )
]


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine (Debian: texlive-latex-base, biber)")


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2_000:]
    return done.stdout


def compile_bibliography(folder: Path, bib: str) -> str:
    (folder / "all.bib").write_text(bib, "utf-8")
    (folder / "all.tex").write_text(DOCUMENT, "utf-8")
    latex = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all")
    run(folder, *latex)
    said = run(folder, "bibtex", "all")
    run(folder, *latex)
    return said


def test_odd_titles_compile(tmp_path: Path) -> None:
    need("pdflatex", "bibtex")
    said = compile_bibliography(tmp_path, "".join(bibtex(ODD)))
    assert "warning" not in said.lower()
    assert (tmp_path / "all.bbl").read_text().count("\\bibitem") == len(ODD)


def test_biber_reads_them_as_they_are(tmp_path: Path) -> None:
    need("biber")
    (tmp_path / "all.bib").write_text("".join(bibtex(ODD)), "utf-8")
    said = run(tmp_path, "biber", "--tool", "--output-file=out.bib", "all.bib")
    assert "ERROR" not in said
    assert "WARN" not in said
    assert (tmp_path / "out.bib").read_text("utf-8").lower().count("@inproceedings{") == len(ODD)


def test_five_thousand_real_papers_compile(tmp_path: Path) -> None:
    need("pdflatex", "bibtex")
    if not FILE.exists():
        pytest.skip("the real papers are not on this machine (LUNWEN_SHARED)")
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        papers = [
            Paper(
                paper_id=f"lw{number}",
                title=clean(one["title"], Markup.PLAIN),
                authors=tuple(Author(name=name) for name in one["authors"]),
                venue=one["venue"],
                year=one["year"],
                urls={"paper": one["url"] or ""},
            )
            for number, one in enumerate(map(json.loads, islice(lines, 5_000)))
        ]
    ascii_alone = [paper for paper in papers if entry(paper).isascii()]  # pdfTeX has no type for the rest
    assert len(ascii_alone) > 4_950
    compile_bibliography(tmp_path, "".join(bibtex(ascii_alone)))
    assert len(re.findall(r"\\bibitem", (tmp_path / "all.bbl").read_text("latin-1"))) == len(ascii_alone)
