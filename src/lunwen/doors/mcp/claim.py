"""Tools for papers that run: their methods, and their claims measured."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import orjson

from lunwen.doors.mcp.tool import Answer, more, page, tool
from lunwen.doors.parameter import METHOD_ID, WORDS, limit_of
from lunwen.doors.selection import OFFSET
from lunwen.doors.shape import method_dict
from lunwen.errors import CouldNot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lunwen.doors.mcp.tool import Report
    from lunwen.library import Library

SECONDS = 300  # the longest that claims run
MEASURE = "import sys; from lunwen.doors.mcp.measure import main; main(sys.argv[1])"

LIMIT = limit_of("Methods", 100)

_running = threading.Lock()


@tool("List methods that run", WORDS, LIMIT, OFFSET, asks_library=False)
def list_methods(_library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """List the papers whose method is here as code that runs, with the verdicts on their claims."""
    from lunwen.doors.claim import methods_with  # noqa: PLC0415 - searching needs no methods
    from lunwen.methods import load, summary  # noqa: PLC0415 - same

    rows = []
    for method in methods_with(given["words"].split()):
        shape = summary(method, load(method))
        claims = [{key: one[key] for key in ("name", "says", "verdict")} for one in shape["claims"]]
        rows.append(shape | {"name": method.name, "claims": claims})
    data = page(rows, LIMIT.check(given["limit"]), OFFSET.check(given["offset"]))
    lines = [
        f"{row['method_id']} {row['name']} ({row['area']}): {row['title']} — "
        + (row["problem"] or ", ".join(f"{one['name']} {one['verdict']}" for one in row["claims"]))
        for row in data["items"]
    ]
    return Answer("\n".join([f"Methods {more(data)}", *lines]), data)


@tool("Show a method", METHOD_ID, asks_library=False)
def get_method(_library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """Show one method: what it is, how to use it from Python, its claims and what was measured of them."""
    from lunwen.doors.claim import find_method  # noqa: PLC0415 - searching needs no methods

    data = method_dict(find_method(given["method_id"]))
    text = [
        data["title"],
        data["documentation"].partition("\n\n")[2],  # what stands before is the title
        f"Example:\n{data['example']}",
        *(f"Not checked here: {one}" for one in data["unchecked"]),
        *_claim_lines(data),
    ]
    return Answer("\n\n".join(text), data)


@tool("Run a paper's claims", METHOD_ID, asks_library=False)
def run_claims(_library: Library, given: Mapping[str, Any], report: Report) -> Answer:
    """Measure the claims of one paper's method here and now, in the fast setting: seconds, at most minutes.

    Each claim gets a verdict (holds, weaker, undecided, fails) with its interval, and its control, in which
    the paper's idea is removed, has to fail. Nothing is kept.
    """
    from lunwen.doors.claim import find_method, looked_text  # noqa: PLC0415 - searching needs no methods
    from lunwen.doors.words import WORDS  # noqa: PLC0415 - same
    from lunwen.methods import load  # noqa: PLC0415 - same

    method = find_method(given["method_id"])
    if not _running.acquire(blocking=False):
        raise CouldNot(
            "claims are being measured already. One measurement runs at a time. Wait for it, then ask"
        )
    try:
        data = _measure(method.method_id, report)
    finally:
        _running.release()
    looked = looked_text(data, method, load(method), WORDS["en"])
    return Answer("\n".join([data["title"], looked, *_claim_lines(data)]), data)


def _measure(method_id: str, report: Report) -> dict[str, Any]:
    """Measure in a process of its own, which is ended when its time is over or nobody waits any more."""
    command = [sys.executable, "-c", MEASURE, method_id]
    ends = time.monotonic() + SECONDS
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:  # noqa: S603 - ours
        threading.Thread(target=_end, args=(process, report), daemon=True).start()
        for line in process.stdout or ():
            match orjson.loads(line):
                case {"progress": [done, total, what]}:
                    report(done, total, what)
                case {"data": dict(data)}:
                    return data
                case {"refusal": text}:
                    raise CouldNot(str(text))
    if time.monotonic() >= ends:
        raise CouldNot(
            f"the claims of {method_id} took longer than {SECONDS} s, the most that is allowed here. "
            f"Measure them without a limit: lunwen check {method_id}"
        )
    raise CouldNot(f"measuring {method_id} broke off. Look into it with: lunwen check {method_id}")


def _end(process: subprocess.Popen[bytes], report: Report) -> None:
    report.gone.wait(SECONDS)
    process.kill()


def _claim_lines(data: Mapping[str, Any]) -> Iterator[str]:
    if data.get("problem"):
        yield data["problem"]
    for one in data["claims"]:
        control = {True: "; its control fails, as it must", False: "; ITS CONTROL DID NOT FAIL"}
        yield f"{one['verdict']}: {one['name']}{control.get(one['control_failed'], '')}: {one['says']}"


TOOLS = (list_methods, get_method, run_claims)
