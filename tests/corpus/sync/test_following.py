"""The guide's table of faults says what the tests of faults expect.

``python -m tests.corpus.sync.test_following`` prints it.
"""

from __future__ import annotations

from pathlib import Path

from tests.corpus.sync.test_faults import CASES
from tests.server import FAULTS

from lunwen.corpus.sync.report import Ending

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "following.md"
ONCE = {
    "passing": "not noticed: it is asked for again",
    "lasting": "failed; the next sync is done",
    "nonsense": "failed, nothing of it is taken; the next sync is done",
}


def _table() -> str:
    rows = ["| fault | source | once | lasting |", "|---|---|---|---|"]
    for kind, once in ONCE.items():
        names = "; ".join(fault.name for fault in FAULTS.values() if fault.kind == kind)
        rows.append(f"| {names} | every | {once} | {Ending.FAILED}; what is stored stays |")
    otherwise: dict[tuple[str, str], list[str]] = {}
    for name, case in CASES.items():
        for (fault, page), ending in case.but.items():
            what = f"{fault} at {'the first' if page == 0 else 'a later'} page"
            otherwise.setdefault((what, ending), []).append(name)
    rows += [
        f"| {what} | {', '.join(names)} | {ending} | {ending} |"
        for (what, ending), names in otherwise.items()
    ]
    rows.append(f"| | {', '.join(CASES)} | tried at each | and at each of its pages |")
    return "\n".join(rows)


def test_the_guide_has_the_table_of_faults() -> None:
    assert _table() in GUIDE.read_text("utf-8")


if __name__ == "__main__":
    print(_table())  # noqa: T201
