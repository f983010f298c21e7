"""Lists of papers first, then each paper's own page, which is asked for once, in groups."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from lunwen.corpus.source import HEAD_BYTES, SourceFile
from lunwen.corpus.sync.arrival import open_reply, refuse
from lunwen.corpus.sync.page import Page
from lunwen.errors import Expired, FetchError, NotThere, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.fetch.reply import Fetcher, Reply
    from lunwen.corpus.sync.page import Edition

GROUP = 50  # papers' own pages that are read as one; a walk goes on after each
PATIENCE = 5  # of them that may fail in a walk
ASKED = "text/html"
LARGEST = 64 * 1024**2  # bytes of a page; the longest list so far has 6 MB
_OWN = re.compile(rb"""citation_title|id=["']?papertitle""")
_ABSTRACT = re.compile(rb"""(?s:.*)(?:id=["']?abstract\b|>\s*Abstract\s*<)""")  # the last of them
_END = re.compile(rb"</(?:dl|ul|body|html)>")
_ABSTRACT_END = re.compile(rb"</(?:div|p|body|html)>")
_OWN_END = re.compile(rb"</(?:body|html)>")


class Arrived(NamedTuple):
    """A page that came."""

    reply: Reply
    file: SourceFile
    data: bytes

    @property
    def head(self) -> Page:
        """The page, before its place in a walk is known."""
        return Page(name="", url=self.reply.url, file=self.file)

    def links(self, form: re.Pattern[bytes]) -> list[str]:
        """Return where the links of this form lead, each once, in their order.

        Raises:
            UnreadableFile: the page breaks off after the last of them.
        """
        found = list(form.finditer(self.data))
        if found and not _END.search(self.data, found[-1].end()):
            raise UnreadableFile(
                f"{self.reply.url} came cut short. Nothing of it was taken. Try again later."
            )
        texts = (one[1].decode("utf-8", "replace").replace("&amp;", "&") for one in found)
        return list(dict.fromkeys(urljoin(self.reply.url, text) for text in texts))


def get_page(url: str, fetcher: Fetcher, *, accept: str = ASKED) -> Arrived:
    """Fetch a list.

    Raises:
        FetchError: it could not be had.
    """
    reply = fetcher.get(url, accept=accept, max_bytes=LARGEST)
    file = open_reply(reply)
    with file.open() as stream:
        return Arrived(reply, file, stream.read())


def walk_papers(
    edition: Edition, lists: Sequence[Page], papers: Sequence[str], fetcher: Fetcher, *, after: str | None
) -> Iterator[Page]:
    """Yield the lists, then the papers' own pages: a few failing ones are read as records that are broken.

    Raises:
        Expired: there is no page from where the walk was to go on.
        FetchError: papers' pages could not be had.
        UnreadableFile: something else came in their place.
    """
    groups = {
        f"papers {number // GROUP + 1}": papers[number : number + GROUP]
        for number in range(0, len(papers), GROUP)
    }
    names = [*(page.name for page in lists), *groups]
    if after is not None and after not in names:
        raise Expired(f'{edition.name} no longer goes on at "{after}". The walk begins again.')
    following = dict(zip(names, [*names[1:], None], strict=True))
    left = names[names.index(after) if after else 0 :]
    for page in lists:
        if page.name in left:
            yield replace(page, next=following[page.name])
    own = _Own(fetcher)
    total = sum(page.total or 0 for page in lists) + len(papers)
    for name in left:
        if name in groups:
            yield Page(
                name=name,
                url=groups[name][0],
                source=edition.site,
                file=own.get(f"{edition.name}, {name}", groups[name]),
                next=following[name],
                total=total,
            )


class _Own:
    """Gets papers' own pages."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._failed = 0

    def get(self, name: str, urls: Sequence[str]) -> SourceFile:
        """Return one file of all these pages, each under its address.

        Raises:
            FetchError: none of them could be had, or too many could not.
            UnreadableFile: something else came.
        """
        good: list[Reply] = []
        bad: dict[str, FetchError | UnreadableFile] = {}
        missing: NotThere | None = None
        for url in urls:
            try:
                good.append(self._get(url))
            except NotThere as error:  # what the list says of it stays
                missing = error
            except (FetchError, UnreadableFile) as error:
                bad[url] = error
                self._failed += 1
                if self._failed > PATIENCE:
                    raise
        if not good:
            raise next(iter(bad.values()), missing) or FetchError(f"{name}: no page")
        return _join(name, good, bad)

    def _get(self, url: str) -> Reply:
        reply = self._fetcher.get(url, accept=ASKED, max_bytes=LARGEST, once=True)
        file = open_reply(reply)
        with file.open() as stream:
            data = stream.read()
        if not _OWN.search(data):
            self._fetcher.forget()
            raise refuse(file, "a paper's page")
        abstract = _ABSTRACT.match(data)
        if not (_ABSTRACT_END if abstract else _OWN_END).search(data, abstract.end() if abstract else 0):
            self._fetcher.forget()
            raise UnreadableFile(f"{url} came cut short. It was not taken. Try again later.")
        return reply


def _join(name: str, good: Sequence[Reply], bad: dict[str, FetchError | UnreadableFile]) -> SourceFile:
    """Write the pages after each other, each below the line in which browsers say where it is from."""

    def pieces() -> Iterator[bytes]:
        for reply in good:
            with reply.open() as stream:
                yield _mark(reply.url) + stream.read() + b"\n"
        for url, error in bad.items():
            yield _mark(url) + f"<title>{escape(str(error))}</title>\n".encode()

    head = b""
    for piece in pieces():
        head += piece
        if len(head) >= HEAD_BYTES:
            break
    return SourceFile(name, head[:HEAD_BYTES], lambda: BytesIO(b"".join(pieces())))


def _mark(url: str) -> bytes:
    return f"<!-- saved from url=({len(url):04d}){url} -->\n".encode()
