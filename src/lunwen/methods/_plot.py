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
TITLE, LINE = 0.3, 0.15  # inches
FAR = 1e12  # stands for infinity
MOST = 30  # findings drawn per claim, those that decide first; the table has them all


def plot(
    method: Method, evidence: Mapping[str, Evidence], *, form: str = "svg", mark: str | None = None
) -> bytes:
    """Draw all claims of a method, one below the other, as SVG or PNG; ``mark`` is a note inside the SVG.

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
    says = {claim.name: claim.says for claim in method.claims}
    heights = [_height(one) for one in evidence.values()]
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
        figure.patch.set_alpha(0 if form == "svg" else 1)
        parts = figure.subfigures(len(evidence), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part, (name, one) in zip(parts, evidence.items(), strict=True):
            _draw(part, says[name], one)
        stream = io.BytesIO()
        metadata = {"Date": None, "Description": mark} if form == "svg" else None
        figure.savefig(stream, format=form, dpi=150, metadata=metadata)
    return stream.getvalue()


def _height(evidence: Evidence) -> float:
    """Return inches: as high as the rows with their labels need, or the picture with its legend."""
    findings = LINE * (_spots(evidence)[-1] + 1) + 0.8
    curves = evidence.picture.curves if evidence.picture else ()
    legend = sum(_wrapped(one.label).count("\n") + 1 for one in curves)
    return max(findings, 2.3 + LINE * legend if curves else 0) + TITLE


def _rows(evidence: Evidence) -> list[Finding]:
    """Return what is drawn: the findings that decide first, the control last."""
    return [*evidence.decisive[:MOST], evidence.control]


def _spots(evidence: Evidence) -> list[float]:
    """Return where the rows stand, in lines from the top: as far apart as their labels are high."""
    heights = [_label(one, evidence).count("\n") + 1.6 for one in _rows(evidence)]
    return [sum(heights[:at]) + height / 2 for at, height in enumerate(heights)]


def _wrapped(label: str) -> str:
    return "\n".join(textwrap.wrap(label, 44))


def _draw(part: Any, says: str, evidence: Evidence) -> None:
    part.patch.set_alpha(0)
    title = textwrap.shorten(f"{evidence.verdict} · {says}", 200, placeholder=" …")
    part.suptitle(
        "\n".join(textwrap.wrap(title, 105)),
        color=COLOURS[evidence.verdict],
        weight="bold",
        x=0.01,
        ha="left",
    )
    if evidence.picture is None:
        _draw_findings(part.subplots(), evidence)
        return
    left, right = part.subfigures(1, 2, width_ratios=(1.2, 1))  # side by side, without common edges
    for half in (left, right):
        half.patch.set_alpha(0)
    _draw_findings(left.subplots(), evidence)
    _draw_picture(right.subplots(), evidence.picture)


def _draw_findings(axes: Any, evidence: Evidence) -> None:
    """One row per finding: the room to its own limit, 0 being the limit, and beyond it to the left."""
    rows, drawn = _rows(evidence), [0.0]
    for at, one in zip(_spots(evidence), rows, strict=True):
        spot, *ends = (one.room(min(max(value, -FAR), FAR)) for value in (one.estimate, *one.interval))
        drawn += [spot, *ends]
        control = one is evidence.control
        colour = INK if control else COLOURS[one.verdict]
        axes.errorbar(
            spot,
            at,
            xerr=[[max(spot - min(ends), 0)], [max(max(ends) - spot, 0)]],
            fmt="D" if control else "o",
            color=colour,
            mfc="none" if control else colour,
            markersize=4.5,
            linewidth=1.2,
            capsize=2,
        )
    low, high = min(drawn), max(drawn)
    if max(high, -low) > 0.5:  # linear near the limit, logarithmic far from it
        axes.set_xscale("symlog", linthresh=0.1, linscale=0.7)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlim(min(2 * low, -0.1), max(2 * high, 0.1))
    else:
        axes.set_xlim(low - 0.06 * (high - low), high + 0.06 * (high - low))
    axes.axvline(0, color=INK, linewidth=0.8, linestyle=":")
    axes.axvspan(axes.get_xlim()[0], 0, color=COLOURS[Verdict.FAILS], alpha=0.07, linewidth=0)
    axes.set_yticks(_spots(evidence), [_label(one, evidence) for one in rows])
    axes.set_ylim(_spots(evidence)[-1] + 1, 0)
    more = len(evidence.findings) + 1 - len(rows)
    rest = f"; {more} more have more room" if more else ""
    axes.set_xlabel(
        _wrapped(f"room to the limit, as a share of it; shaded: beyond; hollow: the control{rest}")
    )
    _bare(axes)


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
            label=_wrapped(curve.label),
            color=INK if curve.dashed else LINES[at % len(LINES)],
            linestyle="--" if curve.dashed else "-",
            marker="" if curve.dashed else "o",
            markersize=3,
            linewidth=1.2,
        )
    axes.set_xlabel(picture.x)
    axes.set_ylabel(picture.y)
    for one in picture.log:
        _logarithmic(axes, one)
    axes.legend(
        frameon=False,
        fontsize=7.5,
        loc="lower left",
        bbox_to_anchor=(-0.02, 1),
        borderaxespad=0,
        labelspacing=0.2,
    )
    _bare(axes)


def _logarithmic(axes: Any, which: str) -> None:
    """Make an axis logarithmic, with plain labels that do not run into each other."""
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415 - only plots need it

    axes.set(**{f"{which}scale": "log"})
    axis = getattr(axes, f"{which}axis")
    low, high = sorted(axis.get_data_interval())
    steps = (1, 2, 5) if 0 < high < 30 * low else (1,)
    axis.set_major_locator(LogLocator(subs=steps, numticks=12))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())


def _bare(axes: Any) -> None:
    axes.patch.set_alpha(0)
    axes.spines[["top", "right"]].set_visible(False)
