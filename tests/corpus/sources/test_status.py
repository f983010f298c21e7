from __future__ import annotations

import pytest

from lunwen.corpus.paper import Status
from lunwen.corpus.sources._status import read_status, read_topic


@pytest.mark.parametrize(
    ("words", "status", "track"),
    [
        ("Poster", Status.POSTER, None),
        ("Accept (Oral)", Status.ORAL, None),
        ("accept (spotlight)", Status.SPOTLIGHT, None),
        ("Oral Workshop", Status.ORAL, "Workshop"),
        ("Technical Paper", Status.ACCEPTED, "Technical Paper"),
        ("Findings", Status.ACCEPTED, "Findings"),
        ("Active", Status.PREPRINT, None),
        ("Desk Reject", Status.REJECTED, None),
        ("Withdrawn", Status.WITHDRAWN, None),
        ("preprint", Status.PREPRINT, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_status_words(words, status, track):
    assert read_status(words) == (status, track)


@pytest.mark.parametrize(
    ("topic", "path"),
    [
        ("Deep Learning->Robustness", ("Deep Learning", "Robustness")),
        ("A/B", ("A", "B")),
        ("Applications->A/B testing", ("Applications", "A/B testing")),
        (["A/B", " C "], ("A/B", "C")),
        ("main", ()),
        ("", ()),
        (None, ()),
        (5, ()),
    ],
)
def test_topics(topic, path):
    assert read_topic(topic) == path
