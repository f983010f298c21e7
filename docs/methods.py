"""Draws evidence without a drawing; writes docs/methods.md: methods, claims, verdicts, what is unchecked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lunwen.doors.claim import measured_text, number_text
from lunwen.methods import listing, load, mark, picture, place, plot, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.methods import Method

PAGE = Path(__file__).with_name("methods.md")
AREAS = Path(__file__).with_name("guide")
HEAD = """# Papers that run

Each paper's method is one module below `src/lunwen/methods/`, for your own data or model, with claims:
experiments that measure on a CPU what the paper says. A verdict follows from the 95 % interval of what was
measured, a limit and a margin declared beforehand:

- **holds**: the whole interval keeps the limit; **weaker**: it keeps the claim's direction, not the limit;
- **undecided**: the interval lies on both sides; **fails**: all of it is beyond.

Each claim has a control, the same measurement without the paper's idea, that has to fail. A claim that fails
is published like any other. Evidence is in `claims/`, with every seed's values; `lunwen check ID` measures
again, `make claims` measures all. This page is written by `docs/methods.py`.
"""


def page() -> str:
    """Return the page."""
    areas: dict[str, list[Method]] = {}
    for method in listing():
        areas.setdefault(method.card.area, []).append(method)
    parts = [HEAD]
    for area, methods in sorted(areas.items()):
        guide = f" ([guide](guide/{area}.md))" if (AREAS / f"{area}.md").is_file() else ""
        parts.append(f"## {area.capitalize()}{guide}\n")
        parts += [_section(method) for method in methods]
    return "\n".join(parts)


def _section(method: Method) -> str:
    card = method.card
    rows = "\n".join(_rows(summary(method, load(method))["claims"]))
    lines = [
        f"### {card.title}",
        "",
        f"{card.venue} {card.year} · [{method.method_id}]({card.url}) · `{method.module}`",
        "",
        method.part("Idea").split("\n\n")[0],  # the equations are for the module's readers
        "",
        "| claim | kind | verdict | measured: what decides, its interval and limit | control | s |",
        "|---|---|---|---|---:|---:|",
        rows,
        "",
    ]
    if picture(method):
        lines += [f"![What was measured of each claim](../claims/{method.method_id}.svg)", ""]
    if card.unchecked:
        lines += ["Not checkable here:", "", *(f"- {text}" for text in card.unchecked), ""]
    return "\n".join(lines)


def _rows(claims: list[dict[str, Any]]) -> Iterator[str]:
    for claim in claims:
        cells = (
            claim["says"],
            claim["kind"],
            f"**{claim['verdict']}**",
            _measured(claim),
            f"{number_text(claim['control']['estimate'])}" if claim["control"] else "",
            f"{claim['seconds'] or 0:.0f}",
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _measured(claim: dict[str, Any]) -> str:
    """Write the finding that decides, and how many keep their limit."""
    if not claim["measured"]:
        return ""
    decides, kept = claim["measured"][0], sum(one["verdict"] == "holds" for one in claim["measured"])
    return f"{decides['what']}: {measured_text(decides)}; {kept} of {len(claim['measured'])} keep theirs"


def draw() -> None:
    """Draw evidence again where its drawing is of other evidence, or missing."""
    for method in listing():
        record = load(method)
        if record and not record.problem and not picture(method):
            path = place(method)
            evidence = {name: one for name, (one, _) in record.claims.items()}
            drawn = plot(method, evidence, mark=mark(path.read_text("utf-8")))
            path.with_suffix(".svg").write_bytes(drawn)


if __name__ == "__main__":
    draw()
    PAGE.write_text(page(), "utf-8")
