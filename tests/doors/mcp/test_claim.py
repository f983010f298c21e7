from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client

from lunwen import methods
from lunwen.doors.mcp import claim, measure
from lunwen.doors.mcp.server import make_server
from lunwen.methods import Evidence, Finding, listing
from lunwen.methods._check import Checked, Measured

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lunwen.library import Library

    Ask = Callable[..., Any]

ONE = listing()[0]

SAYS = """
import sys, time
for done in range(5):
    print('{{"progress": [%d, 5, "first"]}}' % done, flush=True)
{end}
"""


def test_methods_are_listed_with_their_verdicts(ask: Ask) -> None:
    found = ask("list_methods", limit=1)
    (row,) = found.structured_content["items"]
    assert (row["method_id"], row["name"]) == (ONE.method_id, ONE.name)
    assert found.structured_content["total"] == len(listing())
    assert [one["name"] for one in row["claims"]] == [one.name for one in ONE.claims]
    assert ask("list_methods", words=f"{ONE.name} {ONE.card.area}").structured_content["total"] == 1


def test_a_method_says_how_it_is_used(ask: Ask) -> None:
    found = ask("get_method", method_id=ONE.name)
    assert found.structured_content["module"] == ONE.module
    assert ONE.card.example.strip() in found.content[0].text
    assert found.content[0].text.count(ONE.card.title) == 1
    refused = ask("get_method", method_id="none-such").content[0].text
    assert refused == 'no method "none-such". List them with: lunwen methods'


def _process(end: str) -> str:
    return SAYS.format(end=end)


def test_claims_are_measured_with_progress_that_grows(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = {"title": "A title", "claims": [], "scale": "fast", "seeds": 5}
    monkeypatch.setattr(claim, "MEASURE", _process(f"print({json.dumps({'data': shape})!r})"))
    monkeypatch.setattr("lunwen.doors.mcp.server.EVERY", 0.0)
    seen: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, what: str | None) -> None:
        seen.append((done, total, what))

    found = ask("run_claims", progress, method_id=ONE.method_id)
    assert seen == [(done + 1, None, f"first: {done} of 5") for done in range(5)]
    assert found.structured_content == shape


def test_claims_that_take_too_long_are_ended(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "MEASURE", _process("time.sleep(600)"))
    monkeypatch.setattr(claim, "SECONDS", 0.2)
    said = (
        f"the claims of {ONE.method_id} took longer than 0.2 s, the most that is allowed here. "
        f"Measure them without a limit: lunwen check {ONE.method_id}"
    )
    for _ in range(2):  # the turn is given back
        assert ask("run_claims", method_id=ONE.name).content[0].text == said


def test_a_measurement_that_breaks_off_or_refuses(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "MEASURE", "raise SystemExit(3)")
    assert ask("run_claims", method_id=ONE.name).content[0].text == (
        f"measuring {ONE.method_id} broke off. Look into it with: lunwen check {ONE.method_id}"
    )
    monkeypatch.setattr(claim, "MEASURE", _process("""print('{"refusal": "no torch here"}')"""))
    assert ask("run_claims", method_id=ONE.name).content[0].text == "no torch here"


def test_nobody_waits_and_the_process_is_ended(
    library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    monkeypatch.setattr(
        claim,
        "MEASURE",
        f"import os, time; open({str(file)!r}, 'w').write(str(os.getpid())); time.sleep(600)",
    )

    async def leave() -> None:
        async with Client(make_server(library)) as client:
            with anyio.move_on_after(2):
                await client.call_tool("run_claims", {"method_id": ONE.name})
            with anyio.fail_after(20):
                while claim._running.locked():
                    await anyio.sleep(0.01)

    anyio.run(leave)
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


def test_a_process_measures_what_check_measures(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def noisy(method: Any, *, report: Any) -> Checked:
        os.write(1, b"a method prints")
        report(1, 2, "first")
        claims = tuple(Measured(one, _evidence(), 0.1) for one in method.claims)
        return Checked(method, method.hashes(), False, 5, claims)

    monkeypatch.setattr(methods, "check", noisy)
    kept = os.dup(1)
    try:
        measure.main(ONE.name)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    out, err = capfdbinary.readouterr()
    progress, data = map(json.loads, out.splitlines())
    assert progress == {"progress": [1, 2, "first"]}
    assert {one["verdict"] for one in data["data"]["claims"]} == {"holds"}
    assert err == b"a method prints"


def _evidence() -> Evidence:
    return Evidence(
        findings=(Finding(what="a width", values=(1.0, 1.0), limit=2.0, side="<="),),
        control=Finding(what="a width without it", values=(3.0, 3.0), limit=2.0, side="<=", spread="every"),
    )


def test_one_measurement_runs_at_a_time(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = threading.Lock()
    monkeypatch.setattr(claim, "_running", lock)
    with lock:
        assert ask("run_claims", method_id=ONE.name).content[0].text == (
            "claims are being measured already. One measurement runs at a time. Wait for it, then ask"
        )
