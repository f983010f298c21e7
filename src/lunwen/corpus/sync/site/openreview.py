"""OpenReview: the notes of a venue, by where they are now (API 2) or by how they were submitted (API 1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import orjson

from lunwen import settings
from lunwen.corpus.sync.arrival import load_json, open_reply, refuse
from lunwen.corpus.sync.page import Page, is_wanted
from lunwen.corpus.sync.part import walk_parts
from lunwen.errors import Refused, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.sync.page import Edition

_HOSTS = {"v1": "api.openreview.net", "v2": "api2.openreview.net"}
_SIZES = {"v1": 250, "v2": 1000}  # notes of a page; those of API 1 come with their replies, for the decision
_LARGEST = 256 * 1024**2
_DECLINED = ("Rejected_Submission", "Withdrawn_Submission", "Desk_Rejected_Submission", "Submission")
_DECLINED_V1 = ("Withdrawn_Submission", "Desk_Rejected_Submission")
_DECLINED_BY_JOURNAL = ("Rejected", "Withdrawn_Submission", "Desk_Rejected", "Retracted_Acceptance")
_LOGIN = "Set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD"
_ELSEWHERE = "take another site with --site: lunwen sources"


class OpenReview:
    """The address is the API and its groups or invitations: "v2 ICLR.cc/2024/Conference"."""

    name = "openreview"
    is_whole = True
    can_reject = True

    def pages(
        self, edition: Edition, fetcher: Fetcher, *, after: str | None = None, with_rejected: bool = False
    ) -> Iterator[Page]:
        """Walk every group, by the numbers of the submissions.

        Raises:
            NotPublished: nothing was accepted yet, or it is not public.
            Expired: there are fewer notes than where the walk was to go on.
            Refused: OpenReview wants a login, or does not accept it.
            FetchError: a page could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        api, *groups = edition.address.split()
        parts = [*groups]
        if with_rejected:
            parts += [declined for group in groups for declined in _declined(edition, api, group)]
        headers = _log_in(api, fetcher)

        def get(part: str, at: str | None) -> Page | None:
            return _get(api, part, int(at or 0), fetcher, headers)

        for page in walk_parts(edition, parts, get, after=after):
            if api == "v2":
                yield page
            elif with_rejected:
                yield replace(page, name=f"{page.name} with rejected")  # another page: more of it is read
            else:
                yield replace(page, keep=is_wanted)


def _declined(edition: Edition, api: str, group: str) -> list[str]:
    if api == "v1":
        return [f"{group.partition('/-/')[0]}/-/{name}" for name in _DECLINED_V1]
    names = _DECLINED if edition.year else _DECLINED_BY_JOURNAL
    return [f"{group}/{name}" for name in names]


def _get(
    api: str, group: str, offset: int, fetcher: Fetcher, headers: Mapping[str, str] | None
) -> Page | None:
    """Return the notes of a group from ``offset`` on; None where there are none."""
    query = {"content.venueid": group} if api == "v2" else {"invitation": group, "details": "directReplies"}
    query |= {"sort": "number:asc", "limit": str(_SIZES[api]), "offset": str(offset)}
    url = f"https://{_HOSTS[api]}/notes?{urlencode(query, safe='/:')}"
    try:
        reply = fetcher.get(url, accept="application/json", headers=headers, max_bytes=_LARGEST)
    except Refused as error:
        if headers:
            raise Refused(f"OpenReview does not show {group} to this login. {_ELSEWHERE}") from error
        raise Refused(f"OpenReview answers programs only after a login. {_LOGIN}, or {_ELSEWHERE}") from error
    file = open_reply(reply)
    answer = load_json(file)
    notes = answer.get("notes") if isinstance(answer, dict) else None
    if not isinstance(notes, list):
        raise refuse(file, "notes")
    count = answer.get("count")
    total = count if isinstance(count, int) else None
    end = offset + len(notes)
    if not notes:
        if total is not None and offset < total:
            raise UnreadableFile(
                f"{url} gave no notes, of {total:,} that there are. Nothing of it was taken. Try again later."
            )
        return None
    more = len(notes) == _SIZES[api] if total is None else end < total
    return Page(
        name=f"{group} {offset}",
        url=url,
        source="openreview",
        file=file,
        next=str(end) if more else None,
    )


def _log_in(api: str, fetcher: Fetcher) -> dict[str, str] | None:
    """Return the header of who has logged in; None where there is no login, or nobody is asked."""
    login = None if fetcher.offline else settings.openreview_login()
    if login is None:
        return None
    try:
        answer = fetcher.post(f"https://{_HOSTS[api]}/login", {"id": login[0], "password": login[1]})
        token = orjson.loads(answer).get("token")
    except (Refused, orjson.JSONDecodeError, AttributeError):
        token = None
    if not (isinstance(token, str) and token and token.isascii() and token.isprintable()):
        raise Refused(
            "OpenReview did not accept the login in OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD. Log in at "
            f"https://openreview.net to see that it is right, or {_ELSEWHERE}"
        ) from None
    return {"Authorization": f"Bearer {token}"}
