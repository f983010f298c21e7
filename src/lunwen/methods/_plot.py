"""Evidence as a picture: a row per finding against its limit, and the claim's curves beside it."""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING, Any

from lunwen.errors import CouldNot
from lunwen.methods._evidence import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lunwen.methods._card import Method
    from lunwen.methods._evidence import Evidence, Finding, Picture

INK = "#7a8290"  # legible on white and on black alike: the picture has no ground of its own
COLOURS = {
    Verdict.HOLDS: "#1f9d76",
    Verdict.WEAKER: "#c98a1b",
    Verdict.UNDECIDED: "#7a8290",
    Verdict.FAILS: "#d1495b",
}
LINES = ("#2f7ed8", "#d1495b", "#1f9d76", "#c98a1b", "#8e5bd0", "#3aa6b9", "#b0578d", "#7a8290")
MOST = 14  # findings drawn per claim; the table has them all


def plot(method: Method, evidence: Mapping[str, Evidence], *, form: str = "svg") -> bytes:
    """Draw all claims of a method, one below the other, as SVG or PNG.

    Raises:
        CouldNot: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415 - only plots need it
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise CouldNot(
            "plots need matplotlib, not installed here. Install it with: pip install 'lunwen[methods]'"
        ) from error
    heights = [max(_height(one), 2.5 if one.picture else 0) for one in evidence.values()]
    style: Any = {
        "svg.hashsalt": method.method_id,
        "svg.fonttype": "none",
        "font.size": 8.5,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(9, sum(heights)), layout="constrained")
        figure.patch.set_alpha(0)
        parts = figure.subfigures(len(evidence), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part, (name, one) in zip(parts, evidence.items(), strict=True):
            _draw(part, name.replace("_", " "), one)
        stream = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else None
        figure.savefig(stream, format=form, dpi=150, transparent=form == "svg", metadata=metadata)
    return stream.getvalue()


def _height(evidence: Evidence) -> float:
    """Return inches: rows as high as the longest label needs."""
    rows = _rows(evidence)
    lines = max(_label(one, evidence).count("\n") + 1 for one in rows)
    return len(rows) * (0.15 * lines + 0.08) + 0.9


def _rows(evidence: Evidence) -> list[Finding]:
    """Return what is drawn: the worst findings first, the control last."""
    findings = sorted(evidence.findings, key=lambda one: list(Verdict).index(one.verdict))
    return [*findings[:MOST], evidence.control]


def _draw(part: Any, name: str, evidence: Evidence) -> None:
    part.patch.set_alpha(0)
    part.suptitle(
        f"{name}: {evidence.verdict}", color=COLOURS[evidence.verdict], weight="bold", x=0.01, ha="left"
    )
    if evidence.picture is None:
        _draw_findings(part.subplots(), evidence)
        return
    left, right = part.subplots(1, 2, width_ratios=(1.15, 1))
    _draw_findings(left, evidence)
    _draw_picture(right, evidence.picture)


def _draw_findings(axes: Any, evidence: Evidence) -> None:
    """One row per finding, each as a share of its own limit, so that all have the limit at 1."""
    rows = _rows(evidence)
    spots = [_share(one, one.estimate) for one in rows]
    log = min(spots) > 0 and max(spots) / min(spots) > 20
    for at, (one, spot) in enumerate(zip(rows, spots, strict=True)):
        low, high = (_share(one, end) for end in one.interval)
        control = one is evidence.control
        colour = INK if control else COLOURS[one.verdict]
        bar = [[max(spot - low, 0)], [max(high - spot, 0)]]
        axes.errorbar(
            spot,
            at,
            xerr=bar,
            fmt="D" if control else "o",
            color=colour,
            mfc="none" if control else colour,
            markersize=4.5,
            linewidth=1.2,
            capsize=2,
        )
    axes.axvline(1, color=INK, linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(rows)), [_label(one, evidence) for one in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("share of the limit (dotted); control hollow")
    if log:
        axes.set_xscale("log")
    _bare(axes)


def _share(finding: Finding, value: float) -> float:
    value = min(max(value, -1e12), 1e12)
    return value / finding.limit if finding.limit > 0 else 1 + value - finding.limit


def _label(finding: Finding, evidence: Evidence) -> str:
    words = f"control: {finding.what}" if finding is evidence.control else finding.what
    sign = "≤" if finding.side == "<=" else "≥"
    number = f"{finding.estimate:.3g}\N{NO-BREAK SPACE}({sign}\N{NO-BREAK SPACE}{finding.limit:.3g})"
    return "\n".join(textwrap.wrap(f"{words}: {number}", 46 if evidence.picture else 70, max_lines=3))


def _draw_picture(axes: Any, picture: Picture) -> None:
    for at, curve in enumerate(picture.curves):
        axes.plot(
            curve.x,
            curve.y,
            label=curve.label,
            color=INK if curve.dashed else LINES[at % len(LINES)],
            linestyle="--" if curve.dashed else "-",
            marker="" if curve.dashed else "o",
            markersize=3,
            linewidth=1.2,
        )
    axes.set_xlabel(picture.x)
    axes.set_ylabel(picture.y)
    if "x" in picture.log:
        axes.set_xscale("log")
    if "y" in picture.log:
        axes.set_yscale("log")
    axes.legend(frameon=False, fontsize=7.5)
    _bare(axes)


def _bare(axes: Any) -> None:
    axes.patch.set_alpha(0)
    axes.spines[["top", "right"]].set_visible(False)
