from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.analysis import (
    Term,
    accented_words,
    compounds,
    fold,
    index_text,
    name_words,
    terms,
    trim,
)

SHARED = Path(os.environ.get("LUNWEN_SHARED", Path(__file__).parents[2] / "../shared"))
ODD = st.sampled_from(
    [*"éßØłαβϵℓﬁ²½①Ⅷ™´’“”—–－：，。（）・ー々中文かがﾊﾞ한ก็किé🅐İıſ℀∀∞\u200d\u0301\u00ad\ufeff\ud800\x00$\\"]
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(ODD, st.sampled_from("aZ9 -_./'+:^&@#*(")), max_size=20).map("".join),
)


@pytest.fixture(scope="module")
def tokenizer() -> tantivy.TextAnalyzer:
    """The engine's tokenizer without its stemmer; accents are gone before it."""
    kind = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    return kind.filter(tantivy.Filter.lowercase()).build()


def parts(text: str) -> list[str]:
    return [part for term in terms(text) for part in term.parts]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("don’t", "don't"),
        ("“x”", '"x"'),
        ("ﬁrst", "first"),
        ("ＧＰＴ－４", "GPT-4"),
        ("A–B−C", "A-B-C"),
        ("注意：（甲），乙。！", "注意:(甲),乙.!"),
        ("zero\u200bwidth soft\u00adhyphen", "zerowidth softhyphen"),
        ("ℓ₁ 5′ 2″", "l1 5' 2\""),
        ("naïve Gödel", "naïve Gödel"),
        ("a\x00b\ud800", "a b"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(TEXTS)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    fold(text).encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("non-invasive", Term("non-invasive", ("non", "invasive"), "noninvasive")),
        ("first-order", Term("first-order", ("first", "order"), "firstorder")),
        ("COVID-19", Term("COVID-19", ("covid", "19"), "covid19")),
        ("k-means++", Term("k-means++", ("k", "means", "plusplus"), "kmeansplusplus")),
        ("C++", Term("C++", ("cplusplus",))),
        ("C#", Term("C#", ("csharp",))),
        ("A*", Term("A*", ("astar",))),
        (".NET", Term(".NET", ("dotnet",))),
        ("t-SNE", Term("t-SNE", ("t", "sne"), "tsne")),
        ("GPT-4", Term("GPT-4", ("gpt", "4"), "gpt4")),
        (r"$\ell_1$", Term("l_1", ("l", "1"), "l1")),
        (r"\ell_1", Term("l_1", ("l", "1"), "l1")),
        ("β-VAE", Term("β-VAE", ("beta", "vae"), "betavae")),
        ("Diaz", Term("Diaz", ("diaz",))),
        ("Díaz", Term("Díaz", ("diaz",), accented="díaz")),
        ("Gödel", Term("Gödel", ("godel",), accented="gödel", variants=("goedel",))),
        (r"G\"odel", Term("Gödel", ("godel",), accented="gödel", variants=("goedel",))),
        ("Straße", Term("Straße", ("strasse",), accented="straße")),
        ("∀", Term("∀", ("forall",))),
        ("注意", Term("注意", ("注", "意"), cjk=True)),
        ("3.5", Term("3.5", ("3", "5"))),
        ("model's", Term("model's", ("model",))),
    ],
)
def test_one_word(text: str, expected: Term) -> None:
    assert terms(text) == (expected,)


def test_mixed_scripts_are_several_terms() -> None:
    assert [term.text for term in terms("重跑gen-itgc后")] == ["重跑", "gen-itgc", "后"]
    assert [term.cjk for term in terms("重跑gen-itgc后")] == [True, False, True]


def test_punctuation_separates_words_and_is_none() -> None:
    assert [term.text for term in terms("graphs, (trees) & “nets”! 🙂 -")] == ["graphs", "trees", "nets"]


