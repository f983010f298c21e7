"""Templates: compiled once, everything escaped."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from lunwen.doors.feed import ATOM, JSON_FEED
from lunwen.doors.web.form import mask
from lunwen.doors.web.markup import links, people, rows, tree
from lunwen.doors.web.url import encode

if TYPE_CHECKING:
    from lunwen.doors.web.url import State
    from lunwen.doors.words import Words

_ASSETS = {
    "css": "page.css",
    "paper_css": "paper.css",
    "js": "page.js",
    "suggest": "suggest.js",
    "typing": "typing.js",
    "icon": "icon.svg",
}


class Templates:
    """The templates of the page and the addresses of its files."""

    def __init__(self, token: str | None) -> None:
        """``token`` is what forms bring; None where readers may write nothing."""
        self._environment = Environment(
            loader=PackageLoader("lunwen.doors.web"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
            auto_reload=False,
        )
        self._environment.globals.update({name: _address(file) for name, file in _ASSETS.items()})
        self._environment.globals.update(links=links, people=people, rows=rows, tree=tree)
        self._token = token

    def render(self, name: str, words: Words, state: State, *, here: str | None = None, **values: Any) -> str:
        """Render a template; ``here`` is the URL the language links lead to, by default the state's."""
        at = here or state.url()
        mark = "&" if "?" in at else "?"
        return self._environment.get_template(name).render(
            t=words,
            token=self._token and mask(self._token),
            state=state,
            here=at,
            kept=[pair for pair in state.pairs() if pair[0] not in ("q", "page")],
            focus=name == "listing.html" and state.blank,
            languages=[("zh", "中文", f"{at}{mark}lang=zh"), ("en", "EN", f"{at}{mark}lang=en")],
            **{"feeds": feeds(state), **values},
        )


def feeds(state: State) -> list[tuple[str, str]]:
    """The feeds of a state's search, as media types and addresses."""
    pairs = [(name, value) for name, value in state.pairs() if name not in ("page", "size", "explain")]
    query = "?" + "&".join(f"{name}={encode(value)}" for name, value in pairs) if pairs else ""
    return [(ATOM, f"/feed.atom{query}"), (JSON_FEED, f"/feed.json{query}")]


def feeds_of(name: str, value: str) -> list[tuple[str, str]]:
    """The feeds of an author or a collection."""
    query = f"?{name}={encode(value)}"
    return [(ATOM, f"/feed.atom{query}"), (JSON_FEED, f"/feed.json{query}")]


def _address(file: str) -> str:
    """Where ``file`` is served; the address changes with its content, so that it can be kept for ever."""
    content = files("lunwen.doors.web").joinpath("static", file).read_bytes()
    return f"/static/{file}?v={sha256(content).hexdigest()[:12]}"
