"""``lunwen search``: find papers."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.asking import takes_request
from lunwen.doors.cli.result import item_lines
from lunwen.doors.cli.screen import Screen, give, give_json, read_screen, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import LANG
from lunwen.doors.shape import matched_words, request_dict, response_dict
from lunwen.doors.translate import translate, translate_reading

if TYPE_CHECKING:
    from lunwen.retrieval.request import Item, SearchRequest, SearchResponse

WORDS_SHOWN = 12  # of those that a result is there for

EXAMPLES = """\b
Examples:
  lunwen search first-order bilevel
  lunwen search '"in-context learning" author:li -vision' --year 2023.. --venue ICLR
  lunwen search --venue ICML --topic "Deep Learning" --sort newest --json
  lunwen search -- -vision language
  lunwen search 零阶优化 --lang zh
  lunwen search '零阶优化="derivative-free optimization"' --explain
"""


@command("search", epilog=EXAMPLES)
@takes_request()
@click.option("--explain", is_flag=True, help="Say why each result is there; --json always does.")
@LANG
def search(session: Session, request: SearchRequest, *, explain: bool, lang: str | None) -> None:
    """Find papers.

    A filter given several times means any of its values; different filters must all hold. Chinese terms are
    read as English ones too, as the answer shows; term="other|words" in a query corrects a reading, and
    term="" leaves it out.
    """
    with session.open_library() as library:
        response = library.search(request)
    for warning in response.warnings:
        say(f"lunwen: {warning}")
    if session.as_json:
        give_json(response_dict(response))
        return
    screen = read_screen(lang)
    for item in response.items:
        reason = [screen.style(say_why(item, screen), dim=True)] if explain else []
        give("\n".join([*item_lines(item, screen), *reason, ""]))
    foot = _foot_zh if screen.language == "zh" else _foot
    give("\n".join(foot(request, response, screen)))


def say_why(item: Item, screen: Screen) -> str:
    """Say by which words and which nearness of meaning a result is there."""
    chinese = screen.language == "zh"
    why, words = item.why, matched_words(item)
    comma, opening, closing = ("、", "（", "）") if chinese else (", ", " (", ")")
    said = comma.join(words[:WORDS_SHOWN]) + (" …" if len(words) > WORDS_SHOWN else "")
    line = "依据：词" if chinese else "why: words"
    line += f" #{why.lexical_rank}" if why and why.lexical_rank else ""
    line += f"{opening}{said or ('无' if chinese else 'none')}{closing}"
    if why and why.cosine is not None:
        line += "· 语义" if chinese else " · meaning"
        line += f" #{why.semantic_rank}" if why.semantic_rank else ""
        line += f" {'余弦' if chinese else 'cosine'} {why.cosine:.3f}"
    return line


def _foot(_request: SearchRequest, response: SearchResponse, screen: Screen) -> list[str]:
    shown = len(response.items)
    about = "" if response.total_is_exact else "about "
    papers = "paper" if response.total == 1 else "papers"
    first = response.offset + 1
    part = f"{first}–{response.offset + shown} of " if shown and shown < response.total else ""
    lines = [screen.style(f"{part}{about}{response.total:,} {papers}, {response.took_ms:.1f} ms", bold=True)]
    lines += [line for line in (response.query_reading, response.explanation) if line]
    for one in response.suggestions:
        lines.append(f"Try: {command_line(one.request)}  ({one.total:,}; {one.why})")
    if response.next_offset is not None and shown:
        lines.append(screen.style(f"More: --offset {response.next_offset}", dim=True))
    return lines


def _foot_zh(request: SearchRequest, response: SearchResponse, screen: Screen) -> list[str]:
    shown = len(response.items)
    about = "" if response.total_is_exact else "约 "
    first = response.offset + 1
    part = f"第 {first}–{response.offset + shown} 篇，" if shown and shown < response.total else ""
    lines = [screen.style(f"{part}共 {about}{response.total:,} 篇，{response.took_ms:.1f} ms", bold=True)]
    reading = translate_reading(request.query, response.query_reading, "zh")
    lines += [line for line in (reading, translate(response.explanation, "zh")) if line]
    for one in response.suggestions:
        lines.append(f"试试：{command_line(one.request)}（{one.total:,} 篇；{translate(one.why, 'zh')}）")
    if response.next_offset is not None and shown:
        lines.append(screen.style(f"后面的：--offset {response.next_offset}", dim=True))
    return lines


def command_line(request: SearchRequest) -> str:
    """Write the command that makes this request, ready to copy into a shell."""
    asked = request_dict(request)
    query = asked.pop("query", "")
    words = ["lunwen", "search"]
    for name, value in asked.items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{name}", str(one)]
    words += ["--", query] if query.startswith("-") else [query] if query else []
    return shlex.join(words)
