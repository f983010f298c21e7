"""Atom (RFC 4287) and the OpenSearch description, as XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml.etree import Element, SubElement, tostring

from lunwen.corpus.maths import plain
from lunwen.doors.feed import ATOM, JSON_FEED
from lunwen.export.link import paper_link

if TYPE_CHECKING:
    from lxml.etree import _Element

    from lunwen.doors.feed import Entry, Feed

OPENSEARCH = "application/opensearchdescription+xml"
SUGGESTIONS = "application/x-suggestions+json"

_ATOM = "http://www.w3.org/2005/Atom"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what no XML may hold


def atom(feed: Feed) -> bytes:
    """Write a feed as Atom."""
    root = Element(f"{{{_ATOM}}}feed", nsmap={None: _ATOM})  # type: ignore[dict-item]  # stubs know no default
    _add(root, "id", feed.feed_id)
    _add(root, "title", feed.title)
    if feed.subtitle:
        _add(root, "subtitle", feed.subtitle)
    _add(root, "updated", feed.updated)
    _add(_add(root, "author"), "name", "lunwen")  # of papers that name nobody
    if feed.url:
        _add(root, "link", rel="self", type=ATOM, href=feed.url)
    if feed.home:
        _add(root, "link", rel="alternate", type="text/html", href=feed.home)
    for entry in feed.entries:
        _fill(_add(root, "entry"), entry)
    return _write(root)


def _fill(element: _Element, entry: Entry) -> None:
    paper = entry.paper
    _add(element, "id", entry.entry_id)
    _add(element, "title", plain(paper.title))
    _add(element, "updated", entry.updated)
    if entry.published:
        _add(element, "published", entry.published)
    for author in paper.authors:
        _add(_add(element, "author"), "name", author.name)
    if entry.url:
        _add(element, "link", rel="alternate", type="text/html", href=entry.url)
    else:  # an entry that leads nowhere is one by what it says
        _add(element, "content", plain(paper.title))
    if (outside := paper_link(paper)) and outside != entry.url:
        _add(element, "link", rel="related", href=outside)
    for tag in entry.tags:
        _add(element, "category", term=tag)
    if paper.abstract:
        _add(element, "summary", plain(paper.abstract))


def opensearch(base: str) -> bytes:
    """Write how a browser or a reader searches here; ``base`` is the address of the site."""
    root = Element(f"{{{_OPENSEARCH}}}OpenSearchDescription", nsmap={None: _OPENSEARCH})  # type: ignore[dict-item]
    _add(root, "ShortName", "lunwen")
    _add(root, "Description", "Papers of this library, by words and by meaning. 论文检索")
    _add(root, "InputEncoding", "UTF-8")
    for kind, rest in (
        ("text/html", "?q={searchTerms}"),
        (SUGGESTIONS, "opensearch.json?q={searchTerms}"),
        (ATOM, "feed.atom?q={searchTerms}"),
        (JSON_FEED, "feed.json?q={searchTerms}"),
    ):
        _add(root, "Url", type=kind, template=base + rest)
    return _write(root)


def _add(parent: _Element, name: str, text: str | None = None, **attributes: str) -> _Element:
    """Add an element in the namespace of its parent, without what no XML may hold."""
    space = parent.nsmap[None]
    legal = {key: _ILLEGAL.sub("", value) for key, value in attributes.items()}
    child = SubElement(parent, f"{{{space}}}{name}", legal)
    if text is not None:
        child.text = _ILLEGAL.sub("", text)
    return child


def _write(root: _Element) -> bytes:
    return tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True)
