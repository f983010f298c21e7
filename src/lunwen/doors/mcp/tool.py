"""One tool: what an agent may ask of it, and what answers."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getdoc
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import orjson

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping, Sequence

    from lunwen.doors.parameter import Parameter
    from lunwen.library import Library

    Answering: TypeAlias = Callable[[Library, Mapping[str, Any], "Report"], "Answer"]

MOST = 60_000  # characters of JSON in one answer: what an agent can still read


class Report(Protocol):
    """How long work tells whoever asked how far it is.

    Attributes:
        gone: set once nobody waits any more.
    """

    gone: threading.Event

    def __call__(self, done: int, total: int | None, what: str, /) -> None:
        """Say how far it is."""


class Answer(NamedTuple):
    """What a tool says: as text to read, and as data."""

    text: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool and what may be asked of it.

    Attributes:
        asks_library: whether the answer comes from the library, whose extent its description then says.
    """

    name: str
    title: str
    says: str
    parameters: tuple[Parameter, ...]
    answer: Answering
    asks_library: bool


def tool(title: str, *parameters: Parameter, asks_library: bool = True) -> Callable[[Answering], Tool]:
    """Make a tool of the function that answers; its docstring is the description."""

    def make(answer: Answering) -> Tool:
        return Tool(
            name=answer.__name__,
            title=title,
            says=" ".join((getdoc(answer) or "").split()),
            parameters=parameters,
            answer=answer,
            asks_library=asks_library,
        )

    return make


def fitting(items: Sequence[Mapping[str, Any]], most: int = MOST) -> int:
    """Count how many items fit into one answer; the first always does."""
    room = most
    for at, item in enumerate(items):
        room -= len(orjson.dumps(item, option=orjson.OPT_NON_STR_KEYS))
        if room < 0:
            return max(at, 1)
    return len(items)


def page(items: Sequence[dict[str, Any]], limit: int, offset: int) -> dict[str, Any]:
    """Return one page of a whole list, as long as it fits, and where the next one begins."""
    wanted = items[offset : offset + limit]
    shown = wanted[: fitting(wanted)]
    end = offset + len(shown)
    return {
        "total": len(items),
        "offset": offset,
        "next_offset": end if shown and end < len(items) else None,
        "items": shown,
    }


def more(data: Mapping[str, Any]) -> str:
    """Say which part of a list an answer is, and how to go on."""
    shown, total, first = len(data["items"]), data["total"], data["offset"]
    if not shown:
        return f"0 of {total:,}" + (f", after offset {first}" if first else "")
    part = f"{first + 1}–{first + shown} of {total:,}"
    following = data["next_offset"]
    return part if following is None else f"{part}; more with offset {following}"
