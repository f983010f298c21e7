from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.server import FAULTS

from lunwen.corpus.paper import Record, Status
from lunwen.corpus.sources import find_source
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.site import openreview
from lunwen.corpus.sync.site.openreview import OpenReview
from lunwen.errors import Expired, FetchError, NotPublished, Refused, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Request, Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.sync.page import Page

V1, V2 = "api.openreview.net", "api2.openreview.net"
ICLR = find_edition("iclr", 2024, site="openreview")
OLD = find_edition("iclr", 2019, site="openreview")
GROUP = "ICLR.cc/2024/Conference"
INVITATION = "ICLR.cc/2019/Conference/-/Blind_Submission"


def note(number: int, group: str = GROUP, venue: str = "ICLR 2024 poster") -> dict[str, Any]:
    """A note of API 2."""
    return {
        "id": f"n{number}",
        "forum": f"n{number}",
        "number": number,
        "invitations": [f"{group}/-/Submission"],
        "cdate": 1_700_000_000_000,
        "content": {
            "title": {"value": f"Wheel {number}"},
            "authors": {"value": ["Ada Odd"]},
            "venue": {"value": venue},
            "venueid": {"value": group},
        },
    }


def old_note(number: int, decision: str | None) -> dict[str, Any]:
    """A note of API 1, with what the chairs wrote of it."""
    written = {
        "invitation": f"ICLR.cc/2019/Conference/-/Paper{number}/Meta_Review",
        "content": {"recommendation": decision},
    }
    review = {
        "invitation": f"ICLR.cc/2019/Conference/-/Paper{number}/Official_Review",
        "content": {"recommendation": "Reject"},
    }
    return {
        "id": f"o{number}",
        "forum": f"o{number}",
        "invitation": INVITATION,
        "cdate": 1_540_000_000_000,
        "content": {"title": f"Cog {number}", "authors": ["Bo Odd"]},
        "details": {"directReplies": [review, written] if decision else [review]},
    }


def serve(server: Server, host: str, notes: dict[str, list[dict[str, Any]]]) -> None:
    """Answer as the API does, by group or invitation."""

    def answer(asked: Request) -> str:
        query = asked.query
        listed = notes.get(query.get("content.venueid") or query["invitation"], [])
        start = int(query["offset"])
        return json.dumps({"notes": listed[start : start + int(query["limit"])], "count": len(listed)})

    server.route(host, "/notes", answer)


def walk(fetcher: HttpFetcher, edition=ICLR, **more: Any) -> list[Page]:
    return list(OpenReview().pages(edition, fetcher, **more))


def read(page: Page) -> list[Record]:
    records = [one for one in find_source("openreview").read(page.file) if isinstance(one, Record)]
    return [one for one in records if page.keep is None or page.keep(one)]


@pytest.fixture(autouse=True)
def nobody_logs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openreview.settings, "openreview_login", lambda: None)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openreview, "_SIZES", {"v1": 2, "v2": 2})


@pytest.mark.usefixtures("small_pages")
def test_accepted_papers_page_by_page(server: Server, fetcher: HttpFetcher) -> None:
    rejected = f"{GROUP}/Rejected_Submission"
    serve(
        server,
        V2,
        {GROUP: [note(n) for n in (1, 2, 3)], rejected: [note(4, rejected, "Submitted to ICLR 2024")]},
    )
    pages = walk(fetcher)
    assert [(page.name, page.next) for page in pages] == [(f"{GROUP} 0", f"{GROUP} 2"), (f"{GROUP} 2", None)]
    assert [(one.key, one.status) for page in pages for one in read(page)] == [
        ("n1", Status.POSTER), ("n2", Status.POSTER), ("n3", Status.POSTER),
    ]  # fmt: skip
    assert server.asked[0] == (
        "api2.openreview.net/notes?content.venueid=ICLR.cc/2024/Conference&sort=number:asc&limit=2&offset=0"
    )
    assert [page.name for page in walk(fetcher, after=f"{GROUP} 2")] == [f"{GROUP} 2"]
    *_, last = walk(fetcher, with_rejected=True)
    assert (last.name, last.next) == (f"{rejected} 0", None)
    assert [(one.key, one.status) for one in read(last)] == [("n4", Status.REJECTED)]


def test_api_1_gives_all_submissions_and_what_was_decided(server: Server, fetcher: HttpFetcher) -> None:
    decisions = {1: "Accept (Oral)", 2: "Reject", 3: None}
    gone = "ICLR.cc/2019/Conference/-/Withdrawn_Submission"
    withdrawn = {**old_note(9, None), "invitation": gone}
    serve(server, V1, {INVITATION: [old_note(*one) for one in decisions.items()], gone: [withdrawn]})
    (page,) = walk(fetcher, OLD)
    assert [(one.key, one.status) for one in read(page)] == [("o1", Status.ORAL), ("o3", Status.PREPRINT)]
    assert "details=directReplies" in server.asked[0]
    assert [page.name for page in walk(fetcher, OLD, with_rejected=True)] == [
        f"{INVITATION} 0 with rejected",
        f"{gone} 0 with rejected",
    ]
    every = [(one.key, one.status) for page in walk(fetcher, OLD, with_rejected=True) for one in read(page)]
    assert every == [
        ("o1", Status.ORAL), ("o2", Status.REJECTED), ("o3", Status.PREPRINT), ("o9", Status.WITHDRAWN),
    ]  # fmt: skip


