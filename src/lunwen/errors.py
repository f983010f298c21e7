"""Everything lunwen can refuse, as one tree.

LunwenError                 what was given · what is allowed · what to do next
├── UsageError              the request is wrong (exit code 2, HTTP 400)
│   ├── UnknownName         a venue, topic, format, status … that is not in the list
│   └── LimitError          a number outside its range
├── ReadOnly                the server was started so that nobody writes (HTTP 403)
├── NotFound                no such paper or page (exit code 1, HTTP 404)
├── Changed                 what was begun cannot go on, the library is another now (exit code 1, HTTP 409)
└── CouldNot                the request is right, the world is not (exit code 1, HTTP 503)
    ├── UnreadableFile      not a file, empty, no papers in it, unknown format
    ├── FetchError          a URL could not be had: no network, refused, too large, too slow
    │   ├── NotThere        the site says that there is nothing at this URL (404, 410)
    │   └── Refused         the site does not answer who asks (401, 403)
    ├── NotPublished        the site has nothing of this edition yet
    ├── Expired             where a walk over a site was to go on, it no longer accepts
    ├── LibraryError        cannot be opened, written, or is damaged
    │   ├── LibraryBusy     another process is writing
    │   ├── LibraryTooNew   made by a newer lunwen
    │   └── LibraryTooOld   made by an older lunwen, not yet brought up to date
    └── IndexMissing        the records are there, the index is not

Doors translate these once: text and exit code on the command line, problem+json over HTTP, a tool error in
MCP, the same words on the page.
"""

from __future__ import annotations

import re

_NO_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # what a line cannot hold, and what was given may


class LunwenError(Exception):
    """A refusal in one line: what was given, what is allowed, what to do next."""

    exit_code = 1
    http_status = 500

    def __init__(self, message: str = "") -> None:
        super().__init__(_NO_LINE.sub(" ", message))


class UsageError(LunwenError):
    """The request is wrong."""

    exit_code = 2
    http_status = 400


class UnknownName(UsageError):
    """A name that is not in the list of allowed ones."""


class LimitError(UsageError):
    """A number outside its range."""


class ReadOnly(LunwenError):
    """The server was started so that nobody writes."""

    http_status = 403


class NotFound(LunwenError):
    """No such paper or page."""

    http_status = 404


class Changed(LunwenError):
    """The library is not what it was when this was begun."""

    http_status = 409


class CouldNot(LunwenError):
    """The request is right, but it could not be carried out."""

    http_status = 503


class UnreadableFile(CouldNot):
    """A file that is missing, empty, or holds no papers in a known format."""


class FetchError(CouldNot):
    """A URL could not be had."""


class NotThere(FetchError):
    """The site says that there is nothing at this URL."""


class Refused(FetchError):
    """The site does not answer who asks: a login is needed, or scripts are not welcome."""


class NotPublished(CouldNot):
    """The site has nothing of this edition yet."""


class Expired(CouldNot):
    """Where a walk over a site was to go on, it no longer accepts."""


class LibraryError(CouldNot):
    """The library cannot be opened, written, or is damaged."""


class LibraryBusy(LibraryError):
    """Another process is writing to the library."""


class LibraryTooNew(LibraryError):
    """The library was made by a newer lunwen."""


class LibraryTooOld(LibraryError):
    """The library was made by an older lunwen and not yet brought up to date."""


class IndexMissing(CouldNot):
    """The records are there, the index is not."""
