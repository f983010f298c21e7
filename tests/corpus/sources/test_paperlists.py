from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.corpus.files import open_paths
from lunwen.corpus.paper import Author, BadRecord, Record, Status
from lunwen.corpus.sources import sniff
from lunwen.corpus.sources._entry import read_fields
from lunwen.corpus.sources.paperlists import SOURCE
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]

ROW: dict[str, Any] = {
    "id": "AbC",
    "title": "A Paper",
    "track": "main",
    "status": "Poster",
    "abstract": "We do this and that.",
    "author": "Ana Díaz;Li Lei",
    "gs_citation": 3,
}


@pytest.fixture
def one(source_file: Make) -> Callable[..., Record]:
    def read(file_name: str = "icml2019.json", **changes: object) -> Record:
        file = source_file(json.dumps([ROW | changes]), file_name)
        assert sniff(file) is SOURCE
        [record] = SOURCE.read(file)
        assert isinstance(record, Record)
        return record

    return read


@cache
def read_shared(shared: Path, name: str) -> list[Record]:
    [file] = open_paths([str(shared / "corpora/paperlists" / f"{name}.json.gz")])
    assert sniff(file) is SOURCE
    records = list(SOURCE.read(file))
    assert not [record for record in records if isinstance(record, BadRecord)]
    return [record for record in records if isinstance(record, Record)]


