"""The API's operations → the page that documents them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lunwen.doors.api.app import DOCUMENT, OPERATIONS
from lunwen.doors.api.openapi import SAYS

if TYPE_CHECKING:
    from lunwen.doors.parameter import Parameter


class Row(NamedTuple):
    """One parameter."""

    name: str
    allowed: str
    default: str
    says: str


class Address(NamedTuple):
    """One address and what it answers."""

    name: str
    path: str
    says: str
    link: str  # the address itself, where it needs nothing filled in
    answers: tuple[str, ...]  # media types
    rows: tuple[Row, ...]


class Reference(NamedTuple):
    """The whole page."""

    document: str
    says: tuple[str, ...]
    addresses: tuple[Address, ...]


def show_api() -> Reference:
    """Lay out every operation with its parameters."""
    return Reference(
        DOCUMENT,
        tuple(" ".join(part.split()) for part in SAYS.split("\n\n")),
        tuple(
            Address(
                one.name,
                one.path,
                one.says,
                "" if "{" in one.path else one.path,
                one.media_types,
                tuple(map(_row, one.parameters)),
            )
            for one in OPERATIONS
        ),
    )


def _row(one: Parameter) -> Row:
    if one.type is int:
        allowed = f"{one.least} to {one.most}" if one.most is not None else f"{one.least} or more"
    else:
        allowed = ", ".join(one.choices) or ("text, repeatable" if one.many else "text")
    default = "" if one.default in (None, "", ()) else str(one.default)
    return Row(one.name, allowed, default, one.help)
