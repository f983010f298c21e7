from __future__ import annotations

from html.entities import name2codepoint
from io import BytesIO

import pytest

from lunwen.corpus.markup import iter_xml, safe_xml
from lunwen.errors import UnreadableFile

BOMB = (
    b'<!DOCTYPE l [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(11))
    + b"]><l><p>&l;</p></l>"
)
OUTSIDE = b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l><p>&x;</p></l>'


def read(data: bytes) -> list[str | None]:
    return [element.text for element in iter_xml(BytesIO(data), ["p"])]


def test_by_hand() -> None:
    root = safe_xml(b"<a><p>M&uuml;ller &amp; &lt;b&gt; &#233;</p><!-- no --></a>")
    assert [(child.tag, child.text) for child in root] == [("p", "Müller & <b> é")]
    assert read(b'<a xmlns="urn:x"><p>one</p><q/><p>two</p></a>') == ["one", "two"]


def test_dblp_needs_no_document_type() -> None:
    head = b'<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE d SYSTEM "no-such.dtd">'
    data = head + b"<d><p>&Oacute;l\xe9</p></d>"
    assert safe_xml(data)[0].text == "Ólé"
    assert read(data) == ["Ólé"]


@pytest.mark.parametrize(("name", "point"), sorted(name2codepoint.items()))
def test_names_agree_with_the_html_module(name: str, point: int) -> None:
    assert safe_xml(f"<a>&{name};</a>".encode()).text == chr(point)


@pytest.mark.parametrize("cut", range(20))
def test_names_across_two_reads(cut: int) -> None:
    text = "x" * (65_536 - 20 - cut) + "&auml;&uuml;&thetasym;" * 20
    assert read(f"<a><p>{text}</p></a>".encode()) == ["x" * (65_536 - 20 - cut) + "äüϑ" * 20]


@pytest.mark.parametrize(
    "data", [BOMB, OUTSIDE, b"<a><p></a>", b"", b"<a>\x00</a>", b"<a>" * 1000, b"<p>\xff</p>"]
)
def test_what_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFile) as one:
        safe_xml(data)
    with pytest.raises(UnreadableFile) as two:
        read(data)
    assert "\n" not in f"{one.value}{two.value}"


def test_the_words_of_a_refusal() -> None:
    with pytest.raises(UnreadableFile) as refusal:
        safe_xml(OUTSIDE, name="a.xml")
    assert str(refusal.value) == (
        "a.xml declares XML entities of its own · lunwen reads files without them, because they can unpack to"
        " anything · remove the <!ENTITY …> lines"
    )


def test_elements_are_forgotten() -> None:
    data = b"<a>" + b"<p>x</p>" * 50_000 + b"</a>"
    for element in iter_xml(BytesIO(data), ["p"]):
        parent = element.getparent()
        assert parent is not None
        assert len(parent) < 10_000  # what one read of the file holds