@pytest.mark.parametrize(
    ("spelling", "other"),
    [
        ("k-means++", "k–means++"),
        ("model’s", "model's"),
        ("ﬁrst", "first"),
        ("ＧＰＴ－４", "GPT-4"),
        ("ℓ1", "l1"),
        ("α-divergence", "alpha -divergence"),
        ("Müller", "Muller"),
        ("Łukasz Øre", "Lukasz Ore"),
        ("x̂", "x"),
    ],
)
def test_spellings_that_are_one_in_the_index(spelling: str, other: str) -> None:
    assert index_text(spelling).lower().split() == index_text(other).lower().split()
    assert parts(spelling) == parts(other)


def test_index_text_of_plain_words_is_the_text_itself() -> None:
    text = "Deep nets, in short: they learn."
    assert index_text(text) is text


def test_chinese_is_set_apart_and_greek_is_named() -> None:
    assert index_text("重跑gen后").split() == ["重", "跑", "gen", "后"]
    assert index_text("αβ-VAE λx").split() == ["alpha", "beta", "-VAE", "lambda", "x"]
    assert index_text("Αθήνα") == "Αθηνα"


@given(TEXTS)
def test_terms_are_the_tokens_of_the_index(tokenizer: tantivy.TextAnalyzer, text: str) -> None:
    plain = text.replace("\\", "").replace("$", "")  # these are read as TeX in queries only
    indexed = index_text(plain)
    assert tokenizer.analyze(indexed) == tokenizer.analyze(indexed.lower())
    assert parts(plain) == tokenizer.analyze(indexed)


@given(TEXTS)
def test_a_compound_of_a_text_is_found_by_the_query_of_its_word(text: str) -> None:
    plain = text.replace("\\", "").replace("$", "")
    for term in terms(plain):
        if term.joined and set(term.text) & set("-_./'+:^&@"):
            assert term.joined in compounds(term.text)


def test_compounds() -> None:
    text = (
        "Non-invasive t-SNE for COVID-19, k-means++ and C++; state-of-the-art O'Brien’s Q&A 3.5-4 pass@1 中-b"
    )
    assert compounds(text) == [
        *("noninvasive", "tsne", "covid19", "kmeansplusplus", "stateoftheart", "obrien", "qa", "pass1"),
    ]
    assert compounds("ℓ_1 β–VAE Müller-Lyer") == ["l1", "betavae", "mullerlyer"]
    assert compounds("x" * 60 + "-y") == []


def test_long_text_without_spaces_takes_no_time() -> None:
    compounds("a" * 20_000 + "~b-c")
    compounds("-".join("a" * 20_000))
    index_text("中é" * 20_000)
    terms("é-" * 20_000)


def test_accented_words() -> None:
    assert accented_words("Kurt Gödel’s naïve 中文 x̂ plain") == ["gödel", "naïve"]
    assert accented_words("plain") == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Jürgen Müller", ["jurgen", "muller", "juergen", "mueller"]),
        ("Jean-Pierre O’Neil", ["jean", "pierre", "o", "neil", "jeanpierre", "oneil"]),
        ("de Bruyn Kops, S M", ["de", "bruyn", "kops", "s", "m"]),
        ("李 磊", ["李", "磊"]),
        ("∀", ["forall"]),
        ("Díaz", ["diaz"]),
    ],
)
def test_name_words(name: str, words: list[str]) -> None:
    assert name_words(name) == words


@pytest.mark.parametrize("text", ["C++,", ";foo:bar.", '"A*"', "(.NET)", "…重跑-x！", "_x_"])
def test_trimming_twice_changes_nothing(text: str) -> None:
    assert trim(trim(fold(text))) == trim(fold(text)) != ""


@pytest.mark.skipif(not (SHARED / "corpora").is_dir(), reason="no folder of real papers (LUNWEN_SHARED)")
def test_real_abstracts_give_the_tokens_of_their_words(tokenizer: tantivy.TextAnalyzer) -> None:
    with gzip.open(SHARED / "corpora/conference-papers.jsonl.gz", "rt", encoding="utf-8") as lines:
        for _, line in zip(range(300), lines, strict=False):
            title = json.loads(line)["title"].replace("$", "").replace("\\", "")
            assert parts(title) == tokenizer.analyze(index_text(title))
