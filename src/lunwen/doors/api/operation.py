"""One address of the API: what may be asked there and what answers; routes and documents derive from it."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getdoc
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lunwen.doors.api.answer import JSON, Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lunwen.doors.parameter import Parameter
    from lunwen.library import Library


class Asked(NamedTuple):
    """One request, read."""

    given: Mapping[str, Any]  # every parameter of the operation by name
    pairs: tuple[tuple[str, str], ...]  # the query of the URL as it was sent
    path: str
    base: str  # where the site begins, with a slash at its end

    @property
    def url(self) -> str:
        """The whole address."""
        from urllib.parse import urlencode  # noqa: PLC0415 - only feeds say it

        return self.base + self.path.lstrip("/") + (f"?{urlencode(self.pairs)}" if self.pairs else "")


Answering: TypeAlias = "Callable[[Library, Asked], Answer]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One address and what it answers."""

    name: str
    path: str  # with parameters in braces
    method: str
    says: str  # one paragraph
    parameters: tuple[Parameter, ...]
    answer: Answering
    media_types: tuple[str, ...]
    schema: str | None  # the name of that of its JSON; other media types have none
    is_of_index: bool  # whether the answer changes only when the index does


def operation(
    path: str,
    *,
    method: str = "GET",
    parameters: tuple[Parameter, ...] = (),
    schema: str | None = None,
    media_types: tuple[str, ...] = (JSON,),
    is_of_index: bool = True,
) -> Callable[[Answering], Operation]:
    """Make an operation of the function that answers it; its docstring says what it is for."""

    def make(answer: Answering) -> Operation:
        return Operation(
            name=answer.__name__,
            path=path,
            method=method,
            says=" ".join((getdoc(answer) or "").split()),
            parameters=parameters,
            answer=answer,
            media_types=media_types,
            schema=schema,
            is_of_index=is_of_index,
        )

    return make
