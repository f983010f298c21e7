"""A paper's method → what its page shows of it: the idea, an example, the claims and what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lunwen.doors.web.prose import prose
from lunwen.methods import Verdict, find, listing, load, place, summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markupsafe import Markup

    from lunwen.doors.words import Words
    from lunwen.methods import Method, Record


@dataclass(frozen=True, slots=True)
class Measured:
    """One quantity: what it is, what was measured, its interval and the limit."""

    what: str
    estimate: str
    interval: str
    limit: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """One claim and the verdict on it."""

    says: str
    where: str
    kind: str
    verdict: str
    verdict_name: str
    measured: tuple[Measured, ...]
    control: Measured | None
    control_failed: bool
    notes: tuple[str, ...]
    seconds: str


@dataclass(frozen=True, slots=True)
class Running:
    """Everything the page of a paper shows of its method."""

    method_id: str
    name: str
    title: Markup
    area: str
    idea: Markup
    differs: Markup
    example: str
    claims: tuple[Claimed, ...]
    unchecked: tuple[str, ...]
    plot: str  # where the picture is; empty where nothing was measured
    made: str
    stale: bool
    tally: tuple[tuple[str, str], ...]  # (verdict, how many claims in words)


def show_method(method: Method, words: Words) -> Running:
    """Lay out one method."""
    record = load(method)
    claims = summary(method, record)["claims"]
    damaged = bool(record and record.problem)
    drawn = place(method).with_suffix(".svg").is_file() and not damaged
    return Running(
        method_id=method.method_id,
        name=method.name,
        title=prose(method.card.title, links=False, display=False),
        area=words.named("area", method.card.area),
        idea=prose(method.part("Idea").split("\n\n")[0]),
        differs=prose(method.part("Differs from the paper")),
        example=method.card.example.strip(),
        claims=tuple(_claimed(one, words) for one in claims),
        unchecked=method.card.unchecked,
        plot=f"/methods/{method.method_id}.svg" if drawn else "",
        made=_made(method, record, words),
        stale=bool(record and record.stale) and not damaged,
        tally=(("fails", words("damaged")),) if damaged else tuple(_tally(claims, words)),
    )


def show_methods(words: Words) -> dict[str, list[Running]]:
    """Lay out all methods by area."""
    areas: dict[str, list[Running]] = {}
    for method in sorted(listing(), key=lambda one: one.card.area):
        areas.setdefault(words.named("area", method.card.area), []).append(show_method(method, words))
    return areas


def picture(name: str) -> bytes:
    """Return the plot of a method's evidence.

    Raises:
        NotFound: no such method.
        FileNotFoundError: nothing was drawn of it.
    """
    return place(find(name)).with_suffix(".svg").read_bytes()


def _made(method: Method, record: Record | None, words: Words) -> str:
    """When and with what a method was measured, or how to."""
    if record is None:
        return words("not_measured", method=method.method_id)
    if record.problem:
        return words("damaged_says", method=method.method_id)
    made = record.made
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    return words("measured_on", date=made["measured_on"], seeds=made["seeds"], versions=versions)


def _claimed(claim: dict[str, Any], words: Words) -> Claimed:
    return Claimed(
        says=claim["says"],
        where=claim["where"],
        kind=words.named("kind", claim["kind"]),
        verdict=claim["verdict"].replace(" ", "-"),
        verdict_name=words.named("verdict", claim["verdict"].replace(" ", "_")),
        measured=tuple(map(_measured, claim["measured"])),
        control=_measured(claim["control"]) if claim["control"] else None,
        control_failed=bool(claim["control_failed"]),
        notes=tuple(claim.get("notes", ())),
        seconds="" if claim["seconds"] is None else f"{claim['seconds']:.1f} s",
    )


def _measured(finding: dict[str, Any]) -> Measured:
    low, high = map(_number, finding["interval"])
    sign = "≤" if finding["side"] == "<=" else "≥"
    return Measured(
        finding["what"],
        _number(finding["estimate"]),
        f"[{low}, {high}]",
        f"{sign} {_number(finding['limit'])}",
        finding["verdict"],
    )


def _tally(claims: Iterable[dict[str, Any]], words: Words) -> Iterable[tuple[str, str]]:
    verdicts = [claim["verdict"] for claim in claims]
    for verdict in reversed(Verdict):
        if count := verdicts.count(verdict):
            name = verdict.replace(" ", "_")
            yield verdict.replace(" ", "-"), f"{count} {words.named('verdict', name)}"


def _number(value: float | None) -> str:
    return "∞" if value is None else f"{value:.3g}"
