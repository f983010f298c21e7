from __future__ import annotations

import re
import socket
import threading

import httpx
import pytest
import uvicorn

from lunwen.doors.web.server import listen, serve
from lunwen.errors import CouldNot, LimitError


def test_a_port_in_use_is_one_clear_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = (
            f"port {port} on 127.0.0.1 is in use. Choose another with --port {port + 1}, or 0 for a free one"
        )
        with pytest.raises(CouldNot, match=f"^{re.escape(message)}$"):
            listen("127.0.0.1", port)


def test_a_host_that_is_not_here():
    with pytest.raises(CouldNot, match=r"Use 127\.0\.0\.1"):
        listen("192.0.2.1", 0)
    with pytest.raises(CouldNot, match=r'^no host "no host here\.invalid" here'):
        listen("no host here.invalid", 0)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_outside_its_range(port):
    message = f"no port {port}. Allowed: 1 to 65,535, or 0 for a free one. Usual: 8642"
    with pytest.raises(LimitError, match=f"^{re.escape(message)}$"):
        listen("127.0.0.1", port)


def test_a_library_is_served_and_its_address_told(shelf, monkeypatch):
    servers, addresses, told = [], [], threading.Event()
    start = uvicorn.Server.__init__

    def remember(server, config):
        servers.append(server)
        start(server, config)

    def ready(address):
        addresses.append(address)
        told.set()

    monkeypatch.setattr(uvicorn.Server, "__init__", remember)
    thread = threading.Thread(target=serve, args=(shelf,), kwargs={"port": 0, "ready": ready})
    thread.start()
    try:
        assert told.wait(5)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", addresses[0])
        answer = httpx.get(addresses[0] + "?q=lamps", headers={"accept-language": "zh"}, trust_env=False)
        assert answer.status_code == 200
        assert "论文检索" in answer.text
        stranger = httpx.get(addresses[0], headers={"host": "evil.example"}, trust_env=False)
        assert stranger.status_code == 421
    finally:
        servers[0].should_exit = True
        thread.join(5)
    assert not thread.is_alive()
