from __future__ import annotations

import pytest

from lunwen.corpus.paper import Record
from lunwen.corpus.sources.arxiv import SOURCE
from lunwen.corpus.sync.arxiv import arxiv_edition
from lunwen.corpus.sync.site import arxiv_query
from lunwen.corpus.sync.site.arxiv_query import ArxivQuery
from lunwen.errors import FetchError, UnreadableFile

HOST, PATH = "export.arxiv.org", "/api/query"


def entry(name: str) -> str:
    return f"""<entry><id>http://arxiv.org/abs/{name}v1</id><published>2021-01-04T00:00:00Z</published>
<title>Odd wheels, number {name}</title><summary>  They turn.</summary><author><name>Ada Odd</name></author>
<category term="cs.LG"/></entry>"""


def feed(entries: list[str], total: int) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">
<id>http://arxiv.org/api/odd</id><o:totalResults>{total}</o:totalResults>{"".join(entries)}</feed>"""


class Api:
    """arXiv's API with so many papers, which now and then gives an empty page."""

    def __init__(self, server, total: int) -> None:
        self.names = [f"2101.{number:05}" for number in range(total)]
        self.empty = 0
        server.route(HOST, PATH, self.answer)

    def answer(self, asked) -> str:
        if ids := asked.query.get("id_list"):
            found = [entry(one) for one in ids.split(",") if one in self.names]
            return feed(found, max(len(found), 1))
        start, size = int(asked.query["start"]), int(asked.query["max_results"])
        if start and self.empty:
            self.empty -= 1
            return feed([], len(self.names))
        return feed([entry(one) for one in self.names[start : start + size]], len(self.names))


@pytest.fixture(autouse=True)
def small_pages(monkeypatch) -> None:
    monkeypatch.setattr(arxiv_query, "SIZE", 3)
    monkeypatch.setattr(arxiv_query, "IDS", 2)


def walk(fetcher, words: str = "cat:cs.LG", after: str | None = None):
    return ArxivQuery().pages(arxiv_edition(words), fetcher, after=after)


def keys(pages) -> list[str]:
    return [one.key for page in pages for one in SOURCE.read(page.file) if isinstance(one, Record)]


def test_all_that_a_query_finds_comes_the_oldest_first(server, fetcher) -> None:
    api = Api(server, 7)
    pages = list(walk(fetcher, "cat:cs.LG AND submittedDate:[202101010000 TO 202101312359]"))
    assert keys(pages) == api.names
    assert [(page.next, page.total) for page in pages] == [("3", 7), ("6", 7), (None, 7)]
    # blanks and brackets are escaped once; + would be read as itself
    assert server.asked[0] == (
        "export.arxiv.org/api/query?search_query=cat:cs.LG%20AND%20submittedDate:%5B202101010000%20TO%20"
        "202101312359%5D&start=0&max_results=3&sortBy=submittedDate&sortOrder=ascending"
    )
    assert keys(walk(fetcher, after=pages[0].next)) == api.names[3:]


def test_a_page_that_comes_empty_is_asked_for_again(server, fetcher) -> None:
    api = Api(server, 5)
    api.empty = 2
    assert keys(walk(fetcher)) == api.names


def test_a_page_that_stays_empty_fails_with_what_came_before(server, fetcher) -> None:
    api = Api(server, 5)
    api.empty = 3
    pages = walk(fetcher)
    first = next(pages)
    assert keys([first]) == api.names[:3]
    with pytest.raises(FetchError) as error:
        next(pages)
    assert str(error.value) == (
        "arxiv cat:cs.LG: arXiv finds 5 papers and gives none from number 4 on. "
        "It does so at times; the next sync goes on there"
    )


def test_a_query_that_finds_nothing_is_an_empty_page(server, fetcher) -> None:
    Api(server, 0)
    (page,) = walk(fetcher)
    assert (keys([page]), page.next, page.total) == ([], None, 0)


def test_more_than_arxiv_gives_is_refused_at_once(server, fetcher, monkeypatch) -> None:
    monkeypatch.setattr(arxiv_query, "MOST", 4)
    Api(server, 5)
    with pytest.raises(FetchError) as error:
        next(walk(fetcher))
    assert str(error.value) == (
        "arxiv cat:cs.LG: 5 papers, of which arXiv gives 4. Ask for fewer with "
        "submittedDate:[202601010000 TO 202612312359], or follow a category: lunwen sync arxiv cs.LG"
    )


def test_papers_by_their_ids(server, fetcher) -> None:
    Api(server, 5)
    pages = list(walk(fetcher, "2101.00004v1 arxiv:2101.00002 https://arxiv.org/pdf/2101.00000"))
    assert keys(pages) == ["2101.00004", "2101.00002", "2101.00000"]
    assert pages[0].next == "2"


def test_an_id_that_is_none_is_told_after_the_others_came(server, fetcher) -> None:
    Api(server, 1)  # of an unknown id alone arXiv says that it found 1, and gives none
    pages = walk(fetcher, "2101.00000, 2101.99999, 2101.00777")
    assert keys([next(pages), next(pages)]) == ["2101.00000"]
    with pytest.raises(FetchError, match=r"^arXiv has no 2101.99999, 2101.00777. Look for a digit too few"):
        next(pages)


def test_what_arxiv_says_of_a_query_is_told(server, fetcher) -> None:
    said = "<entry><id>http://arxiv.org/api/errors#odd</id><summary>odd query</summary></entry>"
    server.put(HOST, PATH, feed([said], 1))
    with pytest.raises(FetchError, match=r"^arXiv refuses: odd query$"):
        next(walk(fetcher))


@pytest.mark.parametrize("body", ["", "<!doctype html><p>Back soon", feed([], 3)[:150]])
def test_nonsense_is_refused(server, fetcher, body: str) -> None:
    server.put(HOST, PATH, body)
    with pytest.raises(UnreadableFile):
        next(walk(fetcher))


def test_a_total_that_is_no_number_does_no_harm(server, fetcher) -> None:
    server.put(HOST, PATH, feed([entry("2101.00001")], 1).replace(">1<", f">{'9' * 5_000}<"))
    assert keys(walk(fetcher)) == ["2101.00001"]
