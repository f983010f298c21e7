"""A PDF's text, page by page, read by a process whose time and memory are bounded."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.errors import CouldNot, UnreadableFile

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

SECONDS = 120  # two thousand pages take twenty
MAGIC = b"%PDF-"
_HEAD = 1024  # bytes in which the magic stands
_GIVE = "Give a PDF that opens elsewhere: lunwen fetch ID --file PATH.pdf"


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF says."""

    pages: tuple[str, ...]  # clean text; empty where a page has none
    count: int  # pages that there are; 0 where nobody can say
    remark: str = ""  # why text is missing


def read_pdf(path: Path, *, origin: str = "", seconds: float = SECONDS) -> PdfText:
    """Read a PDF's text; one without any, or with a password, is a PDF all the same.

    Args:
        path: the file.
        origin: where it came from, as refusals name it; default: the path.
        seconds: that it may take.

    Raises:
        UnreadableFile: it is not there, no PDF, damaged, or takes too much time or memory.
    """
    named = origin or str(path)
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise UnreadableFile(f'cannot read "{named}": {error.strerror}. {_GIVE}') from error
    if MAGIC not in head:
        is_page = any(tag in head.lower() for tag in (b"<html", b"<!doctype"))
        raise UnreadableFile(f'"{named}" is {"a web page and no PDF" if is_page else "no PDF"}. {_GIVE}')
    found = _ask(path, seconds)
    if wrong := found.get("wrong"):
        if wrong == "password":
            return PdfText((), 0, "it needs a password, so its text is not known")
        raise UnreadableFile(f'"{named}" cannot be read: it {wrong}. {_GIVE}')
    pages, count = tuple(found["pages"]), int(found["count"])
    if not any(pages):
        return PdfText(pages, count, "no text in it, only pictures of pages")
    some = f"only the first {len(pages):,} of its {count:,} pages were read" if len(pages) < count else ""
    return PdfText(pages, count, some)


def _ask(path: Path, seconds: float) -> dict[str, Any]:
    """Return what the process found; why it found nothing is under "wrong"."""
    if not sys.executable:
        raise CouldNot("no Python to start, which reads PDFs. Run lunwen from an installed Python")
    command = [sys.executable, "-P", "-m", "lunwen.corpus.pdf.child", str(path.resolve())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)  # noqa: S603 - our own
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"wrong": f"takes longer than {seconds:.0f} s"}
    except ValueError:  # it ended before it could say anything
        return {"wrong": "is damaged, or takes too much memory"}
    return dict(found)
