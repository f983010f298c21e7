from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.venue import canonical, closest, match, names


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("nips", "NeurIPS"),
        ("NeurIPS.cc", "NeurIPS"),
        ("NeurIPS.cc/2024/Datasets_and_Benchmarks_Track", "NeurIPS"),
        ("Advances in Neural Information Processing Systems 37", "NeurIPS"),
        ("Conference on Neural Information Processing Systems", "NeurIPS"),
        ("Proceedings of the 41st International Conference on Machine Learning", "ICML"),
        ("ICML.cc/2026/Conference", "ICML"),
        ("ICLR 2024 poster", "ICLR"),
        ("Submitted to ICLR 2024", "ICLR"),
        ("NIPS'12", "NeurIPS"),
        (
            (
                "Proceedings of the 60th Annual Meeting of the Association for Computational Linguistics "
                "(Volume 1: Long Papers)"
            ),
            "ACL",
        ),
        ("Findings of the Association for Computational Linguistics: ACL 2022", "ACL Findings"),
        ("Findings of the Association for Computational Linguistics: EMNLP 2021", "EMNLP Findings"),
        (
            (
                "Proceedings of the 2019 Conference of the North American Chapter of the Association for "
                "Computational Linguistics: Human Language Technologies"
            ),
            "NAACL",
        ),
        ("Computational Linguistics, Volume 15, Number 1", "Computational Linguistics"),
        ("Proceedings of the Thirty-Seventh AAAI Conference on Artificial Intelligence", "AAAI"),
        ("2018 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)", "CVPR"),
        ("Journal of Machine Learning Research", "JMLR"),
        ("CoRR", "arXiv"),
        ("acmmm", "ACM MM"),
        ("siggraphasia", "SIGGRAPH Asia"),
        ("www", "WWW"),
        ("3dv", "3DV"),
        ("corl", "CoRL"),
    ],
)
def test_many_names_one_venue(written: str, usual: str) -> None:
    assert canonical(written) == usual


@pytest.mark.parametrize(
    "unknown",
    ["Nature", "ICML 2024 Workshop on Old Maps", "Proceedings of the First Workshop on Natural Logic"],
)
def test_unknown_venues_stay_as_they_are(unknown: str) -> None:
    assert canonical(f"  {unknown} ") == unknown


@given(st.text(max_size=60))
def test_a_venue_is_never_lost_and_settles(text: str) -> None:
    once = canonical(text)
    assert bool(once) == bool(text.split())
    assert canonical(once) == once


def test_filters_take_any_case_and_alias() -> None:
    known = ["NeurIPS", "ICML", "Journal of Odd Results"]
    assert match("NIPS", known) == "NeurIPS"
    assert match("icml", known) == "ICML"
    assert match("journal of odd results", known) == "Journal of Odd Results"
    assert match("neurips 2025", known) is None  # a venue and a year
    assert match("CVPR", known) is None


def test_the_closest_names() -> None:
    assert closest("nips25", ["NeurIPS", "ICML"])[0] == "NeurIPS"
    assert closest("icmll", ["NeurIPS", "ICML"])[0] == "ICML"


def test_all_short_names() -> None:
    assert "nips" in names("NeurIPS")
    assert names(None) == ()
