"""Methods and their claims as lines on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lunwen.doors.claim import (
    baseline_text,
    control_text,
    made_text,
    measured_text,
    number_text,
    says,
    tally,
    verdict_text,
)
from lunwen.doors.cli.column import align
from lunwen.doors.cli.result import readable
from lunwen.doors.cli.text import wrap
from lunwen.doors.words import WORDS
from lunwen.methods import Verdict, load, summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lunwen.doors.cli.screen import Screen
    from lunwen.doors.words import Words
    from lunwen.methods import Method

COLOURS = {Verdict.HOLDS: "green", Verdict.WEAKER: "yellow", Verdict.FAILS: "red"}
FINDINGS_SHOWN = 6  # of a claim; --json has all
HEAD = ("claim", "estimate", "baseline", "control", "verdict", "seconds")


def standing(shape: Mapping[str, Any], words: Words) -> str:
    """Say how a method's claims stand: ``3 holds, 1 weaker``; what is stale, which controls did not fail."""
    return words("comma").join(text for _, text in tally(shape, words))


def method_lines(method: Method, screen: Screen) -> Iterator[str]:
    """Write everything that is known of one method."""
    card, record, words = method.card, load(method), WORDS[screen.language]
    yield screen.style(readable(card.title), bold=True)
    yield from wrap(", ".join(card.authors), screen.width)
    yield screen.style(f"{card.venue} {card.year} · {card.url}", fg="green")
    yield from method.documentation.split("\n")[1:]  # its first line is the title, the second is empty
    for text in card.unchecked:
        yield from wrap(f"{words('unchecked')}{words('colon')}{text}", screen.width)
    yield ""
    yield screen.style(f"{words('example')} · {method.module}", bold=True)
    yield ""
    yield from (f"    {line}".rstrip() for line in card.example.strip().split("\n"))
    yield ""
    shape = summary(method, record)
    yield from claim_table(method, shape["claims"], screen)
    if record and not shape["problem"]:
        yield ""
        yield from claim_lines(method, shape["claims"], screen)
    yield ""
    yield from wrap(made_text(method, record, words), screen.width)


def checked_lines(
    method: Method, claims: Sequence[Mapping[str, Any]], screen: Screen, *, whole: bool
) -> Iterator[str]:
    """Write what was just measured: the table, and where it is the ``whole`` answer each quantity."""
    yield from claim_table(method, claims, screen)
    yield ""
    if whole:
        yield from claim_lines(method, claims, screen)


def claim_table(method: Method, claims: Sequence[Mapping[str, Any]], screen: Screen) -> Iterator[str]:
    """Write a row per claim: the finding that decides, its baseline, what the control did, the verdict."""
    words = WORDS[screen.language]
    yield screen.style(f"{method.method_id} {method.name}", bold=True)
    head, *rows = align([tuple(words(name) for name in HEAD), *(_row(claim, words) for claim in claims)])
    yield screen.style(head, dim=True)
    for claim, row in zip(claims, rows, strict=True):
        yield _coloured(row, claim["verdict"], screen)


def claim_lines(method: Method, claims: Sequence[Mapping[str, Any]], screen: Screen) -> Iterator[str]:
    """Write what each claim says, then each quantity with its limit, those that decide first."""
    words = WORDS[screen.language]
    for claim in claims:
        kind = screen.style(f"  {words.named('kind', claim['kind'])}", dim=True)
        verdict = _coloured(verdict_text(claim["verdict"], words), claim["verdict"], screen)
        yield f"{claim['name']}{words('colon')}{verdict}{kind}"
        yield from _indented(wrap(says(method.method_id, claim, screen.language), screen.width - 4), 4)
        yield from _indented(_measured_lines(claim, screen, words), 4)


def _row(claim: Mapping[str, Any], words: Words) -> tuple[str, ...]:
    verdict = verdict_text(claim["verdict"], words)
    stale = f"{words('comma')}{words('stale_short')}" if claim["stale"] else ""
    if not claim["measured"]:
        return (claim["name"], "", "", "", verdict, "")
    decides = claim["measured"][0]
    seconds = f"{claim['seconds']:.1f}"
    control = f"{number_text(claim['control']['estimate'])} ({control_text(claim, words)})"
    return (
        claim["name"],
        measured_text(decides),
        baseline_text(decides) or "–",
        control,
        verdict + stale,
        seconds,
    )


def _measured_lines(claim: Mapping[str, Any], screen: Screen, words: Words) -> Iterator[str]:
    for finding in claim["measured"][:FINDINGS_SHOWN]:
        first, *rest = wrap(_finding_text(finding, words), screen.width - 6)
        yield f"{_coloured('·', finding['verdict'], screen)} {first}"
        yield from _indented(rest, 2)
    if (more := len(claim["measured"]) - FINDINGS_SHOWN) > 0:
        yield screen.style(words("more_measured", n=more), dim=True)
    if claim["control"]:
        text = f"{_finding_text(claim['control'], words)} ({control_text(claim, words)})"
        first, *rest = wrap(f"{words('control')}{words('colon')}{text}", screen.width - 4)
        yield first
        yield from _indented(rest, 2)
    for note in claim.get("notes", ()):
        yield from wrap(note, screen.width - 4)


def _finding_text(finding: Mapping[str, Any], words: Words) -> str:
    """Write what, measured, its interval and its limit, and over which baseline."""
    over = baseline_text(finding)
    against = f" ({words('baseline').lower()} {over})" if over else ""
    return f"{finding['what']}: {measured_text(finding)}{against}"


def _indented(lines: Iterable[str], columns: int) -> Iterator[str]:
    return (f"{' ' * columns}{line}" for line in lines)


def _coloured(text: str, verdict: str, screen: Screen) -> str:
    colour = COLOURS.get(Verdict(verdict))
    return screen.style(text, fg=colour) if colour else text
