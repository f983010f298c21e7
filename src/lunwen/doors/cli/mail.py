"""What is new to saved searches as a mail (RFC 5322): its text, and the same as quiet HTML."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from email import policy
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import localtime
from typing import TYPE_CHECKING

from markupsafe import Markup

from lunwen import settings
from lunwen.doors.cli.news import has_why, news_lines, say_more, say_new, say_search
from lunwen.doors.cli.result import LINES_SHOWN, readable, say_authors, say_standing
from lunwen.doors.cli.screen import Screen, tame
from lunwen.doors.cli.search import say_why
from lunwen.doors.cli.text import wrap
from lunwen.errors import UsageError
from lunwen.export.link import paper_link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.doors.cli.news import Showing
    from lunwen.retrieval.request import Item
    from lunwen.retrieval.watch import News

WIDTH = 72  # of the text; quoted twice it still fits
NAMED = 3  # searches in the subject
NAME_SHOWN = 40  # characters of each
_POLICY = policy.default.clone(cte_type="7bit")  # whatever carries it

_PAGE = Markup(
    '<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{subject}</title></head>\n'
    '<body style="font-family:sans-serif;line-height:1.5;max-width:42em">\n{parts}</body></html>\n'
)
_PART = Markup(
    '<h2 dir="auto" style="font-size:1.2em;margin:1.5em 0 0">{name}</h2>\n'
    '<p style="font-size:.85em;margin:0">{asks}{new}</p>\n{papers}{more}'
)
_PAPER = Markup('<div style="margin:1.2em 0">{lines}</div>\n')
_LINE = Markup('<div dir="auto"{style}>{text}</div>\n')
_LINK = Markup('<a href="{url}">{text}</a>')
_PLAIN = Markup()
_SMALL = Markup(' style="font-size:.85em"')
_BOLD = Markup(' style="font-weight:bold"')


@dataclass(frozen=True, slots=True)
class Addresses:
    """Whom a mail is for, and who it is from."""

    to: tuple[Address, ...]
    sender: Address


def addresses(to: Sequence[str], sender: str | None) -> Addresses:
    """Read the addresses of a mail; without any it is for LUNWEN_CONTACT, and from whom it is for.

    Raises:
        UsageError: one is no address, or there is none.
    """
    given = [*to] or [one for one in (settings.contact(),) if one]
    if not given:
        raise UsageError("a mail is for somebody. Give --to you@example.org, or set LUNWEN_CONTACT to it")
    read = tuple(_address(one) for one in given)
    return Addresses(read, _address(sender) if sender else read[0])


def compose(shown: Sequence[News], how: Showing, envelope: Addresses, *, language: str) -> str:
    """Write the mail; the same news to the same people have the same id, so that nobody has them twice."""
    screen = Screen(colour=False, width=WIDTH, language=language)
    subject, to, sender = _subject(shown, screen), envelope.to, envelope.sender
    message = EmailMessage(_POLICY)
    message["From"] = Address("lunwen", sender.username, sender.domain)
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = localtime()
    message["Message-ID"] = f"<{_digest(shown, to)}@{sender.domain.strip('[]')}>"
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: who is away does not answer
    text = "\n".join(line for one in shown for line in news_lines(one, how, screen))
    message.set_content(tame(text).rstrip("\n") + "\n")
    message.add_alternative(tame(_page(shown, how, screen, subject)), subtype="html")
    message["Content-Language"] = language
    message.set_boundary(f"=={_digest(shown, to)}==")
    return message.as_string()


def _address(text: str) -> Address:
    try:
        if text.isascii() and text.isprintable():
            return Address(addr_spec=text)
    except (ValueError, IndexError, HeaderParseError):  # what the email package says of what is none
        pass
    raise UsageError(f"{text[:60]!a} is no mail address. Allowed: one such as you@example.org. Give another")


def _subject(shown: Sequence[News], screen: Screen) -> str:
    named = [(_cut(one.watch.name), one.response.total) for one in shown[:NAMED]]
    rest = len(shown) - len(named)
    if screen.language == "zh":
        said = "，".join(f"{name} {total:,} 篇" for name, total in named)
        return f"新论文：{said}" + (f"，另有 {rest} 个检索" if rest else "")
    said = ", ".join(f"{name} {total:,}" for name, total in named)
    searches = "search" if rest == 1 else "searches"
    return f"New papers: {said}" + (f" and {rest} more {searches}" if rest else "")


def _cut(name: str) -> str:
    return name if len(name) <= NAME_SHOWN else f"{name[: NAME_SHOWN - 1]}…"


def _digest(shown: Sequence[News], to: Sequence[Address]) -> str:
    parts = [repr([one.addr_spec for one in to])]
    for one in shown:
        papers = [item.paper.paper_id for item in one.response.items]
        parts.append(repr((one.watch.name, one.response.total, papers)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _page(shown: Sequence[News], how: Showing, screen: Screen, subject: str) -> Markup:
    parts = [_part(one, how, screen) for one in shown]
    return _PAGE.format(lang=screen.language, subject=subject, parts=Markup("").join(parts))


def _part(news: News, how: Showing, screen: Screen) -> Markup:
    asks = say_search(news.watch)
    more = news.response.next_offset is not None
    return _PART.format(
        name=news.watch.name,
        asks=Markup("<code>{}</code> · ").format(asks) if asks else "",
        new=say_new(news, how, screen),
        papers=Markup("").join(_paper(item, screen) for item in news.response.items),
        more=_line(say_more(news, how, screen), _SMALL) if more else "",
    )


def _paper(item: Item, screen: Screen) -> Markup:
    paper, link = item.paper, paper_link(item.paper)
    title = readable(paper.title)
    text = readable(paper.abstract or paper.summary.get(screen.language) or paper.tldr or "")
    lines = [
        _line(" · ".join(paper.topic), _SMALL),
        _line(_LINK.format(url=link, text=title) if link else title, _BOLD),
        _line(say_authors(paper, screen, et_al=True)),
        _line(say_standing(paper, screen), _SMALL),
        _line(" ".join(wrap(text, WIDTH, most=LINES_SHOWN))),
        _line(say_why(item, screen) if has_why(item) else "", _SMALL),
    ]
    return _PAPER.format(lines=Markup("").join(lines))


def _line(text: str, style: Markup = _PLAIN) -> Markup:
    return _LINE.format(style=style, text=text) if text else _PLAIN
