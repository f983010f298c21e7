from __future__ import annotations

import pytest

from lunwen.corpus.sources._link import identify_doi, identify_links


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://openreview.net/forum?id=Ab-_9&noteId=x", {"openreview": "Ab-_9"}),
        ("https://aclanthology.org/2022.acl-long.75.pdf", {"acl": "2022.acl-long.75"}),
        ("http://proceedings.mlr.press/v28/wang13f.pdf", {"pmlr": "v28/wang13f"}),
        (
            "https://raw.githubusercontent.com/mlresearch/v260/main/assets/jia25a/jia25a.pdf",
            {"pmlr": "v260/jia25a"},
        ),
        ("http://jmlr.org/proceedings/papers/v28/wang13f.html", {"pmlr": "v28/wang13f"}),
        ("https://doi.org/10.48550/arXiv.2101.00001", {"arxiv": "2101.00001"}),
        (
            "https://papers.nips.cc/paper_files/paper/2008/file/c4ca4238a0b923820dcc509a6f75849b-Paper.pdf",
            {"neurips": "2008/c4ca4238a0b923820dcc509a6f75849b"},
        ),
        ("https://ieeexplore.ieee.org/document/845165/", {}),
        ("", {}),
        (None, {}),
        ("not a url", {}),
    ],
)
def test_links(url, found):
    assert identify_links([url]) == found


def test_the_first_of_two_links_wins():
    urls = ["https://arxiv.org/abs/2101.00001v3", None, "https://arxiv.org/pdf/2101.00002"]
    assert identify_links(urls) == {"arxiv": "2101.00001"}


@pytest.mark.parametrize(
    ("doi", "found"),
    [
        ("10.1234/ODD.7", {"doi": "10.1234/odd.7"}),
        ("https://doi.org/10.1234/ODD.7.", {"doi": "10.1234/odd.7"}),
        ("doi: 10.18653/v1/P17-1001", {"doi": "10.18653/v1/p17-1001", "acl": "P17-1001"}),
        (
            "10.48550/arXiv.cond-mat/0211034",
            {"doi": "10.48550/arxiv.cond-mat/0211034", "arxiv": "cond-mat/0211034"},
        ),
        ("n/a", {}),
        (None, {}),
    ],
)
def test_dois(doi, found):
    assert identify_doi(doi) == found
