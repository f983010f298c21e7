"""What is new to saved searches, shown: as text, JSON, Atom or a mail."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lunwen.doors.cli.column import when
from lunwen.doors.cli.output import replacing
from lunwen.doors.cli.result import item_lines
from lunwen.doors.cli.screen import give, give_json, read_screen, say
from lunwen.doors.cli.search import command_line, say_why
from lunwen.doors.shape import matched_words, response_dict, watch_dict
from lunwen.errors import LunwenError, UsageError
from lunwen.export.link import paper_link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.doors.cli.screen import Screen
    from lunwen.doors.cli.session import Session
    from lunwen.library import Library
    from lunwen.retrieval.request import Item
    from lunwen.retrieval.watch import News, Watch

NONE_SAVED = "lunwen: no search is saved. Save one with: lunwen watch add NAME QUERY"
FORMATS = ("text", "atom", "mail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """How news are shown, and whether they count as seen then."""

    form: str = "text"
    output: str | None = None
    to: tuple[str, ...] = ()
    sender: str | None = None
    since_sync: bool = False
    mark: bool | None = None
    limit: int = 20
    offset: int = 0

    def check(self, *, name: str | None, as_json: bool) -> None:
        """Refuse what does not go together.

        Raises:
            UsageError: something does not.
        """
        if as_json and self.form != "text":
            raise UsageError(f"--json and --format {self.form} both want standard output. Leave one out")
        if self.output is not None and self.form != "atom":
            raise UsageError("-o is for a feed. Add --format atom, or leave -o out")
        if (self.to or self.sender) and self.form != "mail":
            raise UsageError("--to and --from are for a mail. Add --format mail, or leave them out")
        if self.mark and self.since_sync:
            raise UsageError(
                "--mark counts all since the last visit as seen, --since-sync shows less. Leave one out"
            )
        if self.offset and name is None:
            raise UsageError("--offset is for one saved search. Give its NAME: lunwen watch NAME --offset N")


def show_news(session: Session, library: Library, name: str | None, how: Showing, lang: str | None) -> int:
    """Show what is new to one saved search, or to all; return the exit code.

    A visit to one, in text or JSON, counts as such unless told otherwise; nothing else does unless told so.
    """
    how.check(name=name, as_json=session.as_json)
    screen = read_screen(lang)
    shown, code = ([_ask(library, name, how)], 0) if name else _ask_all(library, how)
    by_default = name is not None and how.form == "text" and not how.since_sync
    marks = by_default if how.mark is None else how.mark
    seen = [one for one in shown if marks and one.response.next_offset is None]
    if session.as_json:
        shapes = [
            watch_dict(one.watch)
            | ({"since": one.since} if how.since_sync else {})
            | {"seen": one in seen, "response": response_dict(one.response)}
            for one in shown
        ]
        give_json(shapes[0] if name else shapes)
    elif how.form == "atom":
        _give_feed(library, shown, name, how, screen)
    elif how.form == "mail":
        _give_mail(shown, how, screen)
    elif name:
        _give_one(shown[0], how, screen)
    else:
        _give_all(shown, how, screen)
    for warning in dict.fromkeys(warning for one in shown for warning in one.response.warnings):
        say(f"lunwen: {warning}")
    for one in seen:  # last, so that whatever stopped before leaves them new
        library.visit(one.watch.name, one.last)
    return code


def _ask(library: Library, name: str, how: Showing) -> News:
    return library.watch(name, limit=how.limit, offset=how.offset, since_sync=how.since_sync)


def _ask_all(library: Library, how: Showing) -> tuple[list[News], int]:
    """Ask every saved search; say of those that cannot be asked why."""
    found, code = [], 0
    if how.since_sync:
        _ = library.last_sync  # refuses once for all of them
    watches = library.watches()
    if not watches and how.form == "text":
        say(NONE_SAVED)
    for one in watches:
        try:
            found.append(_ask(library, one.name, how))
        except LunwenError as error:
            say(f"lunwen: {one.name}: {error}")
            code = error.exit_code
    return found, code


def _give_one(news: News, how: Showing, screen: Screen) -> None:
    for item in news.response.items:
        give("\n".join([*new_item_lines(item, screen), ""]))
    give(screen.style(say_new(news, how, screen), bold=True))
    if news.response.next_offset is not None:
        give(screen.style(say_more(news, how, screen), dim=True))


def _give_all(shown: Sequence[News], how: Showing, screen: Screen) -> None:
    fresh = [one for one in shown if one.response.total]
    if shown and not fresh:
        say(f"lunwen: nothing is new to {', '.join(one.watch.name for one in shown)}")
    for one in fresh:
        give("\n".join(news_lines(one, how, screen)))


def _give_feed(
    library: Library, shown: Sequence[News], name: str | None, how: Showing, screen: Screen
) -> None:
    from lunwen.doors.feed import About, make_feed  # noqa: PLC0415 - only for a feed
    from lunwen.doors.xml import atom  # noqa: PLC0415 - same

    found_by: dict[str, list[str]] = {}
    papers: dict[str, Paper] = {}
    for one in shown:
        for item in one.response.items:
            papers[item.paper.paper_id] = item.paper
            found_by.setdefault(item.paper.paper_id, []).append(one.watch.name)
    title = name or ("保存的检索" if screen.language == "zh" else "Saved searches")
    feed = make_feed(library, list(papers.values()), about=About(title, (("watch", name or ""),), ""))
    cut = [one for one in shown if one.response.next_offset is not None]
    more = [f"{one.watch.name}: {say_more(one, how, screen)}" for one in cut]
    entries = [replace(one, found_by=tuple(found_by[one.paper.paper_id])) for one in feed.entries]
    entries.sort(key=lambda one: one.updated, reverse=True)
    document = atom(replace(feed, entries=tuple(entries), subtitle="; ".join(more))).decode()
    if how.output in (None, "-"):
        give(document.removesuffix("\n"))
        return
    with replacing(Path(str(how.output))) as stream:
        stream.write(document)
    say(f"lunwen: wrote {how.output}")


def _give_mail(shown: Sequence[News], how: Showing, screen: Screen) -> None:
    from lunwen.doors.cli.mail import addresses, compose  # noqa: PLC0415 - only for a mail

    envelope = addresses(how.to, how.sender)
    if fresh := [one for one in shown if one.response.total]:  # else nothing, so that cron sends nothing
        give(compose(fresh, how, envelope, language=screen.language).removesuffix("\n"))


def news_lines(news: News, how: Showing, screen: Screen) -> Iterator[str]:
    """Write what is new to one of several saved searches."""
    yield screen.style(f"{news.watch.name} · {say_new(news, how, screen)}", bold=True)
    if asks := say_search(news.watch):
        yield screen.style(asks, dim=True)
    yield ""
    for item in news.response.items:
        yield from (*new_item_lines(item, screen), "")
    if news.response.next_offset is not None:
        yield from (screen.style(say_more(news, how, screen), dim=True), "")


def new_item_lines(item: Item, screen: Screen) -> list[str]:
    """Write one new paper: as in a list, then why it is there and where it can be read."""
    reason = [screen.style(say_why(item, screen), dim=True)] if has_why(item) else []
    return [*item_lines(item, screen), *reason, *filter(None, [paper_link(item.paper)])]


def has_why(item: Item) -> bool:
    """Whether words or their meaning brought it, and not filters alone."""
    return item.why is not None or bool(matched_words(item))


def say_new(news: News, how: Showing, screen: Screen) -> str:
    """Say how many papers are new, and since when."""
    total, since = news.response.total, when(news.since)
    if screen.language == "zh":
        return f"{total:,} 篇新论文，{'上次同步' if how.since_sync else '上次查看'}：{since}"
    return f"{total:,} new since {'the last sync, ' if how.since_sync else ''}{since}"


def say_more(news: News, how: Showing, screen: Screen) -> str:
    """Say how many more there are, and by which command they are seen."""
    offset = news.response.next_offset or 0
    left = news.response.total - offset
    since = ["--since-sync"] if how.since_sync else []
    later = watch_command(news.watch.name, *since, "--offset", str(offset))
    if how.since_sync:
        return f"还有 {left:,} 篇：{later}" if screen.language == "zh" else f"{left:,} more: {later}"
    if screen.language == "zh":
        return f"还有 {left:,} 篇：{later}（全部看完之前都算新的）"
    return f"{left:,} more: {later}. They stay new until the last of them is shown"


def say_search(watch: Watch) -> str:
    """Write what a saved search asks, as after ``lunwen search``."""
    return command_line(watch.request).removeprefix("lunwen search").strip()


def watch_command(name: str, *options: str) -> str:
    """Write the command that shows a saved search, ready to copy into a shell."""
    dashes = ["--"] if name.startswith("-") else []
    return shlex.join(["lunwen", "watch", *options, *dashes, name])
