from __future__ import annotations

import pytest

from lunwen.corpus.fetch.address import read_address, read_mirror
from lunwen.errors import FetchError, UsageError


@pytest.mark.parametrize(
    ("given", "url"),
    [
        (" http://icml.cc/a#top ", "https://icml.cc/a"),
        ("https://ICML.cc", "https://icml.cc"),
        (
            "https://export.arxiv.org/api/query?q=[A TO B]",
            "https://export.arxiv.org/api/query?q=[A%20TO%20B]",
        ),
        ("https://icml.cc/a%2Fb?x=%20", "https://icml.cc/a%2Fb?x=%20"),
        ("https://icml.cc/论文", "https://icml.cc/%E8%AE%BA%E6%96%87"),
    ],
)
def test_an_address_is_https_and_quoted(given: str, url: str) -> None:
    assert str(read_address(given).url) == url


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ftp://icml.cc/a", '"ftp://icml.cc/a" is not on the web. Only https://HOST/PATH is fetched'),
        ("papers.json?token=t", '"papers.json" is not on the web. Only https://HOST/PATH is fetched'),
        ("https://", '"https://" is not on the web. Only https://HOST/PATH is fetched'),
        ("https://../a", '"https://../a" is not on the web. Only https://HOST/PATH is fetched'),
        ("https://a%2Fb/c", '"https://a%2Fb/c" is not on the web. Only https://HOST/PATH is fetched'),
        (
            f"https://{'a' * 64}.org/",
            f'"https://{"a" * 64}.org/" is not on the web. Only https://HOST/PATH is fetched',
        ),
        (
            "https://ann:pw@icml.cc/",
            'a URL at "icml.cc" has a password in it. Only https://HOST/PATH is fetched',
        ),
        (
            "https://icml.cc:x/",
            "\"https://icml.cc:x/\" is no URL (Invalid port: 'x'). Only https://HOST/PATH is fetched",
        ),
    ],
)
def test_what_is_no_address_is_refused(given: str, said: str) -> None:
    with pytest.raises(FetchError) as refused:
        read_address(given)
    assert str(refused.value) == said


def test_what_may_be_secret_is_not_public() -> None:
    address = read_address("https://api.openalex.org/works?filter=a:b&api_key=k&cursor=*&mailto=a@b.c")
    assert address.public == "https://api.openalex.org/works?filter=a%3Ab&cursor=%2A"
    assert address.place == "api.openalex.org/works"
    assert read_address("https://icml.cc/a?api_key=k").public == "https://icml.cc/a"
    plain = "https://icml.cc/a?filter=a:b"
    assert read_address(plain).public == plain


@pytest.mark.parametrize(
    ("mirror", "asked"),
    [
        (None, "https://icml.cc/a?b=c"),
        ("http://127.0.0.1:80/", "http://127.0.0.1/icml.cc/a?b=c"),
        ("http://[::1]:8080", "http://[::1]:8080/icml.cc/a?b=c"),
        ("https://lab.example/papers", "https://lab.example/papers/icml.cc/a?b=c"),
    ],
)
def test_a_mirror_has_sites_below_it(mirror: str | None, asked: str) -> None:
    assert str(read_mirror(mirror).asked(read_address("https://icml.cc/a?b=c"))) == asked


@pytest.mark.parametrize(
    ("mirror", "said"),
    [
        ("http://lab.example", 'LUNWEN_MIRROR is "http://lab.example", which anybody between could change'),
        ("https://ann:pw@lab.example", "LUNWEN_MIRROR has a password in it"),
        ("lab.example", 'LUNWEN_MIRROR is "lab.example"'),
        ("https://lab.example/?site=", 'LUNWEN_MIRROR is "https://lab.example/"'),
    ],
)
def test_what_is_no_mirror_is_refused(mirror: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_mirror(mirror)
    assert str(refused.value) == f"{said}. Set it to https://HOST/PATH; http is for this machine alone"
