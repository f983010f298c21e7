from __future__ import annotations

from importlib.resources import files

import pytest

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.export.format import ExportOptions
from lunwen.export.reference import references

STYLES = ExportOptions.__dataclass_fields__["style"].metadata["choices"]
OWL = Paper(
    paper_id="lw1",
    title="Owls & Bats in $O(n)$",
    authors=(Author(name="Kurt Gödel"), Author(name="Maarten van der Berg"), Author(name="The Owl Team")),
    venue="ICML",
    year=2024,
    pages="1–12",
    identifiers={"doi": "10.1/x"},
)
CHINESE = Paper(
    paper_id="lw2",
    title="基于图的检索",
    authors=(Author(name="王 伟"),),
    year=2023,
    status=Status.PREPRINT,
    identifiers={"arxiv": "2401.00001"},
)
ICML = "International Conference on Machine Learning"


@pytest.mark.parametrize(
    ("style", "owl"),
    [
        (
            "apa",
            (
                "Gödel, K., van der Berg, M., & The Owl Team. (2024). Owls & Bats in O(n). "
                f"{ICML}, 1–12. https://doi.org/10.1/x"
            ),
        ),
        (
            "ieee",
            (
                "[1] K. Gödel, M. van der Berg, and The Owl Team, “Owls & Bats in O(n)”, in "
                f"{ICML}, 2024, pp. 1–12. doi: 10.1/x."
            ),
        ),
        (
            "acl",
            (
                "Kurt Gödel, Maarten van der Berg, and The Owl Team. 2024. Owls & Bats in O(n). "
                f"In {ICML}, pages 1–12."
            ),
        ),
        (
            "chicago",
            (
                "Gödel, Kurt, Maarten van der Berg, and The Owl Team. 2024. “Owls & Bats in O(n)”. In "
                f"{ICML}, 1–12. doi:10.1/x."
            ),
        ),
        (
            "nature",
            (
                "1. Gödel, K., van der Berg, M. & The Owl Team. Owls & Bats in O(n). "
                f"in {ICML} 1–12 (2024). doi:10.1/x."
            ),
        ),
        (
            "gb7714",
            (
                "[1] GÖDEL K, VAN DER BERG M, THE OWL TEAM. Owls & Bats in O(n)[C/OL]//"
                f"{ICML}. 2024: 1-12. DOI:10.1/x."
            ),
        ),
    ],
)
def test_each_style(style: str, owl: str) -> None:
    written = list(references([OWL, CHINESE], style))
    assert written[0] == owl + "\n"
    assert "王伟" in written[1]  # never made an initial


def test_the_styles_offered_are_those_in_the_folder() -> None:
    held = [place.name for place in files("lunwen.export").joinpath("style").iterdir()]
    assert sorted(held) == sorted(["README.md", *(f"{style}.csl" for style in STYLES)])


def test_numbered_styles_count_on_and_keep_the_order_given() -> None:
    assert [line.split()[0] for line in references([OWL, CHINESE, OWL], "ieee")] == ["[1]", "[2]", "[3]"]
    assert [line[:3] for line in references([CHINESE, OWL], "apa")] == ["王伟.", "Göd"]


@pytest.mark.parametrize("style", STYLES)
def test_a_paper_of_which_nothing_is_known_and_a_hostile_one(style: str) -> None:
    odd = Paper(
        paper_id="x", title="<script>1</script>\n&amp;", authors=(Author(name="∀"), Author(name="[2]. x"))
    )
    bare, hostile = references([Paper(paper_id="y", title="Owls"), odd], style)
    assert "Owls" in bare
    assert hostile.count("\n") == 1