P, O, A, W, R = Status.POSTER, Status.ORAL, Status.ACCEPTED, Status.WITHDRAWN, Status.REJECTED  # noqa: E741
_CVF = "{}_{}_CVPR_2019_paper"
REAL = {
    "acl2022": (
        1031, "acl", "acl",
        ("(Un)solving", "Omer Goldman", 3, A, "2022.acl-short.96"),
        ("A Good Prom", "Woojeong Jin", 5, A, "2022.acl-long.197"),
        ("∞-former: I", "Pedro Henrique Martins", 3, A, "2022.acl-long.375"),
    ),
    "aistats2025": (
        583, "aistats", "openreview",
        ("Integer Pro", "Sanjeeb Dash", 3, P, "0FvarE8SMs"),
        ("Nonparametr", "Anna Bonnet", 2, P, "1MnUyJoVNC"),
        ("Variational", "Juncheng Dong", 5, P, "zpfWwq0Ytl"),
    ),
    "colm2025": (
        418, "colm", "openreview",
        ("BEARCUBS: A", "Yixiao Song", 6, P, "0JzWiigkUy"),
        ("FalseReject", "Zhehao Zhang", 4, P, "1w9Hay7tvm"),
        ("Jigsaw Puzz", "Hao Yang", 4, P, "zuNM3eoPVi"),
    ),
    "corl2024": (
        264, "corl", "openreview",
        ("Provably Sa", "Zhan Gao", 4, P, "0M7JiV1GFN"),
        ("Manipulate-", "Jiafei Duan", 7, P, "2SYFDG4WRA"),
        ("Gentle Mani", "Jay Jacob", 5, P, "zr2GPi3DSb"),
    ),
    "cvpr2019": (
        1294, "cvpr", "cvf",
        ('"Double-DIP', "Yosef Gandelsman", 3, O, _CVF.format("Gandelsman", "Double-DIP_Unsupervised_Image_"
         "Decomposition_via_Coupled_Deep-Image-Priors")),
        ("3D Point Ca", "Yongheng Zhao", 4, P, _CVF.format("Zhao", "3D_Point_Capsule_Networks")),
        ("d-SNE: Doma", "Xiang Xu", 5, O, _CVF.format("Xu", "d-SNE_Domain_Adaptation_Using_Stochastic_"
         "Neighborhood_Embedding")),
    ),
    "iclr2018": (
        995, "iclr", "openreview",
        ("Robust Task", "Mo Yu", 8, W, "B11bwYgfM"),
        ("Emergence o", "Christopher J. Cueva", 2, P, "B17JTOe0-"),
        ("Image Quali", "Michael O. Vertolli", 2, R, "ryzm6BATZ"),
    ),
    "icml2019": (
        774, "icml", "pmlr",
        ("A Baseline ", "Jingkai Mao", 6, O, "v97/mao19a"),
        ("A Framework", "Amin Nayebi", 3, O, "v97/nayebi19a"),
        ("kernelPSI: ", "Lotfi Slim", 4, O, "v97/slim19a"),
    ),
    "kdd2024": (
        562, "kdd", "none",
        ("A Deep Pred", "Zhen Wu", 5, None, None),
        ("A Self-boos", "Shunyu Zhang", 5, None, None),
        ("ZeroG: Inve", "Yuhan Li", 5, None, None),
    ),
    "nips1987": (
        90, "neurips", "neurips",
        ("A 'Neural' ", "G. Tesauro", 2, P, "1987/d59a1dc497cf2773637256f50f492723"),
        ("A Trellis-S", "Thomas Petsche", 2, P, "1987/0a5209deb79dc584d8ddb41a792d8549"),
        ("Using Neura", "Manoel F. Tenorio", 1, P, "1987/650e2245aa3513ed517f4cf1b3d58e06"),
    ),
    "nips2018": (
        1009, "neurips", "event",
        ("$\\ell_1$-re", "Lijun Zhang", 2, P, "neurips-2018-11127"),
        ("A Bridging ", "Risheng Liu", 6, P, "neurips-2018-11427"),
        ("rho-POMDPs ", "Mathieu Fehr", 4, P, "neurips-2018-11668"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_lists(shared: Path, name: str) -> None:
    count, venue, scheme, *shown = REAL[name]
    records = read_shared(shared, name)
    assert len(records) == len({record.key for record in records}) == count
    picked = records[0], records[9], records[-1]
    assert [
        ((r.title or "")[:11], r.authors[0].name, len(r.authors), r.status, r.identifiers.get(str(scheme)))
        for r in picked
    ] == shown
    assert {(record.venue, record.year) for record in records} == {(venue, int(name[-4:]))}
    assert all(record.authors for record in records)


def test_what_stands_for_an_abstract_is_none(shared: Path) -> None:
    old = read_shared(shared, "nips1987")
    missing = 'abstract missing: the source has "Abstract Unavailable"'
    assert sum(record.notes == (missing,) for record in old) == 8
    assert sum(bool(record.notes) for record in read_shared(shared, "nips2018")) == 4
    assert all(record.abstract is None for record in old if record.notes)


def test_iclr_2018_holds_every_decision(shared: Path) -> None:
    records = read_shared(shared, "iclr2018")
    counts = {status: sum(record.status is status for record in records) for status in Status}
    assert list(counts.values()) == [23, 0, 314, 90, 3, 496, 69]
    assert {record.track for record in records if record.status is Status.ACCEPTED} == {"Workshop"}
    named = [record for record in records if record.title in ("Withdrawn", "withdrawn")]
    assert [record.status for record in named] == [Status.WITHDRAWN] * 3


def test_two_rows_of_one_icml_paper_share_their_authors(shared: Path) -> None:
    titles = ("Data Poisoning Attacks in Multi-Party Learning", "Universal Multi-Party Poisoning Attacks")
    first, second = (r for r in read_shared(shared, "icml2019") if r.title in titles)
    assert [author.name for author in first.authors] == [author.name for author in second.authors]
    assert len(first.authors) == 3


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ana Díaz;Li Lei", ["Ana Díaz", "Li Lei"]),
        ("Ana Díaz;  Li Lei; ", ["Ana Díaz", "Li Lei"]),
        ("Ana Díaz, Li Lei, Bo Yu", ["Ana Díaz", "Li Lei", "Bo Yu"]),
        ("Ana Díaz, Jr.", ["Ana Díaz, Jr."]),
        ("Díaz, Ana; Lei, Li", ["Díaz, Ana", "Lei, Li"]),
        ("Mausam", ["Mausam"]),
    ],
)
def test_names_are_split(one: Callable[..., Record], text: str, names: list[str]) -> None:
    assert [author.name for author in one(author=text).authors] == names


def test_the_site_names_authors_where_the_list_does_not(one: Callable[..., Record]) -> None:
    assert [a.name for a in one(author="", author_site="Ana Díaz, Li Lei").authors] == ["Ana Díaz", "Li Lei"]


def test_columns_count_only_where_they_align(one: Callable[..., Record]) -> None:
    record = one(
        authorids="~Ana_Díaz1;a@example.org",
        orcid="0000-0002-0337-6682;none",
        aff="There;Here+Elsewhere",
        email=";",
    )
    assert record.authors == (
        Author(name="Ana Díaz", author_id="~Ana_Díaz1", orcid="0000-0002-0337-6682", affiliation="There"),
        Author(name="Li Lei", affiliation="Here; Elsewhere"),
    )
    assert one(authorids="/d/ana-diaz/;/l/li-lei/").authors[1].author_id == "li-lei"
    assert one(authorids="~Ana_Díaz1", aff="a;b;c", orcid="").authors == (
        Author(name="Ana Díaz"),
        Author(name="Li Lei"),
    )


@pytest.mark.parametrize(
    "text", ["Abstract Unavailable", "Part of", "Li Lei", "of", "One widely-studied model of"]
)
def test_sentinels(one: Callable[..., Record], text: str) -> None:
    record = one(abstract=text)
    assert record.abstract is None
    assert record.notes == (f'abstract missing: the source has "{text}"',)
    assert one(abstract="").notes == one(abstract=None).notes == ()


@pytest.mark.parametrize(
    ("status", "track", "expected"),
    [
        ("Oral", "main", (Status.ORAL, None)),
        ("Spotlight", None, (Status.SPOTLIGHT, None)),
        ("Reject", "main", (Status.REJECTED, None)),
        ("Desk Reject", "main", (Status.WITHDRAWN, None)),
        ("Withdraw", "main", (Status.WITHDRAWN, None)),
        ("Active", "main", (Status.PREPRINT, None)),
        ("Workshop", "main", (Status.ACCEPTED, "Workshop")),
        ("Long", "main", (Status.ACCEPTED, "Long")),
        ("Findings", "main", (Status.ACCEPTED, "Findings")),
        ("Poster", "Datasets & Benchmarks", (Status.POSTER, "Datasets & Benchmarks")),
        ("", "main", (None, None)),
        (None, None, (None, None)),
    ],
)
def test_status_and_track(
    one: Callable[..., Record], status: str | None, track: str | None, expected: tuple[object, object]
) -> None:
    record = one(status=status, track=track)
    assert (record.status, record.track) == expected


def test_venue_and_year_are_in_the_links_before_the_name(one: Callable[..., Record]) -> None:
    record = one("iclr2020.json", site="https://nips.cc/virtual/2018/poster/11127")
    assert (record.venue, record.year, record.key) == ("neurips", 2018, "neurips-2018/AbC")
    assert record.identifiers == {"event": "neurips-2018-11127"}
    entry = "@inproceedings{a, booktitle={Some Conference}, year={2017}}"
    assert (one(bibtex=entry).venue, one(bibtex=entry).year) == ("icml", 2017)
    nameless = one("papers.json", bibtex=entry)
    assert (nameless.venue, nameless.year, nameless.key) == ("Some Conference", 2017, "AbC")


@pytest.mark.parametrize(
    ("cell", "url"),
    [
        ("https://github.com/a/b", "https://github.com/a/b"),
        ("www.github.com/a/b", "https://www.github.com/a/b"),
        ("github.com", None),
        ("https://github.com/a/b;https://github.com/a/c", "https://github.com/a/b"),
        ("[![github](/i.svg) a/b](https://github.com/a/b) + [![x](/y.svg)](https://paperswithcode.com/p)",
         "https://github.com/a/b"),
        ("[![Papers with Code](/i.svg) 3](https://paperswithcode.com/p)", None),
        ("PKUnlp-icler", None),
        ("", None),
    ],
)  # fmt: skip
def test_code(one: Callable[..., Record], cell: str, url: str | None) -> None:
    assert one(github=cell).urls.get("code") == url


def test_the_rest_of_a_row(one: Callable[..., Record]) -> None:
    record = one(primary_area="Theory->Bandits", keywords="a;b; ", tldr="Short.", award=True, gs_citation=-1)
    assert record.topic == ("Theory", "Bandits")
    assert (record.keywords, record.tldr, record.award, record.citations) == (
        ("a", "b"),
        "Short.",
        "Award",
        None,
    )
    assert one(session="Graph Neural Networks II").topic == ("Graph Neural Networks",)
    assert one(award=False).award is None
    assert one().citations == 3


def test_rows_without_an_id_have_keys_that_last(one: Callable[..., Record]) -> None:
    keys = {one(id=None).key, one(id=None, title="B").key, one(id=None, oa="https://x.org/1").key}
    assert len(keys) == 3
    assert one(id=None).key in keys


def test_a_bibtex_entry_is_read_field_by_field() -> None:
    entry = (
        '@InProceedings{k,\n title = \t {A {B} \\"{o}},\n pages = "1--2",\n year=2019, x = {}, month = jan}'
    )
    assert read_fields(entry) == {
        "title": 'A {B} \\"{o}',
        "pages": "1--2",
        "year": "2019",
        "month": "jan",
    }
    assert read_fields("") == {}
    assert read_fields("@a{b, title = {never closed") == {"title": "never closed"}


def test_another_form_is_refused(source_file: Make) -> None:
    with pytest.raises(UnreadableFile) as caught:
        list(SOURCE.read(source_file('[{"title": "A", "authors": ["B"]}]', "a.json")))
    assert str(caught.value) == (
        "a.json holds no paperlists rows (item 1: not a row of paperlists: no title, or no author text). "
        "Leave --as out, or name another format."
    )
