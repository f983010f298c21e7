"""Every fault × how long it lasts × what comes of it, each a real request to a real server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server import FAULTS

from lunwen.errors import FetchError, NotThere, Refused

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher

HOST, PATH, URL = "icml.cc", "/papers.json", "https://icml.cc/papers.json"
GOOD = b'{"papers": [1, 2, 3, 4, 5, 6, 7, 8, 9]}'
PASSING, LASTING, NONSENSE = (
    [name for name, fault in FAULTS.items() if fault.kind == kind]
    for kind in ("passing", "lasting", "nonsense")
)
OFTEN = ", 3 times. Try again later"
MOVED = ". Look at the address; if the site has moved, a newer lunwen may know where"
BROWSER = ". Open it in a browser to see what it asks for"
REASONS = {
    "429 with Retry-After": f"the site is busy (HTTP 429){OFTEN}",
    "429 with a date": f"the site is busy (HTTP 429){OFTEN}",
    "429 for a day": "the site asks to wait 24 hours (HTTP 429). Try again then",
    "500": f"the site fails (HTTP 500){OFTEN}",
    "503": f"the site is busy (HTTP 503){OFTEN}",
    "reset in the middle": f"the connection broke{OFTEN}",
    "truncated": f"the answer breaks off or is not HTTP{OFTEN}",
    "chunk cut": f"the answer breaks off or is not HTTP{OFTEN}",
    "hangs up": f"the answer breaks off or is not HTTP{OFTEN}",
    "says nothing": f"no answer within 0.1 s{OFTEN}",
    "not HTTP": f"the answer breaks off or is not HTTP{OFTEN}",
    "broken gzip": "its packing is damaged "
    f"(Error -3 while decompressing data: incorrect header check){OFTEN}",
    "strange encoding": f'it is packed as "compress", which nobody asked for{BROWSER}',
    "304 unasked": f"the site says that what nobody has is unchanged (HTTP 304){OFTEN}",
    "401": f"the site refuses (HTTP 401){BROWSER}",
    "403": f"the site refuses (HTTP 403){BROWSER}",
    "404": "the site has nothing there (HTTP 404). Look at the address",
    "410": "the site has nothing there (HTTP 410). Look at the address",
    "redirect loop": f"the site redirects more than 5 times{BROWSER}",
    "redirect to another host": f"the site redirects to another, login.example{MOVED}",
    "redirect to http": f"the site redirects to http, not https{MOVED}",
    "redirect to nowhere": f"the site redirects to nowhere{MOVED}",
    "gzip bomb": "it is longer than 4,000,000 bytes. Download it and import the file",
    "endless": "it is longer than 4,000,000 bytes. Download it and import the file",
}
KINDS = {"401": Refused, "403": Refused, "404": NotThere, "410": NotThere}


@pytest.fixture
def site(server: Server) -> Server:
    server.put(HOST, PATH, GOOD)
    return server


def _fails(fetcher: HttpFetcher) -> FetchError:
    with pytest.raises(FetchError) as failed:
        fetcher.get(URL, max_bytes=4_000_000)
    return failed.value


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_tried_again(name: str, site: Server, fetcher: HttpFetcher) -> None:
    site.misbehave(HOST, PATH, FAULTS[name], times=2)
    with fetcher.get(URL).open() as body:
        assert body.read() == GOOD
    assert len(site.asked) == 3


@pytest.mark.parametrize("name", PASSING)
def test_what_does_not_pass_is_given_up(name: str, site: Server, fetcher: HttpFetcher) -> None:
    site.misbehave(HOST, PATH, FAULTS[name])
    said = str(_fails(fetcher))
    if name == "slow drip":  # how many bytes came is the network's
        assert said.startswith('"icml.cc/papers.json" could not be fetched: it comes too slowly, ')
        assert said.endswith(f" s{OFTEN}")
    else:
        assert said == f'"icml.cc/papers.json" could not be fetched: {REASONS[name]}'
    assert len(site.asked) == 3


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_asked_once(name: str, site: Server, fetcher: HttpFetcher) -> None:
    site.misbehave(HOST, PATH, FAULTS[name])
    failed = _fails(fetcher)
    assert str(failed) == f'"icml.cc/papers.json" could not be fetched: {REASONS[name]}'
    assert type(failed) is KINDS.get(name, FetchError)
    assert len(site.asked) == (6 if name == "redirect loop" else 1)


@pytest.mark.parametrize("name", [*PASSING, *LASTING])
def test_what_the_cache_has_outlives_every_fault(name: str, site: Server, fetcher: HttpFetcher) -> None:
    fetcher.get(URL)
    site.misbehave(HOST, PATH, FAULTS[name])
    _fails(fetcher)
    fetcher.offline = True
    with fetcher.get(URL).open() as body:
        assert body.read() == GOOD
    assert not list(fetcher.cache.folder.glob("*.part"))


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_for_its_reader_to_tell_who_has_it_forgotten(
    name: str, site: Server, fetcher: HttpFetcher
) -> None:
    site.misbehave(HOST, PATH, FAULTS[name], times=1)
    with fetcher.get(URL, once=True).open() as body:
        assert body.read() != GOOD
    fetcher.forget()
    with fetcher.get(URL, once=True).open() as body:
        assert body.read() == GOOD


def test_a_bomb_is_not_unpacked_further_than_allowed(site: Server, fetcher: HttpFetcher) -> None:
    site.misbehave(HOST, PATH, FAULTS["gzip bomb"])
    with pytest.raises(FetchError) as failed:
        fetcher.get(URL)  # as long as it likes
    said = re.fullmatch(r"(.*: )([\d,]+) bytes unpack to ([\d,]+)( and more, .*)", str(failed.value))
    assert said is not None
    assert said[1] == '"icml.cc/papers.json" could not be fetched: '
    assert said[4] == f" and more, which no page does{BROWSER}"
    limits, unpacked = fetcher.limits, int(said[3].replace(",", ""))
    assert limits.ratio_from < unpacked <= limits.ratio_from + (1 << 18)  # one piece more


def test_no_fault_is_left_out_here_or_in_the_guide() -> None:
    assert set(REASONS) | {"slow drip"} == {*PASSING, *LASTING}
    guide = Path(__file__).parents[3] / "docs" / "guide" / "following.md"
    rows = [line.split("|")[1] for line in guide.read_text("utf-8").splitlines() if line.startswith("|")]
    assert set(FAULTS) - {name.strip() for row in rows for name in row.split(";")} == set()
