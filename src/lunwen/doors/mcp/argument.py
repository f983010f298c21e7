"""The arguments of tools: their JSON Schema, and read back with the words of the other doors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lunwen.doors.parameter import read_parameters
from lunwen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lunwen.doors.parameter import Parameter


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments; those of a path are required."""
    return {
        "type": "object",
        "properties": {one.name: _schema(one) for one in parameters},
        "required": [one.name for one in parameters if one.in_path],
        "additionalProperties": False,
    }


def _schema(one: Parameter) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "integer" if one.type is int else "string"}
    bounds = {"minimum": one.least, "maximum": one.most} if one.type is int else {}
    value |= {name: bound for name, bound in bounds.items() if bound is not None}
    if one.choices:
        value["enum"] = [str(choice) for choice in one.choices]
    if one.many:
        value = {"type": "array", "items": value}
    elif one.default is not None:
        value["default"] = one.default if one.type is int else str(one.default)
    return value | {"description": one.help}


def read_arguments(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Read what an agent gave; one value stands for a list of it, a number for its text, null for nothing.

    Numbers out of range are left to the library, or to ``Parameter.check``, to refuse.

    Raises:
        UnknownName: an argument that is none of the tool's, or a value that is none of its choices.
        UsageError: one that is missing, or neither text nor number.
        LimitError: what should be a number is none.
    """
    pairs = [(name, text) for name, value in given.items() for text in _texts(name, value)]
    by_name = [replace(one, in_path=False) for one in parameters]  # there is no path here
    asked = read_parameters(by_name, pairs, {}, word="argument")
    for one in parameters:
        if one.many and given.get(one.name) == []:  # none, which is not the same as nothing said
            asked[one.name] = ()
        if one.in_path and asked[one.name] is None:
            raise UsageError(f"{one.name} is missing. Allowed: {one.help} Give one")
    return asked


def _texts(name: str, value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, float) and one.is_integer():  # some clients know no other numbers
            yield str(int(one))
        elif isinstance(one, str | int) and not isinstance(one, bool):
            yield str(one)
        elif one is not None:
            raise UsageError(
                f"{name} is {str(one)[:40]!r}. Allowed: text, a whole number, or a list of them. Write it so"
            )