def test_a_journal_has_no_years(server: Server, fetcher: HttpFetcher) -> None:
    serve(
        server,
        V2,
        {
            "TMLR": [note(1, "TMLR", "Accepted by TMLR")],
            "TMLR/Rejected": [note(2, "TMLR/Rejected", "Rejected by TMLR")],
        },
    )
    pages = walk(fetcher, find_edition("tmlr"), with_rejected=True)
    assert [(one.venue, one.year, one.status) for page in pages for one in read(page)] == [
        ("Accepted by TMLR", 2023, Status.ACCEPTED),
        ("Rejected by TMLR", 2023, Status.REJECTED),
    ]


def test_nothing_accepted_yet(server: Server, fetcher: HttpFetcher) -> None:
    serve(server, V2, {})
    with pytest.raises(NotPublished, match="ICLR 2024 has no papers at openreview yet"):
        walk(fetcher)
    serve(server, V1, {INVITATION: [old_note(1, None)]})
    with pytest.raises(Expired):
        walk(fetcher, OLD, after=f"{INVITATION} 250")


def test_notes_without_a_count_end_with_a_page_that_is_not_full(
    server: Server, fetcher: HttpFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openreview, "_SIZES", {"v2": 2})
    first, second = [note(1), note(2)], [note(3)]
    server.route(
        V2, "/notes", lambda asked: json.dumps({"notes": second if asked.query["offset"] == "2" else first})
    )
    assert [page.next for page in walk(fetcher)] == [f"{GROUP} 2", None]


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            '{"notes": [], "count": 5}',
            "gave no notes, of 5 that there are. Nothing of it was taken.",
        ),
        ('{"name": "RateLimitError"}', "gave JSON of another kind in place of notes."),
        ('{"notes": [{"id"', "came cut short or damaged"),
    ],
)
def test_nonsense_is_not_taken(server: Server, fetcher: HttpFetcher, answer: str, said: str) -> None:
    server.route(V2, "/notes", lambda _: answer)
    with pytest.raises(UnreadableFile) as refused:
        walk(fetcher)
    assert str(refused.value).partition(" ")[2].startswith(said)


def test_programs_are_asked_to_log_in(server: Server, fetcher: HttpFetcher) -> None:
    server.misbehave(V2, "/notes", FAULTS["403"])
    with pytest.raises(Refused) as refused:
        walk(fetcher)
    assert str(refused.value) == (
        "OpenReview answers programs only after a login. Set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD, or "
        "take another site with --site: lunwen sources"
    )


@pytest.fixture
def login(server: Server, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Log in as somebody; what was sent to log in."""
    sent: list[str] = []

    def answer(asked: Request) -> str | None:
        sent.append(asked.body.decode())
        return '{"token": "t0ken", "user": {}}'

    monkeypatch.setattr(openreview.settings, "openreview_login", lambda: ("ada@example.org", "s3cret"))
    server.route(V2, "/login", answer)
    return sent


def test_who_has_a_login_uses_it(server: Server, fetcher: HttpFetcher, login: list[str]) -> None:
    serve(server, V2, {GROUP: [note(1)]})
    assert len(walk(fetcher)) == 1
    assert json.loads(login[0]) == {"id": "ada@example.org", "password": "s3cret"}
    assert server.requests[-1].headers["authorization"] == "Bearer t0ken"
    server.misbehave(V2, "/notes", FAULTS["403"])
    with pytest.raises(Refused, match=f"OpenReview does not show {GROUP} to this login"):
        walk(fetcher)


@pytest.mark.usefixtures("login")
@pytest.mark.parametrize("fault", ["401", "HTML with 200", "nothing with 200"])
def test_a_login_that_fails_says_so_and_no_secret(server: Server, fetcher: HttpFetcher, fault: str) -> None:
    serve(server, V2, {GROUP: [note(1)]})
    server.misbehave(V2, "/login", FAULTS[fault])
    with pytest.raises(FetchError) as refused:
        walk(fetcher)
    assert "OPENREVIEW_USERNAME" in str(refused.value)
    assert not {"s3cret", "ada@example.org", "t0ken"} & set(str(refused.value).split())
    assert "s3cret" not in str(refused.value)


@pytest.mark.usefixtures("login")
def test_a_wrong_password_is_not_accepted(server: Server, fetcher: HttpFetcher) -> None:
    server.put(V2, "/login", '{"name": "Error", "message": "Invalid username or password"}', status=400)
    with pytest.raises(Refused, match="OpenReview did not accept the login"):
        walk(fetcher)


@pytest.mark.usefixtures("login")
def test_where_logging_in_fails_the_login_is_not_to_blame(server: Server, fetcher: HttpFetcher) -> None:
    server.misbehave(V2, "/login", FAULTS["500"])
    with pytest.raises(FetchError) as failed:
        walk(fetcher)
    assert "api2.openreview.net/login" in str(failed.value)
    assert "HTTP 500" in str(failed.value)
    assert "OPENREVIEW_USERNAME" not in str(failed.value)
    assert "s3cret" not in str(failed.value)


@pytest.mark.usefixtures("login")
@pytest.mark.parametrize("token", ["a\r\nX-Odd: t0ken", "\0t0ken", "t0ken安"])
def test_a_token_that_no_header_can_hold_is_none(server: Server, fetcher: HttpFetcher, token: str) -> None:
    server.put(V2, "/login", json.dumps({"token": token}))
    with pytest.raises(Refused) as refused:
        walk(fetcher)
    assert "did not accept the login" in str(refused.value)
    assert "t0ken" not in str(refused.value)
