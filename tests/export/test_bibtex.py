from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import bibtexparser
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexWalker

from lunwen.corpus.markup import clean
from lunwen.corpus.paper import Author, Markup, Paper, Record, Status
from lunwen.corpus.source import SourceFile
from lunwen.corpus.sources.bibtex import Bibtex
from lunwen.corpus.venue import canonical
from lunwen.export.bibtex import bibtex, entry
from lunwen.export.cite_key import cite_keys
from lunwen.export.publication import JOURNALS, PROCEEDINGS
from lunwen.export.tex import balanced, latex, latex_title

OWL = Paper(
    paper_id="lw1",
    title="Owls & Bats: 100 % of a_b, #1 in $O(n_1^2)$ for GPT-4",
    authors=(
        Author(name="Kurt Gödel"),
        Author(name="Maarten van der Berg"),
        Author(name="The Owl Team"),
        Author(name="Mausam"),
        Author(name="John Smith Jr."),
    ),
    venue="ICML",
    year=2024,
    pages="1–12",
    date="2024-07-21",
    identifiers={"openreview": "abc", "doi": "10.1/a_b%c"},
    urls={"paper": "https://example.org/a_b?c=%20#d"},
)


def parse(text: str) -> Any:
    """Read with an independent parser that refuses what BibTeX would."""
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    return library


def readable(latex_text: str) -> str:
    return LatexNodes2Text(math_mode="verbatim", keep_braced_groups=False).latex_to_text(latex_text)


def test_an_entry_whole() -> None:
    assert entry(OWL) == "\n".join(
        [
            "@inproceedings{godel2024owls,",
            r"  title = {Owls \& Bats: 100 \% of a\_b, \#1 in {$O(n_1^2)$} for {GPT}-4},",
            (
                r"  author = {G{\"o}del, Kurt and van der Berg, Maarten and {The Owl Team} and Mausam"
                " and Smith, Jr., John},"
            ),
            "  booktitle = {International Conference on Machine Learning},",
            "  year = {2024},",
            "  pages = {1--12},",
            "  doi = {10.1/a_b%c},",
            "  url = {https://example.org/a_b?c=%20#d},",
            "  month = jul,",
            "}",
        ]
    )


def test_the_source_says_what_a_title_protects() -> None:
    paper = Paper(paper_id="lw2", title="AdapLeR & 5%", title_bibtex="{A}dap{L}e{R} & 5%")
    assert r"title = {{A}dap{L}e{R} \& 5\%}" in entry(paper)
    maths = Paper(paper_id="lw2", title="B at $x_{1}$", title_bibtex="{B} at {$x_{1}$}")
    assert "title = {{B} at {$x_{1}$}}" in entry(maths)
    broken = Paper(paper_id="lw2", title="AdapLeR", title_bibtex="{A}dap{L}e{R")
    assert "title = {{AdapLeR}}" in entry(broken)


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("Owls in the wild", "Owls in the wild"),
        ("BERT: Pre-Training of Owls", "{BERT}: Pre-Training of Owls"),
        ("A t-SNE of k-means++", "A t-{SNE} of k-means++"),
        ("3D Owls in 2nd 4K", "{3D} Owls in 2nd {4K}"),
        ("Deep Q-Learning", "Deep {Q}-Learning"),
        ("ALL IN CAPITALS", "ALL IN CAPITALS"),
        (r"It costs \$5 {now}", r"It costs \$5 \{now\}"),
        ("a } b {", r"a \textbraceright{} b \textbraceleft{}"),
        (
            "$\\{a\\}$ of $\\left\\{b$",
            r"{$\{a\}$} of {\textbackslash{}left\textbackslash{}\textbraceleft{}b}",
        ),
        ("$\\texttt{\\}$", r"{\textbackslash{}texttt\{\textbackslash{}\}}"),
        ("$β^3$ ∗ x\u0302 Gaı\u0308f", r"{${\beta}^3$} {\ensuremath{\ast}} {\^{x}} Ga{\"\i}f"),
        ("50 % of $50%$", r"50 \% of {$50\%$}"),
        ("naïve “owls”—bats", r"na{\"\i}ve {\textquotedblleft}owls{\textquotedblright}---bats"),
    ],
)
def test_titles(title: str, written: str) -> None:
    assert latex_title(title) == written


@pytest.mark.parametrize(
    ("fields", "kind", "holds"),
    [
        ({"venue": "ICLR", "identifiers": {"openreview": "x"}}, "inproceedings", "Learning Representations"),
        ({"venue": "Some Workshop"}, "inproceedings", "booktitle = {Some Workshop}"),
        ({"venue": "ACL", "booktitle": "Proceedings of X & Y"}, "inproceedings", r"Proceedings of X \& Y"),
        ({"venue": "TMLR"}, "article", "journal = {Transactions on Machine Learning Research}"),
        ({"venue": "arXiv", "identifiers": {"arxiv": "2401.00001"}}, "misc", "eprint = {2401.00001}"),
        (
            {"status": Status.PREPRINT, "identifiers": {"arxiv": "cs/0101001"}},
            "misc",
            "archiveprefix = {arXiv}",
        ),
        ({"venue": "ICLR", "status": Status.REJECTED}, "misc", "Submitted to International Conference on Le"),
        ({"venue": "ICLR", "status": Status.WITHDRAWN}, "misc", "howpublished = {Withdrawn from Internation"),
        ({}, "misc", "title = {Owls}"),
    ],
)
def test_kinds(fields: dict[str, Any], kind: str, holds: str) -> None:
    written = entry(Paper(paper_id="lw3", title="Owls", year=2024, **fields))
    assert written.startswith(f"@{kind}{{paper2024lw3,")
    assert holds in written


