"""A paper as lines on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.doors.cli.text import mark, paint, unmark, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.corpus.pdf.cabinet import Pdf
    from lunwen.doors.cli.screen import Screen
    from lunwen.retrieval.request import Item, Passage

AUTHORS_SHOWN = 10  # in a list
MOST_AUTHORS = 40  # of one paper
LINES_SHOWN = 6  # of an abstract in a list


def item_lines(item: Item, screen: Screen) -> list[str]:
    """Write one result: topic, title, authors, venue, the abstract's beginning, and its id."""
    paper = item.paper
    lines = _head(paper, screen, title_spans=item.title_spans, et_al=True)
    if paper.abstract:
        text = readable(paper.abstract, item.abstract_spans)
    else:
        text = readable(paper.summary.get(screen.language) or paper.tldr or "")
    lines += _paint(wrap(text, screen.width, most=LINES_SHOWN), screen)
    if item.passage:
        lines += _passage(item.passage, screen)
    return [*lines, screen.style(paper.paper_id, dim=True)]


def paper_lines(paper: Paper, screen: Screen) -> list[str]:
    """Write everything that is known of one paper."""
    lines = _head(paper, screen, title_spans=())
    summary = paper.summary.get(screen.language)
    for text in (paper.abstract, summary, paper.tldr and f"TL;DR {paper.tldr}"):
        if text:
            lines += ["", *wrap(readable(text), screen.width)]
    facts = {
        "keywords": ", ".join(paper.keywords),
        "track": paper.track,
        "award": paper.award,
        "date": paper.date,
        "pages": paper.pages,
        "citations": paper.cited,
        **paper.identifiers,
        **paper.urls,
        "note": " ".join(paper.notes),
        "gone": paper.unlisted,
        "sources": ", ".join(paper.sources),
        "paper_id": paper.paper_id,
    }
    shown = {name: str(value) for name, value in facts.items() if value not in (None, "")}
    return [
        *lines,
        "",
        *(f"{screen.style(f'{name:<12}', dim=True)} {value}" for name, value in shown.items()),
    ]


def readable(text: str, spans: Sequence[tuple[int, int]] = ()) -> str:
    """Turn clean text into plain text, its spans marked wherever maths does not hide their places."""
    if "$" not in text and "\\" not in text:
        return mark(text, spans)
    from lunwen.corpus.maths import plain  # noqa: PLC0415 - reading maths takes long to import

    marked, bare = plain(mark(text, spans)), plain(text)
    return marked if unmark(marked) == bare else bare


def _head(
    paper: Paper, screen: Screen, *, title_spans: Sequence[tuple[int, int]], et_al: bool = False
) -> list[str]:
    topic = [screen.style(" · ".join(paper.topic), fg="cyan")] if paper.topic else []
    title = wrap(readable(paper.title, title_spans), screen.width)
    authors = wrap(say_authors(paper, screen, et_al=et_al), screen.width)
    return [*topic, *_paint(title, screen, bold=True), *authors, say_standing(paper, screen)]


def _passage(passage: Passage, screen: Screen) -> list[str]:
    """Write where in the paper's text the words are, and what stands there."""
    where = f"正文第 {passage.page} 页：" if screen.language == "zh" else f"in the text, p. {passage.page}: "
    return _paint(wrap(where + readable(passage.text, passage.spans), screen.width), screen)


def _paint(lines: list[str], screen: Screen, *, bold: bool = False) -> list[str]:
    return [
        paint(
            line,
            rest=lambda text: screen.style(text, bold=True) if bold else text,
            marked=lambda text: screen.style(text, bold=bold, fg="yellow"),
        )
        for line in lines
    ]


def say_authors(paper: Paper, screen: Screen, *, et_al: bool) -> str:
    """Name the authors: ten and et al. in a list, else as many as a screen has room for."""
    most = AUTHORS_SHOWN if et_al else MOST_AUTHORS
    names = ", ".join(author.name for author in paper.authors[:most])
    more = len(paper.authors) - most
    if more <= 0:
        return names
    if et_al:
        return f"{names} {'等' if screen.language == 'zh' else 'et al.'}"
    return f"{names} … and {more:,} more (--json has all)"


def say_standing(paper: Paper, screen: Screen) -> str:
    """Say where a paper appeared, and how."""
    where = " ".join(str(part) for part in (paper.venue, paper.year) if part)
    return screen.style(" · ".join(part for part in (where, paper.status.value) if part), fg="green")


def say_pdf(pdf: Pdf) -> str:
    """Say how long and how large a PDF is, and why its text is missing."""
    pages = f"{pdf.pages:,} {'page' if pdf.pages == 1 else 'pages'}, " if pdf.pages else ""
    return f"{pages}{pdf.size / 1e6:.1f} MB{f'; {pdf.remark}' if pdf.remark else ''}"
