from __future__ import annotations

import importlib.util
import socket
from typing import Any

import pytest


def test_without_the_sdk_it_says_how_to_get_it(
    run: Any, library: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    del library
    monkeypatch.setattr("lunwen.doors.cli.mcp.find_spec", lambda _name: None)
    found = run("mcp")
    assert (found.code, found.out) == (1, "")
    assert found.err == (
        "lunwen: lunwen mcp needs the library mcp, not installed here. "
        "Install it with: pip install 'lunwen[mcp]'\n"
    )


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="needs lunwen[mcp]")
def test_a_port_in_use(run: Any, library: object) -> None:
    del library
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = run("mcp", "--http", "--port", str(port))
    assert found.code == 1
    assert found.err == (
        f"lunwen: port {port} cannot be used (Address already in use). "
        "Take another with --port N, or any with --port 0\n"
    )
    assert run("mcp", "--http", "--port", "70000").code == 2
