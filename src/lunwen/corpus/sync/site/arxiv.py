"""arXiv's categories, harvested by OAI-PMH: everything once, then what is new or changed since."""

from __future__ import annotations

import re
from calendar import monthrange
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from lunwen.corpus.category import find_category, set_of
from lunwen.corpus.sync.arrival import open_reply, read_count, refuse
from lunwen.corpus.sync.page import Page
from lunwen.errors import Expired, FetchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sync.page import Edition

_OAI = "https://oaipmh.arxiv.org/oai"
_FORM = "arXiv"  # authors in parts, and the day of the first version
_LARGEST = 64 * 1024**2  # bytes of a page; 1,300 records are 3 MB
_DAYS = re.compile(r"(\d{4}(?:-\d\d){0,2})(\.\.(\d{4}(?:-\d\d){0,2})?)?")


class Arxiv:
    """Harvests a category: its address is "cs.LG", or "cs.LG 2026-11" for what was new or changed then."""

    name = "arxiv"
    is_whole = False  # after the first time only what changed is asked for
    can_reject = False

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,
        with_rejected: bool = False,  # noqa: ARG002 - arXiv rejects nothing
    ) -> Iterator[Page]:
        """Walk the category, about 1,300 records a page.

        Where arXiv no longer knows how to go on, the walk goes on from the day it had come to, since records
        come in the order of the days on which they changed.

        Raises:
            Expired: it had not come further than where it began.
            FetchError: arXiv refuses.
            UnreadableFile: the answer is no OAI-PMH.
        """
        category, first, last = read_address(edition.address)
        walk = _Walk(start=first) if after is None else _Walk.read(after)
        while True:
            reply = fetcher.get(_url(category, walk, last), accept="text/xml", keep=False, max_bytes=_LARGEST)
            file = open_reply(reply)
            said = _read(file)
            if said.error == "badResumptionToken":
                walk = walk.go_on()
                continue
            if said.error not in ("", "noRecordsMatch"):
                raise FetchError(f"{edition.name}: arXiv refuses: {said.error} {said.says}".strip())
            if said.token and said.token == walk.token:
                raise FetchError(f"{edition.name}: arXiv gives the same page again. Try later")
            name, walk = walk.page, walk.step(said)
            yield Page(
                name=name,
                url=reply.url,
                source="arxiv",
                file=file,
                next=walk.write() if said.token else None,
                later=None if said.token or last else _Walk(start=walk.begun).write(),
                total=0 if said.error else said.total,
                gone=tuple(said.gone),
            )
            if not said.token:
                return


def read_address(address: str) -> tuple[str, str, str]:
    """Cut "cs.LG 2026-11" into the category, the first day and the last, each empty where there is none.

    Raises:
        UnknownName: no such category.
        UsageError: no such days.
    """
    name, _, days = address.strip().partition(" ")
    return find_category(name), *read_days(days)


def read_days(text: str) -> tuple[str, str]:
    """Read a day, a month, a year, or a range of them: "2026-11-30", "2026", "2026-11..", "2025..2026-03".

    Raises:
        UsageError: it is none.
    """
    if not text.strip():
        return "", ""
    found = _DAYS.fullmatch(text.strip())
    first = last = None
    if found:
        end = found[3] if found[2] else found[1]
        with suppress(ValueError):
            last = _last_day(end) if end else None
            first = date.fromisoformat((found[1] + "-01-01")[:10])
    if first is None or (last and last < first):
        raise UsageError(
            f'no days: "{text}". Give a day, a month, a year or a range of them: 2026-11-30, 2026-11, '
            "2026-11-01.. (from then on), 2025..2026-03"
        )
    return first.isoformat(), last.isoformat() if last else ""


def _last_day(text: str) -> date:
    year, month, day = (int(part) for part in (text + "-12-31").split("-")[:3])
    if text.count("-") == 1:
        day = monthrange(year, month)[1]
    return date(year, month, day)


@dataclass(frozen=True, slots=True)
class _Walk:
    """How far a walk is: what is written into ``Page.next``."""

    start: str = ""  # the first day asked for
    token: str = ""  # how arXiv calls the page that comes next
    reached: str = ""  # the day to which it has come
    begun: str = ""  # from where a later walk has to ask
    number: str = "1"  # of the page that comes next

    @property
    def page(self) -> str:
        return f"page {self.number}" + (f" since {self.start}" if self.start else "")

    @classmethod
    def read(cls, text: str) -> _Walk:
        return cls(**{name: value for name, value in parse_qsl(text) if name in cls.__slots__})

    def write(self) -> str:
        return urlencode({name: value for name, value in asdict(self).items() if value})

    def step(self, said: _Said) -> _Walk:
        """The walk after a page."""
        ordered = said.ordered and self.reached <= (said.first or _UNORDERED)
        return replace(
            self,
            token=said.token,
            reached=max(self.reached, said.last) if ordered else _UNORDERED,
            begun=self.begun or said.begun,
            number=str(int(self.number) + 1),
        )

    def go_on(self) -> _Walk:
        """The walk from the day to which it has come.

        Raises:
            Expired: it would not come further that way.
        """
        if not self.start < self.reached < _UNORDERED:
            raise Expired("arXiv no longer knows how this walk goes on; it begins again")
        return replace(self, start=self.reached, token="")


_UNORDERED = "unordered"  # after every day: records did not come in the order of their days


@dataclass(slots=True)
class _Said:
    """What a page says besides its records."""

    token: str = ""
    error: str = ""
    says: str = ""
    begun: str = ""  # the day before the answer's: what changes later has that day or a later one
    first: str = ""  # the day of the first record, and of the last
    last: str = ""
    ordered: bool = True
    total: int | None = None
    gone: list[str] = field(default_factory=list)


def _read(file: SourceFile) -> _Said:
    from lunwen.corpus.xml import iter_xml  # noqa: PLC0415 - slow to load

    said = _Said()
    if b"<OAI-PMH" not in file.head:
        raise refuse(file, "an answer of OAI-PMH")
    with file.open() as stream:
        for element in iter_xml(
            stream, ("responseDate", "error", "record", "resumptionToken"), name=file.name
        ):
            text = (element.text or "").strip()
            match element.tag.rpartition("}")[2]:
                case "responseDate":
                    said.begun = _day_before(text[:10])
                case "error":
                    said.error, said.says = element.get("code", "error"), text
                case "resumptionToken":
                    said.token = text
                    said.total = read_count(element.get("completeListSize", ""))
                case "record":
                    day = element.findtext("{*}header/{*}datestamp", "").strip()[:10]
                    said.ordered &= said.last <= day
                    said.first, said.last = said.first or day, day
                    header = element.find("{*}header[@status='deleted']")
                    if header is not None:
                        name = header.findtext("{*}identifier", "")
                        said.gone.append(name.strip().rpartition(":")[2])
    return said


def _day_before(day: str) -> str:
    try:
        return (date.fromisoformat(day) - timedelta(days=1)).isoformat()
    except ValueError:
        return ""


def _url(category: str, walk: _Walk, last: str) -> str:
    if walk.token:
        return f"{_OAI}?verb=ListRecords&resumptionToken={quote(walk.token, safe='')}"
    asked = {"verb": "ListRecords", "metadataPrefix": _FORM, "set": set_of(category)}
    asked |= {name: day for name, day in (("from", walk.start), ("until", last)) if day}
    return f"{_OAI}?{urlencode(asked, safe=':')}"
