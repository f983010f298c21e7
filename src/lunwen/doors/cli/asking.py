"""The options of a search, made from ``SearchRequest``: its names, types and help."""

from __future__ import annotations

import functools
from dataclasses import fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import click

from lunwen.doors.cli.wording import OneOf
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_SHORT = {"limit": "-n"}


def takes_request(*, without: Collection[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the words and options of a search; its function gets one ``request``."""
    parameters = {one.name: _parameter(one.name) for one in fields(SearchRequest) if one.name not in without}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(session: object, **given: Any) -> object:
            asked = {name: given.pop(name) for name in parameters}
            if "query" in asked:  # stray bytes become ?
                asked["query"] = " ".join(asked["query"]).encode("utf-8", "replace").decode()
            return function(session, SearchRequest(**asked), **given)

        made: Callable[..., Any] = call
        for parameter in reversed(parameters.values()):
            made = parameter(made)
        return made

    return decorate


def _parameter(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    if name == "query":
        return click.argument(name, nargs=-1)
    field = SearchRequest.__dataclass_fields__[name]
    names = [f"--{name}", *([_SHORT[name]] if name in _SHORT else [])]
    settings: dict[str, Any] = {"help": field.metadata["help"], "default": field.default}
    hint = get_type_hints(SearchRequest)[name]
    if hint is int:
        return click.option(*names, type=int, metavar="N", show_default=True, **settings)
    choices = next(
        (one for one in (hint, *get_args(hint)) if isinstance(one, type) and issubclass(one, StrEnum)), None
    )
    if choices is not None:
        if field.default is not None:
            settings.update(default=str(field.default), show_default=True)
        return click.option(*names, type=OneOf(name, choices), callback=_enum(choices), **settings)
    return click.option(*names, multiple=True, metavar=name.upper(), **settings)


def _enum(choices: type[StrEnum]) -> Callable[[click.Context, click.Parameter, str | None], StrEnum | None]:
    return lambda _ctx, _param, value: None if value is None else choices(value)
