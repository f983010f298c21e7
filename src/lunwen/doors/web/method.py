"""A paper's method → what its page shows of it: the idea, an example, the claims and what was measured."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lunwen.doors.claim import (
    baseline_text,
    estimate_text,
    interval_text,
    limit_text,
    made_text,
    number_text,
    says,
    tally,
    verdict_text,
)
from lunwen.doors.web.prose import prose
from lunwen.methods import listing, load, picture, summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from markupsafe import Markup

    from lunwen.doors.words import Words
    from lunwen.methods import Method


@dataclass(frozen=True, slots=True)
class Measured:
    """One quantity: what it is, what was measured, its interval and the limit."""

    what: str
    estimate: str
    interval: str
    limit: str
    baseline: str
    verdict: str
    verdict_name: str


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
    compared: bool  # whether anything has a baseline
    control_failed: bool
    notes: tuple[str, ...]
    seconds: str


@dataclass(frozen=True, slots=True)
class Listed:
    """What the list of methods shows of one."""

    method_id: str
    name: str
    title: Markup
    tally: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Running:
    """Everything the page of a paper shows of its method."""

    method_id: str
    problem: Markup
    idea: Markup
    symbols: str  # the equations, with what their letters stand for
    differs: tuple[Markup, ...]
    not_covered: Markup
    example: str
    module: str
    claims: tuple[Claimed, ...]
    unchecked: tuple[str, ...]
    plot: str  # where the picture is; empty where nothing was measured
    made: str
    tally: tuple[tuple[str, str], ...]  # (verdict, how many claims in words)


def show_method(method: Method, words: Words) -> Running:
    """Lay out one method."""
    record = load(method)
    shape = summary(method, record)
    idea, _, symbols = method.part("Idea").partition("\n\n")
    damaged = bool(record and record.problem)
    return Running(
        method_id=method.method_id,
        problem=prose(method.part("Problem")),
        idea=prose(idea),
        symbols=textwrap.dedent(symbols).strip("\n"),
        differs=tuple(map(prose, _numbered(method.part("Differs from the paper")))),
        not_covered=prose(method.part("Not covered")),
        example=method.card.example.strip(),
        module=method.module,
        claims=tuple(_claimed(method, one, words) for one in shape["claims"]),
        unchecked=method.card.unchecked,
        plot=f"/methods/{method.method_id}.svg" if picture(method) and not damaged else "",
        made=made_text(method, record, words),
        tally=_tally(shape, words),
    )


def show_methods(words: Words) -> dict[str, list[Listed]]:
    """Lay out all methods by area."""
    areas: dict[str, list[Listed]] = {}
    for method in sorted(listing(), key=lambda one: one.card.area):
        shape = summary(method, load(method))
        listed = Listed(
            method.method_id,
            method.name,
            prose(method.card.title, links=False, display=False),
            _tally(shape, words),
        )
        areas.setdefault(words.named("area", method.card.area), []).append(listed)
    return areas


def _tally(shape: Mapping[str, Any], words: Words) -> tuple[tuple[str, str], ...]:
    """Return the counts, each with its class."""
    return tuple((verdict.replace(" ", "-"), text) for verdict, text in tally(shape, words))


def _numbered(text: str) -> list[str]:
    """Return the items of a numbered list, each in one line."""
    return [
        " ".join(item.split()) for item in re.split(r"^ *\d+\. ", text, flags=re.MULTILINE) if item.strip()
    ]


def _claimed(method: Method, claim: dict[str, Any], words: Words) -> Claimed:
    return Claimed(
        says=says(method.method_id, claim, words.language),
        where=claim["where"],
        kind=words.named("kind", claim["kind"]),
        verdict=claim["verdict"].replace(" ", "-"),
        verdict_name=verdict_text(claim["verdict"], words),
        measured=tuple(_measured(one, words) for one in claim["measured"]),
        control=_measured(claim["control"], words) if claim["control"] else None,
        compared=any(one.get("baseline") for one in (*claim["measured"], claim["control"] or {})),
        control_failed=bool(claim["control_failed"]),
        notes=tuple(claim.get("notes", ())),
        seconds="" if claim["seconds"] is None else f"{number_text(claim['seconds'])} s",
    )


def _measured(finding: dict[str, Any], words: Words) -> Measured:
    return Measured(
        finding["what"],
        estimate_text(finding),
        interval_text(finding),
        limit_text(finding),
        baseline_text(finding),
        finding["verdict"],
        verdict_text(finding["verdict"], words),
    )
