"""Evidence on disk: one JSON file per method, with what it was measured on."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lunwen.errors import CouldNot
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, Verdict

if TYPE_CHECKING:
    from lunwen.methods._card import Method
    from lunwen.methods._check import Checked, Measured
    from lunwen.methods._claim import ClaimText

FOLDER = "LUNWEN_CLAIMS"
#: What reading values of the wrong kind, size or number may raise.
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True, slots=True)
class Record:
    """The evidence of one method as it stands on disk.

    Attributes:
        stale: a file of the method changed after it was measured.
        claims: per name of a claim, its evidence and the seconds it took.
        made: scale, seeds, date, versions of the libraries, machine.
        problem: why none of it can be used: the file is damaged.
    """

    stale: bool
    claims: dict[str, tuple[Evidence, float]]
    made: dict[str, Any]
    problem: str = ""


def folder() -> Path:
    """Return where evidence is kept: LUNWEN_CLAIMS, what an installed package ships, a checkout's claims/.

    Raises:
        CouldNot: LUNWEN_CLAIMS is a file.
    """
    if chosen := os.environ.get(FOLDER):
        place = Path(chosen).expanduser()
        if place.exists() and not place.is_dir():
            raise CouldNot(
                f'{FOLDER} is "{chosen}", which is no folder. Give the folder of evidence, or unset it'
            )
        return place
    package = Path(__file__).parents[1]
    shipped = package / "claims"
    return shipped if shipped.is_dir() else package.parents[1] / "claims"


def load(method: Method) -> Record | None:
    """Read the evidence of ``method``; None where it was never measured.

    A damaged file is a record that says so, so that the other methods are shown all the same.
    """
    path = place(method)
    try:
        record = _read(json.loads(path.read_text("utf-8")), method)
        summary(method, record)  # what follows from the values shows whether they are any
    except FileNotFoundError:
        return None
    except _DAMAGE:
        problem = (
            f"evidence damaged: {path.name} cannot be read. "
            f"Measure again with: lunwen check {method.method_id} --full --write"
        )
        return Record(True, {}, {}, problem)
    return record


def _read(stored: dict[str, Any], method: Method) -> Record:
    claims = {one["name"]: (_evidence(one), float(one["seconds"])) for one in stored["claims"]}
    made = {name: stored[name] for name in ("scale", "seeds", "measured_on", "versions", "machine")}
    texts = [
        *made["versions"].values(),
        made["measured_on"],
        *(one for held, _ in claims.values() for one in held.notes),
    ]
    if not all(isinstance(one, str) for one in texts):
        raise TypeError("a version, a date or a note that is no text")
    return Record(stored["files"] != method.hashes(), claims, made)


def place(method: Method) -> Path:
    """Return the file that holds the evidence of ``method``, once it was measured."""
    return folder() / f"{method.method_id}.json"


def picture(method: Method) -> bytes | None:
    """Return the drawing of the evidence as it stands, as SVG; None where that was never drawn."""
    path = place(method)
    try:
        drawn = path.with_suffix(".svg").read_bytes()
        return drawn if mark(path.read_text("utf-8")).encode() in drawn else None
    except (OSError, ValueError):
        return None


def mark(said: str) -> str:
    """Return what the drawing of an evidence file's text is marked with."""
    return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"


def text(checked: Checked) -> str:
    """Return what was measured as the text of an evidence file."""
    method = checked.method
    shape = {
        "method_id": method.method_id,
        "title": method.card.title,
        "area": method.card.area,
        "scale": _scale(checked),
        "seeds": checked.seeds,
        "measured_on": datetime.now(UTC).date().isoformat(),
        "files": checked.hashes,
        "versions": _versions(method),
        "machine": _machine(),
        "claims": [_claim_shape(one) for one in checked.claims],
    }
    return json.dumps(shape, ensure_ascii=False, indent=1) + "\n"


def summary(method: Method, record: Record | None) -> dict[str, Any]:
    """Return a method and its claims as plain JSON values: the shape of ``methods --json``."""
    return {
        "method_id": method.method_id,
        "title": method.card.title,
        "area": method.card.area,
        "problem": record.problem or None if record else None,
        "claims": [_summary(one, record) for one in method.claims],
    }


def measured_summary(checked: Checked) -> dict[str, Any]:
    """Return what was just measured, in the same shape, with its scale and seeds."""
    claims = {one.claim.name: (one.evidence, one.seconds) for one in checked.claims}
    measured = summary(checked.method, Record(checked.hashes != checked.method.hashes(), claims, {}))
    return measured | {"scale": _scale(checked), "seeds": checked.seeds}


def finding_shape(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain JSON values, with what follows from it."""
    low, high = finding.interval
    given = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(finding).items()
        if value != ()
    }
    return given | {
        "estimate": _plain(finding.estimate),
        "interval": [_plain(low), _plain(high)],
        "verdict": str(finding.verdict),
    }


def _scale(checked: Checked) -> str:
    return "full" if checked.full else "fast"


def _summary(claim: ClaimText, record: Record | None) -> dict[str, Any]:
    found = record.claims.get(claim.name) if record else None
    shape: dict[str, Any] = {"name": claim.name, "says": claim.says, "where": claim.where, "kind": claim.kind}
    if record is None or found is None:
        return shape | {
            "verdict": str(Verdict.NOT_RUN),
            "control_failed": None,
            "measured": [],
            "control": None,
            "seconds": None,
            "stale": False,
        }
    evidence, seconds = found
    return shape | {
        "verdict": str(evidence.verdict),
        "control_failed": evidence.control_failed,
        "measured": [finding_shape(one) for one in evidence.decisive],
        "control": finding_shape(evidence.control),
        "notes": list(evidence.notes),
        "seconds": round(seconds, 2),
        "stale": record.stale,
    }


def _claim_shape(measured: Measured) -> dict[str, Any]:
    evidence = measured.evidence
    return {
        **asdict(measured.claim),
        "verdict": str(evidence.verdict),
        "control_failed": evidence.control_failed,
        "measured": [finding_shape(one) for one in evidence.findings],
        "control": finding_shape(evidence.control),
        "picture": evidence.picture and asdict(evidence.picture),
        "notes": list(evidence.notes),
        "seconds": round(measured.seconds, 2),
    }


def _evidence(stored: dict[str, Any]) -> Evidence:
    picture = stored["picture"]
    return Evidence(
        findings=tuple(map(_finding, stored["measured"])),
        control=_finding(stored["control"]),
        picture=picture and Picture(**picture | {"curves": tuple(map(_curve, picture["curves"]))}),
        notes=tuple(stored["notes"]),
    )


def _finding(stored: dict[str, Any]) -> Finding:
    """Read what was measured; what follows from it is computed again, never read."""
    derived = ("estimate", "interval", "verdict")
    given: dict[str, Any] = {name: _frozen(value) for name, value in stored.items() if name not in derived}
    finding = Finding(**given)
    if finding.side not in ("<=", ">=") or math.isnan(finding.limit) or not isinstance(finding.what, str):
        raise ValueError(f"{finding.what}: at most or at least which limit?")
    return finding


def _curve(stored: dict[str, Any]) -> Curve:
    given: dict[str, Any] = {name: _frozen(value) for name, value in stored.items()}
    return Curve(**given)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _versions(method: Method) -> dict[str, str]:
    found = {"lunwen": version("lunwen"), "python": platform.python_version()}
    for name in method.card.needs:
        try:
            found[name] = version({"sklearn": "scikit-learn"}.get(name, name))
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def _machine() -> dict[str, Any]:
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}