def test_the_tables_know_venues_by_their_own_names() -> None:
    names = [*PROCEEDINGS, *JOURNALS]
    assert [canonical(name) for name in names] == names


def test_keys_are_unique_and_do_not_depend_on_the_order() -> None:
    papers = [
        Paper(paper_id=f"lw{number:02}", title="The Owl of $x$", authors=(Author(name="Li, Lei"),), year=2020)
        for number in range(30)
    ]
    keys = cite_keys(reversed(papers))
    assert [keys[f"lw{number:02}"] for number in (0, 1, 26, 27)] == [
        "li2020owl",
        "li2020owla",
        "li2020owlz",
        "li2020owlaa",
    ]
    for some in (papers, papers[::-1], iter(papers)):
        written = [found.key for found in parse("".join(bibtex(some))).entries]
        assert sorted(written) == sorted(keys.values())
    assert written == [keys[paper.paper_id] for paper in papers]


@pytest.mark.parametrize(
    ("names", "title", "scholar", "acl"),
    [
        (["Ashish Vaswani", "B", "C"], "Attention is", "vaswani2017attention", "vaswani-etal-2017-attention"),
        (["Lei Li", "José Díaz"], "On the Owls", "li2017owls", "li-diaz-2017-owls"),
        (["Łukasz Ørsted"], "k-Owls", "orsted2017k", "orsted-2017-k"),
        (["李磊"], "Owls", "paper2017lw9", "paper2017lw9"),
        (["∀"], "Owls", "paper2017lw9", "paper2017lw9"),
        (["Lei Li"], "$x^2$", "li2017", "li-2017"),
        ([], "Owls", "paper2017lw9", "paper2017lw9"),
    ],
)
def test_keys(names: list[str], title: str, scholar: str, acl: str) -> None:
    authors = tuple(Author(name=name) for name in names)
    paper = Paper(paper_id="lw9", title=title, authors=authors, year=2017)
    assert cite_keys([paper]) == {"lw9": scholar}
    assert cite_keys([paper], "acl") == {"lw9": acl}


def test_a_name_that_came_whole_as_a_family_name_is_taken_apart() -> None:
    paper = Paper(paper_id="x", title="Owls", authors=(Author(name="Alan D. Sokal", family="Alan D. Sokal"),))
    assert "author = {Sokal, Alan D.}" in entry(paper)
    assert entry(paper).startswith("@misc{sokalowls,")


def read_back(papers: list[Paper]) -> list[Record]:
    """Read an export with our own importer."""
    data = "".join(bibtex(papers)).encode()
    file = SourceFile(name="x.bib", head=data, open=lambda: io.BytesIO(data))
    return [record for record in Bibtex().read(file) if isinstance(record, Record)]


WORD = (
    st.text("abAB éÉłß&%#_-'^{}ñ论文\u2217\u2015\u02c6\u2212₀²", min_size=1, max_size=12)
    .map(str.strip)
    .filter(bool)
)
NAME = st.text("abAB éłßñ", min_size=1, max_size=12).map(lambda name: " ".join(name.split())).filter(bool)


@given(
    words=st.lists(WORD, min_size=1, max_size=5),
    names=st.lists(NAME, max_size=4),
    year=st.integers(1900, 2100),
)
def test_title_authors_and_year_come_back(words: list[str], names: list[str], year: int) -> None:
    title = clean(" ".join(" ".join(words).split()), Markup.PLAIN)
    if not title:
        return
    paper = Paper(
        paper_id="lw1",
        title=title,
        authors=tuple(Author(name=name) for name in names),
        venue="ICML",
        year=year,
    )
    (record,) = read_back([paper])
    assert clean(record.title or "", record.markup) == title
    assert [clean(author.name, record.markup) for author in record.authors] == names
    assert record.year == year


@pytest.mark.parametrize(
    "name", ["岳珩 李", "王伟", "Maarten van der Berg", "The Owl Team", "Mausam", "Ana de la Fuente García"]
)
def test_names_of_every_form_come_back(name: str) -> None:
    (record,) = read_back([replace(OWL, authors=(Author(name=name),))])
    assert [clean(author.name, record.markup) for author in record.authors] == [name]


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60)


@given(title=TEXT, names=st.lists(TEXT.filter(str.strip), max_size=3), url=TEXT)
def test_any_text_makes_an_entry_that_parsers_read(title: str, names: list[str], url: str) -> None:
    paper = Paper(
        paper_id="lw1",
        title=title,
        abstract=title,
        authors=tuple(Author(name=name) for name in names),
        urls={"paper": url},
    )
    written = entry(paper)
    assert balanced(written)
    library = parse(written)
    assert len(library.entries) == 1
    assert re.fullmatch(r"[a-z0-9]+", library.entries[0].key)
    for name, held in library.entries[0].fields_dict.items():
        if name != "url":  # verbatim
            LatexWalker(held.value, tolerant_parsing=False).get_latex_nodes()


@given(st.text("abc &%#_${}~^\\éß“", max_size=40))
def test_what_is_escaped_reads_the_same(text: str) -> None:
    clean = text.replace("\\", "").replace("$", "")
    clean = clean if balanced(clean) else re.sub("[{}]", "", clean)  # pylatexenc knows no brace by name
    read = readable(latex(clean)).replace("ˆ", "^")  # what pylatexenc makes of \\textasciicircum
    assert re.sub(r"\s", "", read) == re.sub(r"\s", "", clean)
