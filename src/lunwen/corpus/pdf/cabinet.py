"""The PDFs that are kept in a library's folder, and what is written of each.

As with stars, all is kept under the id that the paper had: papers may merge, and nothing has to be moved. And
as with stars, it is written in moments between those of an import, so that a download keeps nobody waiting.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.corpus.moment import now
from lunwen.errors import LibraryError, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lunwen.corpus.pdf.text import PdfText
    from lunwen.corpus.store import Store

FOLDER = "pdf"
_UNSAFE = re.compile(r"[^a-z0-9._-]+|^\.+")
_LONGEST = 80  # characters of a file's name

#: Every id that the paper of ``?1`` has or had.
_NAMES = """(SELECT ?1 UNION
    SELECT a.paper_id FROM aliases a JOIN papers p USING(row) WHERE p.paper_id = ?1)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pdf:
    """A paper's PDF as it is kept."""

    path: Path
    origin: str  # the URL or the file that it came from
    kept: str  # ISO date and time, UTC
    size: int  # bytes
    pages: int  # 0 where nobody can say
    passages: int  # pages with text
    remark: str = ""  # why text is missing


class Cabinet:
    """The PDFs in a store's folder."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._folder = store.folder / FOLDER

    def pdf(self, paper_id: str) -> Pdf | None:
        """The PDF of a paper, the one that was kept last where papers merged."""
        with self._store.reading() as db:
            found = db.execute(
                f"""SELECT file, origin, kept, size, pages, remark,
                    (SELECT count(*) FROM passages WHERE passages.paper_id = pdfs.paper_id)
                    FROM pdfs WHERE paper_id IN {_NAMES} ORDER BY kept DESC, paper_id <> ?1 LIMIT 1""",  # noqa: S608
                (paper_id,),
            ).fetchone()
        if found is None:
            return None
        file, origin, kept, size, pages, remark, passages = found
        return Pdf(
            path=self._folder / file,
            origin=origin,
            kept=kept,
            size=size,
            pages=pages,
            passages=passages,
            remark=remark,
        )

    def keep(self, paper_id: str, path: Path, text: PdfText, *, origin: str) -> None:
        """Keep a copy of the PDF at ``path`` with its text, in place of what the paper had.

        Raises:
            LibraryBusy: another process wrote all the while.
            LibraryError: it cannot be written; what was there is kept.
        """
        name = file_name(paper_id)
        with self._writing() as beside:
            shutil.copyfile(path, beside)
            size = beside.stat().st_size
            with self._store.brief_transaction() as db:
                gone = self._forget(paper_id) - {name}
                db.execute(
                    """INSERT INTO pdfs(paper_id, file, origin, kept, size, pages, remark)
                       VALUES(?, ?, ?, ?, ?, ?, ?)""",
                    (paper_id, name, origin, now(), size, text.count, text.remark),
                )
                db.executemany(
                    "INSERT INTO passages(paper_id, page, text) VALUES(?, ?, ?)",
                    [(paper_id, page, said) for page, said in enumerate(text.pages, start=1) if said],
                )
                beside.replace(self._folder / name)
        self._remove(gone)

    def drop(self, paper_id: str) -> None:
        """Remove the PDF of a paper and its text.

        Raises:
            NotFound: it has none.
            LibraryError: it cannot be removed.
        """
        with self._store.brief_transaction():
            gone = self._forget(paper_id)
        if not gone:
            raise not_here(paper_id)
        self._remove(gone)

    def strays(self) -> list[Path]:
        """The files in the folder that belong to no paper."""
        with self._store.reading() as db:
            known = {file for (file,) in db.execute("SELECT file FROM pdfs")}
        found = sorted(self._folder.iterdir()) if self._folder.is_dir() else []
        return [path for path in found if path.is_file() and path.name not in known]

    def lost(self) -> list[str]:
        """The papers whose file is no longer there."""
        with self._store.reading() as db:
            known = db.execute("SELECT paper_id, file FROM pdfs").fetchall()
        return [paper_id for paper_id, file in known if not (self._folder / file).is_file()]

    def _forget(self, paper_id: str) -> set[str]:
        """Forget what is written of a paper's PDFs, let the index hear of it, and return their files."""
        with self._store.brief_transaction() as db:
            named = (paper_id,)
            files = {
                file
                for (file,) in db.execute(f"SELECT file FROM pdfs WHERE paper_id IN {_NAMES}", named)  # noqa: S608
            }
            for table in ("pdfs", "passages"):
                db.execute(f"DELETE FROM {table} WHERE paper_id IN {_NAMES}", named)  # noqa: S608
            db.execute(
                """UPDATE papers SET seq = (SELECT max(seq) + 1 FROM papers)
                   WHERE paper_id = ? AND data IS NOT NULL""",
                named,
            )
        return files

    def _remove(self, names: set[str]) -> None:
        for name in names:
            (self._folder / name).unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[Path]:
        """Lend a file beside the PDFs, which is gone afterwards."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            beside = self._folder / f".new-{os.getpid()}"
            try:
                yield beside
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            raise LibraryError(
                f'the folder "{self._folder}" cannot be written ({error.strerror or error}); what was there '
                "is kept. Free some space or mend its rights, then try again"
            ) from error


def not_here(paper_id: str) -> NotFound:
    """Say that a paper has no PDF here, and how it gets one."""
    return NotFound(f'"{paper_id}" has no PDF here. Fetch it with: lunwen fetch "{paper_id}"')


def file_name(paper_id: str) -> str:
    """Return a name that every file system takes, another one for every paper."""
    safe = _UNSAFE.sub("_", paper_id.lower())[:_LONGEST]
    if safe == paper_id and safe.partition(".")[0].rstrip("0123456789") not in _DEVICES:
        return f"{safe}.pdf"
    return f"{safe}-{hashlib.blake2b(paper_id.encode(), digest_size=6).hexdigest()}.pdf"


#: Names that Windows keeps for devices, digits aside.
_DEVICES = frozenset(["con", "prn", "aux", "nul", "com", "lpt"])
