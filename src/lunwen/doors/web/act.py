"""What readers may change from the page: one action per form, each a call of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from lunwen.corpus.shelf import STARRED
from lunwen.doors.web.form import safe_return
from lunwen.doors.web.keep import SHELF, WATCHES, collection_url, watch_url
from lunwen.doors.web.url import read_state
from lunwen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lunwen.library import Library

    Action = Callable[[Library, Mapping[str, str]], str | None]


def act(library: Library, name: str, given: Mapping[str, str]) -> str:
    """Do what a form asks for; return where to go next.

    Raises:
        UsageError: a field is missing or wrong.
        NotFound: it names something that is not there.
        LibraryBusy: another process writes all the while.
    """
    try:
        there = ACTIONS[name](library, given)
    except KeyError as error:
        raise UsageError(f"{name} needs {error}. Allowed: the forms of the page. Reload the page") from None
    return there or safe_return(given.get("back", "/"))


def _star(library: Library, given: Mapping[str, str]) -> None:
    library.star([given["paper"]], given.get("collection", STARRED))


def _unstar(library: Library, given: Mapping[str, str]) -> None:
    library.unstar([given["paper"]], given.get("collection", STARRED))


def _note(library: Library, given: Mapping[str, str]) -> None:
    library.note(given["paper"], given["text"])


def _rename(library: Library, given: Mapping[str, str]) -> str:
    library.rename_collection(given["collection"], given["new"])
    return collection_url(" ".join(given["new"].split()))


def _delete(library: Library, given: Mapping[str, str]) -> str:
    library.delete_collection(given["collection"])
    return SHELF


def _save(library: Library, given: Mapping[str, str]) -> str:
    state = read_state(parse_qsl(given["search"].partition("?")[2]))
    library.save_watch(given["name"], state.request())
    return watch_url(" ".join(given["name"].split()))


def _visit(library: Library, given: Mapping[str, str]) -> str:
    last = given["last"]
    if not (last.isascii() and last.isdigit() and len(last) < 16):
        raise UsageError(f'last "{last[:20]}" is no number. Allowed: what the page gave. Reload the page')
    library.visit(given["watch"], int(last))
    return WATCHES


def _forget(library: Library, given: Mapping[str, str]) -> str:
    library.delete_watch(given["watch"])
    return WATCHES


ACTIONS: Mapping[str, Action] = {
    "star": _star,
    "unstar": _unstar,
    "note": _note,
    "rename": _rename,
    "delete": _delete,
    "save": _save,
    "visit": _visit,
    "forget": _forget,
}
