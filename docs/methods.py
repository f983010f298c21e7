"""Writes docs/methods.md: every method, its claims, the verdicts, and what is not checkable here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lunwen.methods import listing, load, summary

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
        "| claim | kind | verdict | measured | s |",
        "|---|---|---|---|---:|",
        rows,
        "",
    ]
    if (PAGE.parents[1] / "claims" / f"{method.method_id}.svg").is_file():
        lines += [f"![What was measured of each claim](../claims/{method.method_id}.svg)", ""]
    if card.unchecked:
        lines += ["Not checkable here:", "", *(f"- {text}" for text in card.unchecked), ""]
    return "\n".join(lines)


def _rows(claims: list[dict[str, Any]]) -> Iterator[str]:
    for claim in claims:
        measured = claim["measured"]
        kept = sum(one["verdict"] == "holds" for one in measured)
        counted = f"{kept} of {len(measured)} quantities keep their limit" if measured else ""
        cells = (
            claim["says"],
            claim["kind"],
            f"**{claim['verdict']}**",
            counted,
            f"{claim['seconds'] or 0:.0f}",
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
