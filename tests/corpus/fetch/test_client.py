"""What a fetcher gives where nothing is wrong: conditions, the cache, names, secrets, offline."""

from __future__ import annotations

import gzip
import json
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from tests.server import Answer, Request, Server

from lunwen.corpus.fetch.client import HttpFetcher, open_fetcher
from lunwen.corpus.fetch.limit import Limits
from lunwen.errors import FetchError, Refused, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from lunwen.corpus.fetch.reply import Reply

URL = "https://icml.cc/static/papers.json"
HOST, PATH = "icml.cc", "/static/papers.json"


def _read(reply: Reply) -> bytes:
    with reply.open() as body:
        return body.read()


def _kept(fetcher: HttpFetcher) -> str:
    """All that is on disk, names included."""
    files = [path for path in fetcher.cache.folder.rglob("*") if path.is_file()]
    return "\n".join(f"{path.name} {path.read_text('utf-8', 'replace')}" for path in files)


@pytest.mark.parametrize("validator", [{"etag": '"v1"'}, {"last_modified": "Tue, 01 Jul 2025 10:00:00 GMT"}])
def test_a_second_time_no_body_is_sent(
    validator: dict[str, str], server: Server, fetcher: HttpFetcher
) -> None:
    server.put(HOST, PATH, '{"count": 2}', **validator)
    first = fetcher.get(URL)
    assert (first.url, first.final_url) == (URL, URL)
    assert (first.size, first.received, first.unchanged) == (12, 12, False)
    second = fetcher.get(URL)
    assert (second.received, second.unchanged, second.fetched) == (0, True, first.fetched)
    assert _read(first) == _read(second) == b'{"count": 2}'
    assert server.sent == 12
    assert server.requests[-1].status == 304


def test_a_changed_body_comes_whole(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PATH, "[1]", etag='"v1"')
    old = fetcher.get(URL)
    server.put(HOST, PATH, "[1, 2]", etag='"v2"')
    new = fetcher.get(URL)
    assert (_read(old), _read(new)) == (b"[1]", b"[1, 2]")  # who reads the old one is not disturbed
    assert (new.unchanged, new.received) == (False, 6)


def test_the_same_body_sent_again_is_unchanged(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PATH, "[1]")
    assert [fetcher.get(URL).unchanged for _ in range(2)] == [False, True]
    assert [one.received for one in (fetcher.get(URL),)] == [3]


def test_a_packed_body_is_unpacked(server: Server, fetcher: HttpFetcher) -> None:
    text = json.dumps(list(range(10_000))).encode()
    server.put(HOST, PATH, text, zipped=True)
    reply = fetcher.get(URL)
    assert _read(reply) == text
    assert reply.received == len(gzip.compress(text, 1)) < reply.size == len(text)


def test_members_of_a_packed_body_follow_one_another(server: Server, fetcher: HttpFetcher) -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two") + bytes(7)
    server.put(HOST, PATH, packed, headers={"Content-Encoding": "gzip"})
    assert _read(fetcher.get(URL)) == b"one two"
    server.put(HOST, PATH, packed[:10], headers={"Content-Encoding": "gzip"})
    with pytest.raises(FetchError, match="its packing breaks off, 3 times"):
        fetcher.get(URL)


def test_what_is_right_for_good_is_asked_once(server: Server, fetcher: HttpFetcher, tmp_path: Path) -> None:
    server.put(HOST, PATH, "page")
    assert [fetcher.get(URL, once=True).unchanged for _ in range(3)] == [False, True, True]
    assert len(server.asked) == 1
    with HttpFetcher(tmp_path / "cache", mirror=server.url, fresh=True) as other:
        assert not other.get(URL, once=True).unchanged
    assert len(server.asked) == 2


def test_what_nobody_keeps_is_there_for_a_while(server: Server, fetcher: HttpFetcher) -> None:
    server.route(HOST, "/.*", lambda asked: asked.query["page"])
    replies = [fetcher.get(f"{URL}?page={page}", keep=False) for page in range(9)]
    assert [reply.path.exists() for reply in replies] == [False, *[True] * 8]
    assert _read(replies[8]) == b"8"
    fetcher.close()
    assert not any(reply.path.exists() for reply in replies)


# Who asks


def test_sites_are_told_who_asks(server: Server, tmp_path: Path) -> None:
    for contact, agent in ((None, ""), ("ann@example.org", " (+ann@example.org)")):
        client = HttpFetcher(tmp_path, mirror=server.url, contact=contact)
        with client as fetcher, pytest.raises(FetchError):
            fetcher.get(URL)
        assert server.requests[-1].headers["user-agent"] == f"lunwen/{version('lunwen')}{agent}"
    assert server.requests[-1].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("contact", ["ann\r\nX: y", "ann (at home)", "安@example.org"])
