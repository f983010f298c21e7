"""Claims in words."""

from __future__ import annotations

import pytest

from lunwen.doors.claim import (
    _chinese,
    baseline_text,
    control_text,
    interval_text,
    limit_text,
    measured_text,
    number_text,
    says,
    tally,
)
from lunwen.doors.words import WORDS
from lunwen.methods import listing
from lunwen.methods._evidence import Finding
from lunwen.methods._record import finding_shape

RATIO = finding_shape(Finding(what="width", values=(1, 4), baseline=(2, 2), limit=2, side="<="))


def test_a_finding_by_hand() -> None:
    mean = finding_shape(Finding(what="x", values=(1.0,), limit=0.25, side=">="))
    assert (number_text(0.123456), number_text(None)) == ("0.123", "∞")
    assert measured_text(mean) == "1 [∞, ∞] ≥ 0.25"
    assert (limit_text(RATIO), baseline_text(RATIO), baseline_text(mean)) == ("≤ 2", "2", "")
    assert interval_text(RATIO).startswith("[0.00015, ")


def test_as_many_digits_as_tell_a_value_from_its_limit() -> None:
    close = {"estimate": 1.0041, "interval": [1.00049, 1.03], "limit": 1.0, "side": "<="}
    assert measured_text(close) == "1.0041 [1.0005, 1.03] ≤ 1"
    assert measured_text(close | {"estimate": 1.0, "interval": [1.0, 1.0]}) == "1 [1, 1] ≤ 1"


@pytest.mark.parametrize(
    ("language", "texts", "failed"),
    [
        ("en", ["2 holds", "1 undecided", "1 fails", "1 not run"], "fails as it must"),
        ("zh", ["2 成立", "1 未定", "1 不成立", "1 未测"], "如期失败"),
    ],
)
def test_verdicts_are_counted_best_first(language: str, texts: list[str], failed: str) -> None:
    verdicts = ("fails", "holds", "not run", "undecided", "holds")
    claims = [{"verdict": one, "stale": False, "control_failed": None} for one in verdicts]
    shape = {"problem": None, "claims": claims}
    assert sorted(text for _, text in tally(shape, WORDS[language])) == sorted(texts)
    claims[0] |= {"stale": True, "control_failed": False}
    assert [name for name, _ in tally(shape, WORDS[language])][:3] == ["stale", "fails", "not run"]
    assert control_text({"control_failed": True}, WORDS[language]) == failed


def test_every_claim_is_said_in_chinese_and_no_other() -> None:
    claims = {method.method_id: {claim.name for claim in method.claims} for method in listing()}
    assert {method_id: set(said) for method_id, said in _chinese().items()} == claims
    claim = {"name": listing()[0].claims[0].name, "says": "in English"}
    assert says(listing()[0].method_id, claim, "en") == "in English"
    assert any("\u4e00" <= char <= "\u9fff" for char in says(listing()[0].method_id, claim, "zh"))
    assert says("none", claim, "zh") == "in English"
