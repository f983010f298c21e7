"""Methods and their claims as lines on a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lunwen.doors.cli.result import readable
from lunwen.doors.cli.text import wrap
from lunwen.methods import Verdict, load, summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lunwen.doors.cli.screen import Screen
    from lunwen.doors.words import Words
    from lunwen.methods import Method

COLOURS = {Verdict.HOLDS: "green", Verdict.WEAKER: "yellow", Verdict.FAILS: "red"}
FINDINGS_SHOWN = 6  # of a claim; --json has all


def tally(shape: Mapping[str, Any], words: Words) -> str:
    """Count the verdicts: ``3 holds, 1 weaker``; with what is stale or whose control did not fail."""
    if shape["problem"]:
        return words("damaged")
    claims = shape["claims"]
    counted = Counter(claim["verdict"] for claim in claims)
    parts = [
        f"{counted[verdict]} {words.named('verdict', verdict.replace(' ', '_'))}"
        for verdict in reversed(Verdict)
        if counted[verdict]
    ]
    parts += [words("stale_short")] if any(claim["stale"] for claim in claims) else []
    loose = sum(claim["control_failed"] is False for claim in claims)
    parts += [words("controls_not_failed", n=loose)] if loose else []
    return words("comma").join(parts)


def method_lines(method: Method, screen: Screen) -> Iterator[str]:
    """Write everything that is known of one method."""
    card, record = method.card, load(method)
    yield screen.style(readable(card.title), bold=True)
    yield from wrap(", ".join(card.authors), screen.width)
    yield screen.style(f"{card.venue} {card.year} · {card.url}", fg="green")
    yield from method.documentation.split("\n")[1:]  # its first line is the title, the second is empty
    for text in card.unchecked:
        yield from wrap(f"Not checked here: {text}", screen.width)
    yield ""
    yield screen.style(f"from {method.module} import …", dim=True)
    yield ""
    yield from (f"    {line}" for line in card.example.strip().split("\n"))
    yield ""
    shape = summary(method, record)
    yield from claim_lines(method, shape["claims"], screen)
    if shape["problem"]:
        yield from wrap(shape["problem"], screen.width)
    elif record:
        made = record.made
        versions = ", ".join(f"{name} {version}" for name, version in made["versions"].items())
        yield screen.style(
            f"measured {made['measured_on']}, {made['scale']}, {made['seeds']} seeds; {versions}", dim=True
        )


def claim_lines(method: Method, claims: Sequence[dict[str, Any]], screen: Screen) -> Iterator[str]:
    """Write the table of claims: verdict, what is claimed, then each quantity with its limit."""
    yield screen.style(f"{method.method_id} {method.name}", bold=True)
    for claim in claims:
        facts = [claim["kind"], *([f"{claim['seconds']:.1f} s"] if claim["seconds"] is not None else [])]
        facts += ["stale"] if claim["stale"] else []
        verdict = _coloured(f"{claim['verdict']:<9}", claim["verdict"], screen)
        yield f"{verdict} {claim['name']}{screen.style('  ' + '  '.join(facts), dim=True)}"
        yield from _indented(wrap(claim["says"], screen.width - 10), 10)
        yield from _indented(_measured_lines(claim, screen), 12)


def _measured_lines(claim: dict[str, Any], screen: Screen) -> Iterator[str]:
    for finding in _worst_first(claim["measured"])[:FINDINGS_SHOWN]:
        yield f"{_coloured('·', finding['verdict'], screen)} {finding_text(finding)}"
    if (more := len(claim["measured"]) - FINDINGS_SHOWN) > 0:
        yield screen.style(f"… and {more} more (--json has all)", dim=True)
    if claim["control"]:
        failed = "fails as it must" if claim["control_failed"] else "DID NOT FAIL"
        yield f"{screen.style('control', dim=True)} {finding_text(claim['control'])}: {failed}"
    for note in claim.get("notes", ()):
        yield from wrap(note, screen.width - 12)


def _indented(lines: Iterable[str], columns: int) -> Iterator[str]:
    return (f"{' ' * columns}{line}" for line in lines)


def _coloured(text: str, verdict: str, screen: Screen) -> str:
    colour = COLOURS.get(Verdict(verdict))
    return screen.style(text, fg=colour) if colour else text


def finding_text(finding: dict[str, Any]) -> str:
    """Write a finding on one line: what, measured, against what, its interval and its limit."""
    low, high = (_number(end) for end in finding["interval"])
    sign = "≤" if finding["side"] == "<=" else "≥"
    against = ""
    if baseline := finding.get("baseline"):
        values = finding["values"]
        against = (
            f" = {_number(sum(values) / len(values))} : baseline {_number(sum(baseline) / len(baseline))}"
        )
    return (
        f"{finding['what']}: {_number(finding['estimate'])}{against} "
        f"[{low}, {high}] {sign} {_number(finding['limit'])}"
    )


def _worst_first(findings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    order = [str(verdict) for verdict in Verdict]
    return sorted(findings, key=lambda finding: order.index(finding["verdict"]))


def _number(value: float | None) -> str:
    return "∞" if value is None else f"{value:.3g}"
