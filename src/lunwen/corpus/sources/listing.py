"""Result pages of a paper search, as text: topic, ten authors, abstract; the titles are not in them.

Each is a line, the abstract several where it has paragraphs. What a line is shows only in what follows it: a
topic is followed by authors, authors by prose.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.paper import Author, BadRecord, Record
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._json import read_whole
from lunwen.corpus.sources._topic import read_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.source import SourceFile

_HEADING = "论文检索"
_MORE = re.compile(r"[\s,，、]*(?:等|\bet al\.?)\s*$")
_COMMA = re.compile(r"\s*[,，、]\s*")
_NO_NAME = re.compile(r"[\d$\\{}()\[\]:;=+*_/?!|<>@#%&\"“”·。：；！？]")
_SENTENCE_END = re.compile(r"[.!?。！？:：;；)$]$")
_NAME_END = re.compile(r"\b(?:\w{1,2}|Jr|Sr|Dr|Jun)\.$")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_HEADS = frozenset({  # words of headings inside abstracts
    "abstract", "background", "code", "conclusion", "conclusions", "contribution", "contributions", "data",
    "findings", "impact", "introduction", "method", "methods", "motivation", "objective", "question",
    "result", "results", "statement", "summary",
})  # fmt: skip


class _Line(NamedTuple):
    number: int
    text: str


class Listing:
    """Papers without titles, known again by authors and abstract."""

    name = "listing"
    says = "a result page of a paper search saved as text (论文检索): topic, authors, abstract"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first line is the page's heading."""
        first = file.head.decode("utf-8", "replace").lstrip().partition("\n")[0]
        return first.strip("# \t\r") == _HEADING

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record without a title for each paper.

        Raises:
            UnreadableFile: no line of authors followed by an abstract.
        """
        text = read_whole(file).decode("utf-8", "surrogateescape")
        lines = [
            _Line(number, line.strip())
            for number, line in enumerate(text.split("\n"), start=1)
            if line.strip() and line.strip("# \t\r") != _HEADING
        ]
        yield from require_record(file, "list of authors and abstracts", _read_papers(lines))


def _read_papers(lines: Sequence[_Line]) -> Iterator[Record | BadRecord]:
    at = 0
    while at < len(lines):
        lead = _lead(lines, at)
        if lead == 0:
            yield BadRecord(f"line {lines[at].number}", "neither a topic nor authors")
            lead = 1
            begin = None
        else:
            begin = at
        end = at + lead
        while end < len(lines) and not _lead(lines, end):
            end += 1
        if begin is not None:
            yield _read_paper(
                lines[begin : begin + lead], lines[begin + lead : end], is_last=end == len(lines)
            )
        at = end


def _lead(lines: Sequence[_Line], at: int) -> int:
    """How many lines from ``at`` lead a paper in: two for topic and authors, one for authors, else none."""
    here = lines[at].text
    following = lines[at + 1].text if at + 1 < len(lines) else ""
    if _is_topic(here) and _is_names(following, mononym="·" in here):
        listed = len(_COMMA.split(here)) > 1 and "·" not in here
        if not (listed and _is_names(here) and len(_COMMA.split(following)) == 1):
            return 2
    return 1 if _is_names(here) and not _is_names(following) else 0


def _is_topic(line: str) -> bool:
    return (
        len(line) <= 120 and len(line.split()) <= 16 and not _SENTENCE_END.search(line) and line[0].isalpha()
    )


def _is_names(line: str, *, mononym: bool = False) -> bool:
    """Whether ``line`` is a list of people; one alone has two to five capitalised words."""
    bare = _MORE.sub("", line)
    if not bare or _NO_NAME.search(bare) or (_SENTENCE_END.search(bare) and not _NAME_END.search(bare)):
        return False
    names = [name for name in _COMMA.split(bare) if name]
    if not all(len(name) <= 60 and len(name.split()) <= 7 and name[0].isalpha() for name in names):
        return False
    if len(names) > 1 or bare != line:
        return True
    words = names[0].split()
    if _HEADS & {word.lower() for word in words}:
        return False
    return (mononym or 2 <= len(words) <= 5) and words[0][0].isupper() and words[-1][0].isupper()


def _read_paper(lead: Sequence[_Line], body: Sequence[_Line], *, is_last: bool) -> Record | BadRecord:
    place = f"line {lead[0].number}"
    if any(_NOT_UTF8.search(line.text) for line in (*lead, *body)):
        return BadRecord(place, "not UTF-8")
    written = lead[-1].text
    bare = _MORE.sub("", written)
    abstract = "\n\n".join(line.text for line in body)
    notes = ["author list truncated"] if bare != written else []
    if is_last and abstract and not _SENTENCE_END.search(abstract):
        notes.append("abstract cut off at the end of the page")
    return Record(
        key=blake2b(f"{written}\n{abstract}".encode(), digest_size=8).hexdigest(),
        authors=tuple(Author(name=name) for name in _COMMA.split(bare) if name),
        abstract=abstract or None,
        topic=read_path(lead[0].text, "·") if len(lead) > 1 else (),
        notes=tuple(notes),
        place=place,
    )


SOURCE = Listing()
