"""Claims in words: what is claimed, what was measured against which limit, and how the verdicts stand."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lunwen.corpus import catalogue
from lunwen.doors.words import WORDS
from lunwen.errors import NotFound
from lunwen.methods import Verdict, find, listing, summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lunwen.doors.words import Words
    from lunwen.methods import Method, Record


MOST_DIGITS = 6


def number_text(value: float | None, digits: int = 3) -> str:
    """Write a number in three digits; one that JSON has no word for is infinite."""
    return "∞" if value is None else f"{value:.{digits}g}"


def estimate_text(finding: Mapping[str, Any]) -> str:
    """Write what was measured."""
    return number_text(finding["estimate"], _digits(finding))


def interval_text(finding: Mapping[str, Any]) -> str:
    """Write the interval that decides: ``[0.56, 0.57]``."""
    low, high = (number_text(end, _digits(finding)) for end in finding["interval"])
    return f"[{low}, {high}]"


def limit_text(finding: Mapping[str, Any]) -> str:
    """Write what has to be kept: ``≤ 0.6``."""
    return f"{'≤' if finding['side'] == '<=' else '≥'} {number_text(finding['limit'])}"


def measured_text(finding: Mapping[str, Any]) -> str:
    """Write what was measured against its limit: ``0.562 [0.561, 0.563] ≤ 0.6``."""
    return f"{estimate_text(finding)} {interval_text(finding)} {limit_text(finding)}"


def _digits(finding: Mapping[str, Any]) -> int:
    """Return how many digits tell the estimate and its interval from the limit."""
    limit, values = finding["limit"], (finding["estimate"], *finding["interval"])
    apart = [value for value in values if value is not None and value != limit]
    for digits in range(3, MOST_DIGITS):
        if all(float(f"{value:.{digits}g}") != limit for value in apart):
            return digits
    return MOST_DIGITS


def baseline_text(finding: Mapping[str, Any]) -> str:
    """Write the mean of the baseline that ratios are taken over; empty where there is none."""
    values: Sequence[float] = finding.get("baseline", ())
    return number_text(sum(values) / len(values)) if values else ""


def control_text(claim: Mapping[str, Any], words: Words) -> str:
    """Say what the control did: ``fails as it must``."""
    return words("control_failed" if claim["control_failed"] else "control_not_failed")


def verdict_text(verdict: str, words: Words) -> str:
    """Name a verdict."""
    return words.named("verdict", verdict.replace(" ", "_"))


def tally(shape: Mapping[str, Any], words: Words) -> Iterator[tuple[str, str]]:
    """Count a method's verdicts, best first: ``("holds", "3 holds")``; before them what is amiss."""
    if shape["problem"]:
        yield "fails", words("damaged")
        return
    claims = shape["claims"]
    if any(claim["stale"] for claim in claims):
        yield "stale", words("stale_short")
    if loose := sum(claim["control_failed"] is False for claim in claims):
        yield "fails", words("controls_not_failed", n=loose)
    counted = Counter(claim["verdict"] for claim in claims)
    for verdict in reversed(Verdict):
        if counted[verdict]:
            yield str(verdict), f"{counted[verdict]} {verdict_text(verdict, words)}"


def find_method(name: str) -> Method:
    """Return the method with this name, or of the paper with this id.

    Raises:
        NotFound: there is none, or the paper is known but does not run.
    """
    try:
        return find(name)
    except NotFound:
        if paper := catalogue.find(name):
            raise NotFound(
                f'the method of {name}, "{paper.title}", does not run here yet. '
                "List those that do with: lunwen methods"
            ) from None
        raise


def methods_with(words: Sequence[str]) -> list[Method]:
    """Return the methods that have all the words in their card or claims, in English or in Chinese."""
    return [one for one in listing() if one.has(words, also=_in_chinese(one))]


def _in_chinese(method: Method) -> str:
    said = _chinese().get(method.method_id, {})
    return " ".join([WORDS["zh"].named("area", method.card.area), *said.values()])


def made_text(method: Method, record: Record | None, words: Words) -> str:
    """Say when and with what a method was measured, or how to."""
    if record is None:
        return words("not_measured", method=method.method_id)
    if record.problem:
        return words("damaged_says", method=method.method_id)
    made = record.made
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    said = words(
        "measured_on",
        date=made["measured_on"],
        scale=words.named("scale", made["scale"]),
        seeds=made["seeds"],
        versions=versions,
    )
    return f"{said} · {words('stale')}" if record.stale else said


def looked_text(shape: Mapping[str, Any], method: Method, record: Record | None, words: Words) -> str:
    """Say how large a measurement was, and where it was a fast look, how the evidence on record stands."""
    said = words("looked", scale=words.named("scale", shape["scale"]), seeds=shape["seeds"])
    if shape["scale"] == "full" or record is None or record.problem:
        return said
    standing = words("comma").join(text for _, text in tally(summary(method, record), words))
    made = record.made
    on_record = words(
        "on_record", scale=words.named("scale", made["scale"]), seeds=made["seeds"], standing=standing
    )
    return f"{said} {on_record}"


def says(method_id: str, claim: Mapping[str, Any], language: str) -> str:
    """Return what is claimed in a language, or in English, as the method has it, where there is no other."""
    told: str = claim["says"]
    return _chinese().get(method_id, {}).get(claim["name"], told) if language == "zh" else told


@cache
def _chinese() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(
        (files("lunwen.doors") / "claim_zh.json").read_text("utf-8")
    )
    return found
