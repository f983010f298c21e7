"""Virtual sites of conferences: the program, and the abstracts in a file beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lunwen.corpus.sync.arrival import load_json, open_reply, read_count, refuse
from lunwen.corpus.sync.page import Page
from lunwen.errors import Expired, FetchError, NotPublished, NotThere, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sync.page import Edition

_PROGRAM, _ABSTRACTS = "program", "abstracts"
_LARGEST = 256 * 1024**2  # bytes; the largest program so far has 20 MB
_ASKED = "application/json"
_COUNT = re.compile(rb'\s*\{\s*"count"\s*:\s*(\d+)')
_EMPTY = re.compile(rb"\s*\{\s*\}\s*")


class Virtual:
    """The address is what both files begin with: "icml.cc/static/virtual/data/icml-2026"."""

    name = "virtual"
    is_whole = True
    can_reject = False

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,
        with_rejected: bool = False,  # noqa: ARG002 - a program has what was accepted
    ) -> Iterator[Page]:
        """Give the program, then the abstracts; a program may have them itself, and no file beside it.

        Raises:
            NotPublished: there is no program yet, it is empty, or there are no abstracts so far.
            Expired: the file of abstracts, with which the walk was to go on, is gone.
            FetchError: a file could not be had.
        """
        program = None if after else _get_program(edition, fetcher)
        abstracts: Page | None = None
        trouble: FetchError | None = None
        try:
            abstracts = _get_abstracts(edition, fetcher)
        except NotThere:
            pass
        except FetchError as error:
            trouble = error
        if program:
            yield replace(program, next=_ABSTRACTS if abstracts or trouble else None)
        if trouble:
            raise trouble
        if abstracts:
            yield abstracts
        elif program is None:
            raise Expired(f"{edition.name} has no file of abstracts any more. The walk begins again.")
        elif not _has_abstracts(program.file):
            raise NotPublished(
                f"The program of {edition.venue} {edition.year} is there, its abstracts are not published "
                "yet. Sync again later."
            )


def _get_program(edition: Edition, fetcher: Fetcher) -> Page:
    url = f"https://{edition.address}-orals-posters.json"
    missing = NotPublished(
        f"The program of {edition.venue} {edition.year} is not published yet at {url}. Sync again later."
    )
    try:
        reply = fetcher.get(url, accept=_ASKED, max_bytes=_LARGEST)
    except NotThere as error:
        raise missing from error
    file = open_reply(reply)
    count = _COUNT.match(file.head)
    total = read_count(count[1].decode()) if count else None
    if total == 0:
        raise missing
    return Page(
        name=_PROGRAM,
        url=url,
        source=_PROGRAM,
        file=file,
        total=total,
        check=partial(_read_events, file),
    )


def _get_abstracts(edition: Edition, fetcher: Fetcher) -> Page:
    url = f"https://{edition.address}-abstracts.json"
    reply = fetcher.get(url, accept=_ASKED, max_bytes=_LARGEST)
    file = open_reply(reply)
    if _EMPTY.fullmatch(file.head):
        raise NotThere(f"{url} is empty.")
    return Page(
        name=_ABSTRACTS,
        url=url,
        source=_ABSTRACTS,
        file=file,
        check=partial(_check_abstracts, file),
    )


def _read_events(file: SourceFile) -> list[Any]:
    program = load_json(file)
    events = program.get("results") if isinstance(program, dict) else None
    if not isinstance(events, list):
        raise refuse(file, "a program")
    count = program.get("count")
    if isinstance(count, int) and count > len(events):
        raise UnreadableFile(
            f"{file.name} says that it has {count:,} events and holds {len(events):,}. Nothing of it was "
            "taken. Try again later."
        )
    return events


def _has_abstracts(program: SourceFile) -> bool:
    return any(isinstance(event, Mapping) and event.get("abstract") for event in _read_events(program))


def _check_abstracts(file: SourceFile) -> None:
    abstracts = load_json(file)
    if not isinstance(abstracts, dict) or not all(key.isdecimal() for key in abstracts):
        raise refuse(file, "abstracts by event")
