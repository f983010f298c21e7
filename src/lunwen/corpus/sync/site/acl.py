"""The ACL Anthology: the XML files of its project, one for each collection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lunwen.corpus.sync.arrival import check_xml, load_json, open_reply, refuse
from lunwen.corpus.sync.page import Page
from lunwen.corpus.sync.part import walk_parts
from lunwen.errors import NotPublished, NotThere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.paper import Record
    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sync.page import Edition

_FILES = "https://raw.githubusercontent.com/acl-org/acl-anthology/master/data/xml"
_LIST = "https://api.github.com/repos/acl-org/acl-anthology/git/trees/master:data/xml"
_LARGEST = 256 * 1024**2


class Acl:
    """The address is collections, "2025.acl 2025.findings/acl", or "*" for all; after a slash, one volume."""

    name = "acl"
    is_whole = True
    can_reject = False

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,
        with_rejected: bool = False,  # noqa: ARG002 - the Anthology has what was published
    ) -> Iterator[Page]:
        """Walk the collections, a page each.

        Raises:
            NotPublished: none of them is there yet, or one is not, the others are.
            Expired: there is no collection any more with which the walk was to go on.
            FetchError: a file could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        parts = _list_all(fetcher) if edition.address == "*" else edition.address.split()
        missing: list[str] = []

        def get(part: str, _: str | None) -> Page | None:
            page = _get(part, fetcher)
            if page is None:
                missing.append(part)
            return page

        yield from walk_parts(edition, parts, get, after=after)
        if missing:
            listed = ", ".join(missing)
            raise NotPublished(f"{edition.name}: {listed} is not published yet. Sync again later.")


def _list_all(fetcher: Fetcher) -> list[str]:
    file = open_reply(fetcher.get(_LIST, accept="application/json", max_bytes=_LARGEST))
    listed = load_json(file)
    tree = listed.get("tree") if isinstance(listed, dict) else None
    if not isinstance(tree, list) or not tree or listed.get("truncated"):
        raise refuse(file, "the list of all collections")
    paths = sorted(str(item.get("path")) for item in tree if isinstance(item, dict))
    return [path.removesuffix(".xml") for path in paths if path.endswith(".xml")]


def _get(part: str, fetcher: Fetcher) -> Page | None:
    """Return a collection; None where it is not there yet."""
    collection, _, volume = part.partition("/")
    url = f"{_FILES}/{collection}.xml"
    try:
        reply = fetcher.get(url, accept="text/plain, application/xml", max_bytes=_LARGEST)
    except NotThere:
        return None
    file = open_reply(reply)
    if b"<collection" not in file.head:
        raise refuse(file, "a collection of the Anthology")
    if not _has_paper(file):
        return None
    return Page(
        name=part,
        url=url,
        source="acl",
        file=file,
        check=partial(check_xml, file, "paper"),
        keep=_of_volume(volume) if volume else None,
    )


def _has_paper(file: SourceFile) -> bool:
    with file.open() as stream:
        return b"<paper" in stream.read()


def _of_volume(volume: str) -> Callable[[Record], bool]:
    """Say which records are of one volume of the Findings, which hold those of several conferences."""
    return lambda record: record.venue == volume
