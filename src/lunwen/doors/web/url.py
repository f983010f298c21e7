"""The state of a search ↔ its URL: everything the page shows can be linked to, and Back works."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, quote_plus, urlsplit

from lunwen.doors.parameter import parameters_of
from lunwen.errors import LimitError
from lunwen.export.link import identifier_link
from lunwen.retrieval.request import MAX_LIMIT, MAX_OFFSET, Mode, SearchRequest, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SIZE = 20
FILTERS = ("venue", "year", "topic", "status", "source", "author", "has")  # repeatable, in the URL's order

_CHOICES = {one.name: one for one in parameters_of(SearchRequest) if one.choices}

#: Nearly all there are; the rest is taken apart.
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?:[/?#][^\x00-\x20\"<>\\^`{|}\x7f]*)?")


class State(NamedTuple):
    """One search as its URL says it; values are kept as typed."""

    q: str = ""
    venue: tuple[str, ...] = ()
    year: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    sort: Sort | None = None
    page: int = 1
    size: int = SIZE
    mode: Mode = Mode.HYBRID
    explain: bool = False  # whether each result says why it is there

    def values(self, name: str) -> tuple[str, ...]:
        """The values of one filter."""
        found: tuple[str, ...] = getattr(self, name)
        return found

    @property
    def filtered(self) -> bool:
        """Whether any filter is set."""
        return any(self.values(name) for name in FILTERS)

    @property
    def blank(self) -> bool:
        """Whether this is the start page: no question, no filter, first page."""
        return not (self.q or self.filtered or self.page > 1)

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values, defaults left out."""
        found = [("q", self.q)] if self.q else []
        found += [(name, value) for name in FILTERS for value in self.values(name)]
        if self.sort is not None:
            found.append(("sort", self.sort.value))
        if self.mode is not Mode.HYBRID:
            found.append(("mode", self.mode.value))
        if self.explain:
            found.append(("explain", "1"))
        if self.size != SIZE:
            found.append(("size", str(self.size)))
        if self.page != 1:
            found.append(("page", str(self.page)))
        return found

    def url(self, **changes: Any) -> str:
        """The URL of this state with ``changes``; any change but of the page goes back to the first page."""
        if changes:
            changes.setdefault("page", 1)
        state = self._replace(**changes) if changes else self
        pairs = state.pairs()
        return "/?" + "&".join(f"{name}={encode(value)}" for name, value in pairs) if pairs else "/"

    def chooser(self, name: str) -> Callable[..., str]:
        """A function from values of the filter ``name`` to URLs: ``url`` for a hundred choices at once."""
        mark = "\x00"
        before, _, after = self.url(**{name: (mark,)}).partition(f"{name}={encode(mark)}")
        empty = self.url(**{name: ()})

        before += f"{name}="

        def choose(*values: str) -> str:
            if len(values) == 1:
                return f"{before}{encode(values[0])}{after}"
            return before + f"&{name}=".join(map(encode, values)) + after if values else empty

        return choose

    def without(self, name: str, value: str) -> str:
        """The URL with one value of a filter taken away."""
        return self.url(**{name: tuple(v for v in self.values(name) if v != value)})

    def request(self) -> SearchRequest:
        """The request this state stands for."""
        return SearchRequest(
            query=self.q,
            venue=self.venue,
            year=self.year,
            topic=self.topic,
            status=self.status,
            source=self.source,
            author=self.author,
            has=self.has,
            sort=self.sort,
            mode=self.mode,
            limit=self.size,
            offset=(self.page - 1) * self.size,
        )


def read_state(pairs: Iterable[tuple[str, str]]) -> State:
    """Read a state from the pairs of a query string; unknown names are left out.

    Raises:
        LimitError: a page or size that is no number or outside its range.
        UnknownName: a sort or a mode that does not exist.
    """
    one = dict.fromkeys(("q", "sort", "mode", "explain", "page", "size", "from", "to"), "")
    many: dict[str, list[str]] = {name: [] for name in FILTERS}
    for name, raw in pairs:
        value = raw.strip()
        if name in one:
            one[name] = value
        elif name in many and value and value not in many[name]:
            many[name].append(value)
    if one["from"] or one["to"]:
        many["year"] = [_year_range(one["from"], one["to"])]
    size = _read_number("size", one["size"], default=SIZE, most=MAX_LIMIT)
    return State(
        q=one["q"],
        sort=_CHOICES["sort"].read(one["sort"]) if one["sort"] else None,
        mode=_CHOICES["mode"].read(one["mode"]) if one["mode"] else Mode.HYBRID,
        explain=one["explain"] == "1",
        page=_read_number("page", one["page"], default=1, most=MAX_OFFSET // size + 1),
        size=size,
        **{name: tuple(values) for name, values in many.items()},
    )


def read_page(text: str) -> int:
    """The number of a page.

    Raises:
        LimitError: it is no number or outside its range.
    """
    return _read_number("page", text.strip(), default=1, most=MAX_OFFSET // SIZE + 1)


def state_of(request: SearchRequest) -> State:
    """The state of a request, on its first page."""
    shared = {*State._fields}.intersection(field.name for field in fields(SearchRequest))
    return State(q=request.query, **{name: getattr(request, name) for name in shared})


def paper_url(paper_id: str) -> str:
    """Where a paper's own page is."""
    return "/papers/" + quote(paper_id, safe="/:")


def author_url(author_id: str) -> str:
    """Where an author's own page is."""
    return "/authors/" + quote(author_id, safe="~:")


def outside_url(text: str) -> str | None:
    """``text`` as a link out, or None where following it could do anything but open a web page."""
    if _PLAIN_URL.fullmatch(text):
        return text
    url = text.strip()
    if url.lower().startswith("doi:"):
        return identifier_link("doi", url[4:])
    if any(c <= " " or c in '"<>\\^`{|}\x7f' for c in url):
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.hostname else None


@lru_cache(maxsize=65_536)
def encode(text: str) -> str:
    """``text`` for a query string, keeping what browsers keep readable."""
    return quote_plus(text, safe="/:,")


def _year_range(low: str, high: str) -> str:
    if low and high:
        return low if low == high else f"{low}..{high}"
    return f">={low}" if low else f"<={high}"


def _read_number(name: str, text: str, *, default: int, most: int) -> int:
    if not text:
        return default
    if text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= most:
        return int(text)
    shown = text if len(text) <= 20 else text[:20] + "…"
    raise LimitError(
        f'{name} "{shown}" is not possible. Allowed: 1 to {most:,}. Leave {name} out for {default}'
    )
