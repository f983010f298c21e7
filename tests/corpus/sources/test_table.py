from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Markup, Paper, Record, Status
from lunwen.corpus.sources.table import SOURCE
from lunwen.errors import UnreadableFile


def test_a_spreadsheet_of_someone_else(read):
    records, bad = read(SOURCE, "foreign.csv")
    paper, short, last = records
    assert (paper.title, paper.abstract) == ('Odd, and "even"', "Two\nlines")
    assert paper.authors == (
        Author(name="Ana Díaz", given="Ana", family="Díaz"),
        Author(name="Lei Li", given="Lei", family="Li"),
    )
    assert (paper.year, paper.venue, paper.keywords) == (2031, "ODD", ("a", "b"))
    assert paper.identifiers == {"doi": "10.1234/odd.7", "openreview": "Ab-_9"}
    assert paper.markup is Markup.PLAIN
    assert (short.title, short.place) == ("Short row", "line 4")
    assert [author.name for author in last.authors] == ["Ada Lovelace", "Alan Turing"]
    assert [(item.place, item.reason) for item in bad] == [
        ("line 6", "no title"),
        ("line 7", "9 cells under 8 columns"),
        ("line 8", "holds a NUL byte"),
        ("line 9", "not UTF-8"),
    ]


def test_tabs(read):
    records, bad = read(SOURCE, "tabs.tsv")
    assert [author.name for author in records[0].authors] == ["Ana Díaz", "Lei Li", "Mausam"]
    assert (records[0].status, records[0].citations, bad) == (Status.ORAL, 12, [])


def test_our_own_export(read, file):
    tables = pytest.importorskip("lunwen.export.tables")
    paper = Paper(
        paper_id="odd-1",
        title="=SUM(A1), in $x$",
        authors=(Author(name="Ana Díaz"), Author(name="King, Jr.")),
        abstract='Two\nlines, "quoted"',
        venue="ODD",
        year=2031,
        topic=("Deep Learning", "LLM"),
        status=Status.SPOTLIGHT,
        identifiers={"doi": "10.1234/odd.7", "arxiv": "1301.3780", "openreview": "Ab-_9", "acl": "P17-1001"},
        urls={"paper": "https://example.org/1", "pdf": "https://example.org/1.pdf", "code": "https://c.org"},
        keywords=("a", "b"),
        citations=0,
        date="2031-07",
    )
    data = "".join(tables.csv_rows([paper])).encode()
    assert SOURCE.sniff(file(data))
    records, bad = read(SOURCE, data)
    assert bad == []
    assert records == [
        Record(
            key=paper.paper_id,
            **{
                name: getattr(paper, name)
                for name in (
                    "title", "authors", "abstract", "venue", "year", "topic", "status", "identifiers",
                    "urls", "keywords", "citations", "date",
                )
            },
            markup=Markup.CLEAN,
            place="line 2",
        )
    ]  # fmt: skip


def test_a_two_megabyte_cell(read):
    records, bad = read(SOURCE, b"title,abstract\nT," + b"x" * 2_000_000 + b"\n")
    assert (len(records[0].abstract), bad) == (2_000_000, [])


@pytest.mark.parametrize("rest", ["", '"Quoted, too",2031\n'])
def test_a_quotation_mark_that_is_not_closed_costs_its_own_row_alone(read, rest):
    rows = 'title,year\nOne,2031\n"Two,2031\nThree,2031\n"Fo\nur",2031\n' + rest
    records, bad = read(SOURCE, rows.encode())
    assert [(one.title, one.place) for one in records][:3] == [
        ("One", "line 2"),
        ("Three", "line 4"),
        ("Fo\nur", "line 5"),
    ]
    assert len(records) == 3 + bool(rest)
    assert [(one.place, one.reason) for one in bad] == [("line 3", "broken row: ',' expected after '\"'")]


def test_an_open_quotation_mark_in_the_last_row_and_sloppy_ones_inside(read):
    rows = 'title,year\nA 5" disk,2031\n"A "small" one",2031\n"Open,2031\nLast,2031\n'
    records, bad = read(SOURCE, rows.encode())
    assert [one.title for one in records] == ['A 5" disk', 'A small" one"', "Last"]
    assert [(one.place, one.reason) for one in bad] == [("line 4", "broken row: unexpected end of data")]


def test_the_same_row_twice(read):
    records, bad = read(SOURCE, b"id,title,year\n1,T,2000\n1,U,2001\n")
    assert len(records) == 1
    assert bad[0].reason == 'a second row "1"; the first is kept'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"Title,Author\nT,A\n", True),
        ("标题,作者,年份\nT,A,2000\n".encode(), True),
        (b"TITLE;YEAR\r\nT;2000\r\n", True),
        (b"title\nT\n", False),
        (b"name,authors\nT,A\n", False),
        (b"A title, and a year\n", False),
        (b'{"title": 1, "year": 2}', False),
        (b"", False),
        (b"\x00title,year\rT,2000\x1f\n", False),
    ],
)
def test_sniffing(file, data, expected):
    assert SOURCE.sniff(file(data)) is expected


def test_a_table_without_titles_is_refused(read):
    with pytest.raises(UnreadableFile) as error:
        read(SOURCE, b"name,year\nT,2000\n")
    assert str(error.value) == 'sample has no column "title" · the first row must name the columns'
