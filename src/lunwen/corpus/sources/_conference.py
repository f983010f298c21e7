"""Which conference a link, an OpenReview group or a file name speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SITES = {  # the virtual sites, first the name each is known by
    "icml": "icml.cc",
    "iclr": "iclr.cc",
    "neurips": "neurips.cc",
    "cvpr": "cvpr.thecvf.com",
    "iccv": "iccv.thecvf.com",
    "eccv": "eccv.ecva.net",
    "mlsys": "mlsys.org",
    "aistats": "virtual.aistats.org",
}
_VENUES = {site: venue for venue, site in _SITES.items()} | {"nips.cc": "neurips"}
_VIRTUAL = re.compile(r"(?:https?://)?(?:www\.)?([\w.]+)/virtual/(\d{4})/(?:[\w-]+/)+(\d+)/?")
_CVF = re.compile(r"openaccess\.thecvf\.com/content[_/]?([a-z]+)_?(\d{4})/", re.IGNORECASE)
_ECVA = re.compile(r"ecva\.net/papers/eccv_(\d{4})/")
_PROCEEDINGS = re.compile(r"(neurips\.cc|nips\.cc|iclr\.cc|mlsys\.org)/+(?:paper_files/)?paper/+(\d{4})/")
_ACL = re.compile(r"aclanthology\.org/(\d{4})\.([a-z0-9]+)-")
_FILE = re.compile(r"([A-Za-z]{2,})[-_ ]?((?:19|20)\d\d)(?!\d)")
_DECIDED = re.compile(r"/(?:Rejected_|Withdrawn_|Desk_Rejected_|Blind_|Active_)?Submission$", re.IGNORECASE)
_MAIN = ("conference", "main")


@dataclass(frozen=True, slots=True)
class Conference:
    """A venue as it is written there, a year, and the track where it is not the main one."""

    venue: str
    year: int
    track: str | None = None

    @property
    def slug(self) -> str:
        """The first part of its events' identifiers: "icml-2026"."""
        word = self.venue.lower().removesuffix(".cc")
        return f"{'neurips' if word == 'nips' else word}-{self.year}"

    def locate(self, path: str) -> str | None:
        """Return the address of a path on the conference's virtual site, where the site is known."""
        site = _SITES.get(self.slug.rpartition("-")[0])
        return f"https://{site}{path}" if site else None


def read_group(group: str) -> Conference | None:
    """Read an OpenReview group, venueid or invitation, or a link to one: "ICML.cc/2026/Conference"."""
    group = group.rpartition("group?id=")[2].partition("#")[0].partition("/-/")[0]
    if "://" in group or group.startswith("/"):
        return None  # some other link
    group = _DECIDED.sub("", group)
    parts = [part for part in group.split("/") if part]
    at = next((number for number, part in enumerate(parts) if re.fullmatch(r"(?:19|20)\d\d", part)), 0)
    if not at:
        return None
    rest = [part for part in parts[at + 1 :] if part.lower() not in _MAIN]
    if len(rest) > 1 and rest[0] == "Track":
        rest = [*rest[1:], "Track"]
    return Conference(parts[at - 1], int(parts[at]), " ".join(rest).replace("_", " ") or None)


def read_event(link: str) -> tuple[Conference, str] | None:
    """Read a link to an event on a virtual site: the conference, and the event's number."""
    found = _VIRTUAL.fullmatch(link.partition("?")[0])
    venue = _VENUES.get(found[1].lower()) if found else None
    return (Conference(venue, int(found[2])), found[3]) if found and venue else None


def read_link(link: str) -> Conference | None:
    """Read the conference that a link to a paper speaks of."""
    if event := read_event(link):
        return event[0]
    if found := _CVF.search(link):
        return Conference(found[1].lower(), int(found[2]))
    if found := _ECVA.search(link):
        return Conference("eccv", int(found[1]))
    if found := _PROCEEDINGS.search(link):
        return Conference(_VENUES[found[1]], int(found[2]))
    if (found := _ACL.search(link)) and found[2] != "findings":
        return Conference(found[2], int(found[1]))
    return None


def read_file_name(name: str) -> Conference | None:
    """Read a conference and year in a file's name: "icml-2026-abstracts.json.gz", "nips2018.json"."""
    found = _FILE.search(name.rpartition("/")[2])
    return Conference(found[1].lower(), int(found[2])) if found else None
