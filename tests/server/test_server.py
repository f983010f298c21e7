"""The server of the tests does what its users count on."""

from __future__ import annotations

from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

from tests.server import FAULTS

if TYPE_CHECKING:
    from tests.server import Request, Server


def _get(server: Server, path: str, **headers: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_what_is_put_is_served_and_noted(server: Server) -> None:
    server.put("icml.cc", "/a.json", '{"a": 1}', etag='"v1"')
    server.put("icml.cc", "/a.json?page=2", b"[2]")
    assert _get(server, "/icml.cc/a.json?x=y") == (200, b'{"a": 1}')
    assert _get(server, "/icml.cc/a.json?page=2") == (200, b"[2]")
    assert _get(server, "/icml.cc/a.json", **{"If-None-Match": '"v1"'}) == (304, b"")
    assert _get(server, "/icml.cc/b.json")[0] == _get(server, "/nips.cc/a.json")[0] == 404
    assert server.asked[:2] == ["icml.cc/a.json?x=y", "icml.cc/a.json?page=2"]
    assert [(one.status, one.sent) for one in server.requests[:3]] == [(200, 8), (200, 3), (304, 0)]


def test_a_route_says_what_is_there(server: Server) -> None:
    def page(asked: Request) -> Any:
        return f"page {asked.query['page']}" if "page" in asked.query else None

    server.route("dblp.org", "/search/.*", page)
    assert _get(server, "/dblp.org/search/publ?page=3") == (200, b"page 3")
    assert _get(server, "/dblp.org/search/publ")[0] == 404


def test_a_fault_comes_when_it_is_due(server: Server) -> None:
    server.put("icml.cc", "/a", "well")
    server.misbehave("icml.cc", "/.*", FAULTS["503"], skip=1, times=1)
    assert [_get(server, "/icml.cc/a")[0] for _ in range(3)] == [200, 503, 200]
    assert _get(server, "/icml.cc/robots.txt")[0] == 404
