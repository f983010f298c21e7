"""The options of a search, made from ``SearchRequest``: its names, types and help."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.cli.wording import Number, OneOf
from lunwen.doors.parameter import parameters_of
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lunwen.doors.parameter import Parameter

_SHORT = {"limit": "-n"}


def takes_request(*, without: Collection[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the words and options of a search; its function gets one ``request``."""
    parameters = {one.name: _parameter(one) for one in parameters_of(SearchRequest, without=without)}

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


def _parameter(one: Parameter) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    if one.name == "query":
        return click.argument(one.name, nargs=-1)
    names = [f"--{one.name}", *([_SHORT[one.name]] if one.name in _SHORT else [])]
    settings: dict[str, Any] = {"help": one.help, "default": one.default}
    if one.type is int:
        return click.option(*names, type=Number(one), metavar="N", show_default=True, **settings)
    if one.choices:
        if one.default is not None:
            settings.update(default=str(one.default), show_default=True)
        return click.option(*names, type=OneOf(one.name, one.choices), callback=_read(one), **settings)
    return click.option(*names, multiple=True, metavar=one.name.upper(), **settings)


def _read(one: Parameter) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    return lambda _ctx, _param, value: None if value is None else one.read(value)
