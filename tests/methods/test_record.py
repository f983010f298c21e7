"""Evidence files that are damaged: only their own method lacks its evidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lunwen.methods import find, listing, load, place, summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METHOD = find("001-11")
SOUND = place(METHOD).read_text("utf-8")
PROBLEM = (
    "evidence damaged: 001-11.json cannot be read. Measure again with: lunwen check 001-11 --full --write"
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], None]:
    """Put a text into the place of one method's evidence."""
    monkeypatch.setenv("LUNWEN_CLAIMS", str(tmp_path))
    return lambda text: (tmp_path / "001-11.json").write_bytes(
        text if isinstance(text, bytes) else text.encode()
    )


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    stored = json.loads(SOUND)
    change(stored)
    return json.dumps(stored)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        b"\xff\xfe",
        "[" * 100_000,
        "[]",
        changed(lambda one: one["claims"][0].update(measured=[])),
        changed(lambda one: one["claims"][0]["measured"][0].update(limit="0.5")),
        changed(lambda one: one["claims"][0]["measured"][0].update(values=["0.5", "0.6"])),
        changed(lambda one: one["claims"][0]["measured"][0].update(side="<")),
        changed(lambda one: one["claims"][0].update(seconds="soon")),
        changed(lambda one: one["claims"][0].update(notes=[7])),
        changed(lambda one: one.update(versions=None)),
        changed(lambda one: one.pop("claims")),
    ],
)
def test_damaged_evidence_is_the_problem_of_its_method_alone(
    write: Callable[[str | bytes], None], text: str | bytes
) -> None:
    write(text)
    record = load(METHOD)
    assert record is not None
    assert (record.problem, record.claims) == (PROBLEM, {})
    problems = {one.method_id: summary(one, load(one))["problem"] for one in listing()}
    assert {name for name, problem in problems.items() if problem} == {"001-11"}
    assert {claim["verdict"] for claim in summary(METHOD, record)["claims"]} == {"not run"}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_whatever_stands_in_a_file_is_either_damage_or_can_be_shown(
    write: Callable[[str], None], data: st.DataObject
) -> None:
    stored = json.loads(SOUND)
    at: Any = stored
    while True:
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            at[key] = data.draw(JSON)
            break
        at = at[key]
    write(json.dumps(stored))
    record = load(METHOD)
    assert record is not None
    assert record.problem in ("", PROBLEM)
    assert orjson.loads(orjson.dumps(summary(METHOD, record)))["problem"] in (None, PROBLEM)
