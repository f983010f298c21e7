from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from lunwen import methods
from lunwen.doors.mcp import claim
from lunwen.methods import Evidence, Finding, find, listing
from lunwen.methods._check import Checked, Measured

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    Ask = Callable[..., Any]

ONE = listing()[0]


def _evidence() -> Evidence:
    return Evidence(
        findings=(Finding(what="a width", values=(1.0, 1.0), limit=2.0, side="<="),),
        control=Finding(what="a width without it", values=(3.0, 3.0), limit=2.0, side="<=", spread="every"),
    )


def _checking(seeds: int) -> Callable[..., Checked]:
    """A check that reports its seeds and measures the same each time."""

    def check(method: Any, *, report: Any) -> Checked:
        for done in range(seeds):
            report(done, seeds, f"{method.method_id} first")
        measured = tuple(Measured(one, _evidence(), 0.1) for one in method.claims)
        return Checked(method, method.hashes(), False, 5, measured)

    return check


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
    refused = ask("get_method", method_id="none-such").content[0].text
    assert refused == 'no method "none-such". List them with: lunwen methods'


def test_claims_are_measured_with_progress_that_grows(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "check", _checking(5))
    monkeypatch.setattr("lunwen.doors.mcp.server.EVERY", 0.0)
    seen: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, what: str | None) -> None:
        seen.append((done, total, what))

    found = ask("run_claims", progress, method_id=ONE.method_id)
    assert [done for done, _, _ in seen] == [1, 2, 3, 4, 5]
    assert seen[0][1:] == (None, f"{ONE.method_id} first: 0 of 5")
    claims = found.structured_content["claims"]
    assert {one["verdict"] for one in claims} == {"holds"}
    assert found.content[0].text.startswith(
        f"{ONE.card.title}\nholds: {ONE.claims[0].name}; its control fails"
    )


def test_claims_that_take_too_long_are_left(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "check", _checking(5))
    monkeypatch.setattr(claim, "SECONDS", -1)
    assert ask("run_claims", method_id=ONE.name).content[0].text == (
        f"{ONE.method_id} first: not done after -1 s, which is allowed here. "
        f"Measure it without a limit: lunwen check {ONE.method_id}"
    )
    monkeypatch.setattr(claim, "SECONDS", 300)
    assert not ask("run_claims", method_id=ONE.name).is_error  # the turn was given back


def test_one_measurement_runs_at_a_time(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = threading.Lock()
    monkeypatch.setattr(claim, "_running", lock)
    with lock:
        assert ask("run_claims", method_id=ONE.name).content[0].text == (
            "claims are being measured already. One measurement runs at a time. Wait for it, then ask"
        )
    assert find(ONE.name) is ONE
