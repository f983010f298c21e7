from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import lunwen.doors.web.server
from lunwen.doors.web.option import Options

if TYPE_CHECKING:
    import pytest


def test_the_page_is_served_where_asked(run: Any, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def serve(served: object, *, host: str, port: int, workers: int, options: Any, ready: Any) -> None:
        asked.update(library=served, host=host, port=port, workers=workers, options=options)
        ready("http://here/")

    opened: list[str] = []
    monkeypatch.setattr(lunwen.doors.web.server, "serve", serve)
    monkeypatch.setattr("click.launch", opened.append)
    shown = run("serve", "--port", "8123", "--workers", "3")
    assert (shown.out, shown.err) == ("", "lunwen: /nowhere is shown at http://here/ (Ctrl-C stops it)\n")
    assert asked == {
        "library": library,
        "host": "127.0.0.1",
        "port": 8123,
        "workers": 3,
        "options": Options(),
    }
    assert opened == []
    run("serve", "--cors", "https://a.example", "--cors", "*")
    assert asked["options"] == Options(origins=("https://a.example", "*"))
    run("serve", "--allow-host", "papers.example", "--read-only")
    assert asked["options"] == Options(hosts=("papers.example",), read_only=True)
    run("serve", "--writable")
    assert asked["options"] == Options(read_only=False)
    shown = run("serve", "--json", "--open")
    assert (json.loads(shown.out), shown.err, opened) == ({"url": "http://here/"}, "", ["http://here/"])
