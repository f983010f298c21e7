from __future__ import annotations

import re
from typing import Any

from lunwen.corpus.checkup import Finding


def test_a_sound_library(run: Any, library: object) -> None:
    del library
    assert run("doctor").out == "/nowhere: sound\n"
    assert run("doctor", "--json").json == {"library": "/nowhere", "findings": [], "sound": True}


def test_what_is_wrong_and_what_was_mended(run: Any, library: Any) -> None:
    library.findings = [Finding("keys of no record", 1200, repaired=False)]
    found = run("doctor")
    assert (found.code, found.out) == (1, "found   1,200 keys of no record\n")
    assert found.err == "lunwen: mend it with: lunwen doctor --repair\n"
    assert run("doctor", "--json").json["findings"] == [
        {"what": "keys of no record", "count": 1200, "repaired": False}
    ]
    mended = run("doctor", "--repair")
    assert mended.out == "mended  1,200 keys of no record\n/nowhere: sound\n"
    assert mended.code == 0


def test_reindex(run: Any, library: Any) -> None:
    assert re.fullmatch(r"2 papers indexed in 0\.\d s\n", run("reindex").out)
    assert library.reindexed
    assert run("reindex", "--json").json["papers"] == 2
