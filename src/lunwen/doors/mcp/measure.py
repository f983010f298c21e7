"""A process that measures the claims of one method: its standard output is one JSON object a line."""

from __future__ import annotations

import os

import orjson

from lunwen.errors import LunwenError


def main(method_id: str) -> None:
    """Measure, saying how far it is; then what was measured, or why that could not be done."""
    from lunwen.methods import check, find, measured_summary  # noqa: PLC0415 - the tools only name this process

    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what a method prints is no answer

        def send(name: str, said: object) -> None:
            out.write(orjson.dumps({name: said}) + b"\n")
            out.flush()

        def report(done: int, total: int | None, what: str) -> None:
            send("progress", [done, total, what])

        try:
            send("data", measured_summary(check(find(method_id), report=report)))
        except LunwenError as error:
            send("refusal", str(error))