def test_a_contact_that_no_header_can_hold_is_refused(contact: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        HttpFetcher(tmp_path, contact=contact)
    assert str(refused.value) == (
        "LUNWEN_CONTACT is no mail address. Set it to one, such as name@example.org"
    )


def test_cookies_are_not_kept(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PATH, "[]", headers={"Set-Cookie": "who=ann; Path=/"})
    fetcher.get(URL)
    fetcher.get(URL)
    assert "cookie" not in server.requests[-1].headers


# Secrets


@pytest.mark.parametrize("value", ["Bearer a\r\nX-Odd: s3cret", "Bearer \0s3cret", "Bearer s3cret安"])
def test_a_header_that_none_can_hold_is_refused_and_not_shown(fetcher: HttpFetcher, value: str) -> None:
    with pytest.raises(FetchError) as refused:
        fetcher.get(URL, headers={"Authorization": value})
    assert str(refused.value) == (
        f'"{HOST}{PATH}" could not be fetched: a header has what none can hold. Look at the keys and logins '
        "in the settings"
    )


def test_secrets_are_sent_and_stand_nowhere(
    server: Server, fetcher: HttpFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    server.put(HOST, PATH, "[]")
    reply = fetcher.get(
        f"{URL}?page=2&api_key=key-of-mine", headers={"Authorization": "Bearer token-of-mine"}
    )
    asked = server.requests[-1]
    assert (asked.query, asked.headers["authorization"]) == (
        {"page": "2", "api_key": "key-of-mine"},
        "Bearer token-of-mine",
    )
    assert reply.url == f"{URL}?page=2"
    said = _kept(fetcher) + repr(reply) + caplog.text
    assert "key-of-mine" not in said
    assert "token-of-mine" not in said
    server.remove(HOST, PATH)
    with pytest.raises(FetchError) as failed:
        fetcher.get(f"{URL}?page=2&api_key=key-of-mine", headers={"Authorization": "Bearer token-of-mine"})
    assert str(failed.value).startswith('"icml.cc/static/papers.json" could not be fetched')
    assert "key-of-mine" not in str(failed.value)


def test_what_was_got_with_a_login_is_not_given_without(server: Server, fetcher: HttpFetcher) -> None:
    server.route(HOST, PATH, lambda asked: "ours" if "authorization" in asked.headers else "all")
    assert _read(fetcher.get(URL, headers={"Authorization": "Bearer token-of-mine"}, once=True)) == b"ours"
    assert _read(fetcher.get(URL, once=True)) == b"all"


def test_secrets_stay_behind_where_a_redirect_leads_to_another_host(
    server: Server, fetcher: HttpFetcher
) -> None:
    where = "https://virtual.icml.cc/papers?page=2&api_key=key-of-mine"
    server.put(HOST, PATH, "", status=302, headers={"Location": where})
    server.put("virtual.icml.cc", "/papers", "[]")
    reply = fetcher.get(
        f"{URL}?page=2&api_key=key-of-mine", headers={"Authorization": "Bearer token-of-mine"}
    )
    assert reply.final_url == "https://virtual.icml.cc/papers?page=2"
    assert server.requests[-1].target == "/papers?page=2"
    assert "authorization" not in server.requests[-1].headers


def test_a_login_is_sent_once_and_not_kept(server: Server, fetcher: HttpFetcher) -> None:
    def answer(asked: Request) -> Answer:
        is_right = json.loads(asked.body) == {"id": "ann", "password": "secret-of-ann"}
        return Answer(body='{"token": "token-of-mine"}') if is_right else Answer(status=401)

    server.route("api2.openreview.net", "/login", answer)
    login = "https://api2.openreview.net/login"
    assert json.loads(fetcher.post(login, {"id": "ann", "password": "secret-of-ann"})) == {
        "token": "token-of-mine"
    }
    assert server.requests[-1].method == "POST"
    with pytest.raises(Refused) as refused:
        fetcher.post(login, {"id": "ann", "password": "secret-of-nobody"})
    assert "secret-of-nobody" not in str(refused.value)
    assert len(server.asked) == 2
    assert "secret-of-ann" not in _kept(fetcher)
    server.put("api2.openreview.net", "/login", "", status=307, headers={"Location": "/login2"})
    with pytest.raises(FetchError, match=r"redirects where it must not \(HTTP 307\)"):
        fetcher.post(login, {"id": "ann"})
    fetcher.offline = True
    with pytest.raises(FetchError, match=r"takes a login, and offline nobody is asked"):
        fetcher.post(login, {"id": "ann"})


# Offline


def test_offline_the_cache_answers_and_nobody_is_asked(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PATH, "[1]")
    before = fetcher.get(URL)
    fetcher.offline = True
    asked = len(server.requests)
    reply = fetcher.get(URL)
    assert (reply.path, reply.unchanged, reply.received) == (before.path, True, 0)
    with pytest.raises(FetchError) as failed:
        fetcher.get("https://icml.cc/other.json?page=7")
    assert str(failed.value) == (
        '"icml.cc/other.json" is not in the cache, and offline nobody is asked. '
        "Fetch it once without --offline or LUNWEN_OFFLINE"
    )
    assert len(server.requests) == asked


def test_the_settings_open_it(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_MIRROR", server.url + "/")
    monkeypatch.setenv("LUNWEN_CACHE", str(tmp_path / "mine"))
    server.put(HOST, PATH, "[]")
    with open_fetcher() as fetcher:
        assert fetcher.get(URL).path.is_relative_to(tmp_path / "mine")
    monkeypatch.setenv("LUNWEN_OFFLINE", "1")
    with open_fetcher() as fetcher:
        assert fetcher.offline
        assert fetcher.get(URL).unchanged


def test_a_folder_that_cannot_be_written_is_said(server: Server, tmp_path: Path) -> None:
    server.put(HOST, PATH, "[]")
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "cache"
    client = HttpFetcher(folder, mirror=server.url, limits=Limits(paces={}))
    with client as fetcher, pytest.raises(FetchError) as failed:
        fetcher.get(URL)
    assert str(failed.value) == (
        f"the cache in {folder}/fetched cannot be written (Not a directory). "
        "Make room, or set LUNWEN_CACHE to a folder of your own"
    )
