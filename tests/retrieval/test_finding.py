"""The cases F1 to F11: what other tools did not find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lunwen.retrieval.request import SearchRequest, SearchResponse, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lunwen.corpus.paper import Paper
    from lunwen.library import Library

    MakeLibrary = Callable[[Iterable[Paper]], Library]
    PaperOf = Callable[..., Paper]


def ask(library: Library, query: str = "", **filters: object) -> SearchResponse:
    return library.search(SearchRequest(query=query, **filters))  # type: ignore[arg-type]


def ids(response: SearchResponse) -> list[str]:
    return [item.paper.paper_id for item in response.items]


@pytest.mark.parametrize(
    ("title", "surname"),
    [
        ("Attention is all you need", "Vaswani"),
        ("Neural ordinary differential equations", "Chen"),
        ("On what there is", "Quine"),
    ],
)
def test_an_exact_title_is_first_alone_and_with_a_surname(
    make_library: MakeLibrary, paper_of: PaperOf, title: str, surname: str
) -> None:
    noise = [
        paper_of(f"n{i}", f"Study {i}: more on it", f"{title}. {title}! Again: {title}.", authors=["A Smith"])
        for i in range(20)
    ]
    noise.append(paper_of("longer", f"Is it true that {title}", title, authors=[f"B {surname}"]))
    library = make_library([*noise, paper_of("it", title, "Short.", authors=[f"Q {surname}"])])
    for query in (
        title,
        f"{title} {surname}",
        title.lower(),
        f'"{title}"',
        f"{surname} {title}",
        f"{title} 2024",
    ):
        assert ids(ask(library, query))[0] == "it", query


SPELLINGS = {
    "non-invasive": ["non-invasive", "non invasive", "noninvasive", "Non‑Invasive", "non–invasive"],
    "first-order": ["first-order", "first order", "firstorder"],
    "COVID-19": ["COVID-19", "covid 19", "Covid19", "ＣＯＶＩＤ－19"],
    "k-means++": ["k-means++", "kmeans++", "k means++"],
    "C++": ["C++", "c++"],
    "t-SNE": ["t-SNE", "tSNE", "t SNE"],
    r"$\ell_1$": [r"$\ell_1$", r"\ell_1", "ℓ1", "l1", "ℓ_1"],
    "GPT-4": ["GPT-4", "GPT4", "gpt 4"],
    "state-of-the-art": ["state-of-the-art", "state of the art"],
    "pre-training": ["pre-training", "pretraining", "pre training", "pre-trained"],
}


@pytest.mark.parametrize(("written", "typed"), [(w, t) for w, typed in SPELLINGS.items() for t in typed])
def test_a_word_is_found_in_every_spelling(
    make_library: MakeLibrary, paper_of: PaperOf, written: str, typed: str
) -> None:
    library = make_library(
        [
            paper_of("other", "Something else altogether", "Nothing of the kind."),
            paper_of("it", f"A study of {written} things", "Text."),
        ]
    )
    assert ids(ask(library, typed)) == ["it"]


@pytest.mark.parametrize("written", ["noninvasive", "non-invasive", "non invasive"])
@pytest.mark.parametrize("typed", ["noninvasive", "non-invasive", "non invasive"])
def test_spellings_meet_both_ways(
    make_library: MakeLibrary, paper_of: PaperOf, written: str, typed: str
) -> None:
    library = make_library([paper_of("it", f"A {written} probe"), paper_of("no", "An open probe")])
    assert ids(ask(library, typed)) == ["it"]


def test_a_minus_is_not_only_after_white_space(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("a", "First-order methods"), paper_of("b", "Second methods")])
    assert ids(ask(library, "methods -order")) == ["b"]
    assert ids(ask(library, "first-order methods"))[0] == "a"


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("Bellman’s equation", "Bellman's equation"),
        ("Bellman's equation", "Bellman’s equation"),
        ("ef\ufb01cient search", "efficient search"),
        ("efficient search", "ef\ufb01cient search"),
        ("Ｄｅｅｐ networks", "deep networks"),
        ("train–test split", "train-test split"),
    ],
)
def test_typography_makes_no_difference(
    make_library: MakeLibrary, paper_of: PaperOf, written: str, typed: str
) -> None:
    library = make_library([paper_of("x", "Unrelated words"), paper_of("it", written)])
    assert ids(ask(library, typed))[0] == "it"


@pytest.mark.parametrize("typed", ["Diaz", "Díaz", "diaz", "author:Diaz", "author:Díaz", 'author:"Ana Diaz"'])
def test_accents_never_reduce_the_results(make_library: MakeLibrary, paper_of: PaperOf, typed: str) -> None:
    library = make_library(
        [
            paper_of("plain", "One", authors=["Ana Diaz"]),
            paper_of("accent", "Two", authors=["Ana Díaz"]),
            paper_of("none", "Three", authors=["Ana Day"]),
        ]
    )
    assert set(ids(ask(library, typed))) == {"plain", "accent"}


def test_the_accented_query_ranks_the_accented_name_first(
    make_library: MakeLibrary, paper_of: PaperOf
) -> None:
    papers = [paper_of(f"p{i}", "One", authors=["Ana Diaz"]) for i in range(3)]
    library = make_library([*papers, paper_of("q", "One", authors=["Ana Díaz"])])
    assert ids(ask(library, "Díaz"))[0] == "q"


@pytest.mark.parametrize(
    "typed", ["Müller", "Muller", "Mueller", "author:Mueller", "author:Müller", "author:muller"]
)
def test_umlauts_are_found_in_every_spelling(
    make_library: MakeLibrary, paper_of: PaperOf, typed: str
) -> None:
    library = make_library(
        [paper_of("it", "One", authors=["Eva Müller"]), paper_of("no", "Two", authors=["Eva Maler"])]
    )
    assert ids(ask(library, typed)) == ["it"]


@pytest.mark.parametrize("typed", ["Godel", "Gödel", r"G\"odel", "Goedel"])
def test_tex_accents_are_understood(make_library: MakeLibrary, paper_of: PaperOf, typed: str) -> None:
    library = make_library([paper_of("it", "Machines after Gödel"), paper_of("no", "Machines")])
    assert ids(ask(library, typed)) == ["it"]


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("S M de Bruyn Kops", "de Bruyn Kops, S M"),
        ("S M de Bruyn Kops", "de Bruyn Kops"),
        ("∀", "∀"),
        ("Mausam", "Mausam"),
        ("Lei Li", "Li Lei"),
        ("Lei Li", "Lei Li"),
        ("Jean-Baptiste Lully", "Jean-Baptiste Lully"),
        ("Jean-Baptiste Lully", "Lully"),
        ("Maria Eva Rodriguez Lopez", "Maria Lopez"),
        ("李磊", "李磊"),
    ],
)
def test_an_author_is_found_by_the_name_on_the_paper(
    make_library: MakeLibrary, paper_of: PaperOf, name: str, typed: str
) -> None:
    library = make_library(
        [paper_of("it", "One", authors=["Wei Wang", name]), paper_of("no", "Two", authors=["X Y"])]
    )
    assert ids(ask(library, f'author:"{typed}"')) == ["it"]
    assert ids(ask(library, author=(typed,))) == ["it"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("Lei Lei", ["more", "twice"]),
        ("Lei, Lei", ["more", "twice"]),
        ("Wang Lei Lei", ["more"]),
        ("Lei", ["more", "once", "twice"]),
    ],
)
def test_a_part_that_comes_twice_in_a_name_is_needed_twice(
    make_library: MakeLibrary, paper_of: PaperOf, typed: str, found: list[str]
) -> None:
    library = make_library(
        [
            paper_of("once", "One", authors=["Lei Wang", "Jun Lei"]),
            paper_of("twice", "Two", authors=["Jun Wang", "Lei Lei"]),
            paper_of("more", "Three", authors=["Lei Lei Wang"]),
        ]
    )
    assert sorted(ids(ask(library, author=(typed,)))) == found
    assert sorted(ids(ask(library, f'author:"{typed}"'))) == found


def test_an_author_needs_all_parts_in_one_name(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library(
        [paper_of("apart", "One", authors=["Lei Wang", "Jun Li"]), paper_of("it", "Two", authors=["Lei Li"])]
    )
    assert ids(ask(library, 'author:"Lei Li"')) == ["it"]
    assert ids(ask(library, author=("Li Lei",))) == ["it"]


WORDS = ["sparse", "dense", "kernel", "graph", "robust", "online", "convex", "bandit"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=1, max_size=30),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True),
    more=st.sampled_from(WORDS),
)
def test_a_word_that_a_paper_holds_never_loses_it(
    make_library: MakeLibrary, paper_of: PaperOf, texts: list[list[str]], query: list[str], more: str
) -> None:
    library = make_library(paper_of(f"p{i:02}", " ".join(text)) for i, text in enumerate(texts))
    before = set(ids(ask(library, " ".join(query), limit=100)))
    after = set(ids(ask(library, " ".join([*query, more]), limit=100)))
    holding = {f"p{i:02}" for i, text in enumerate(texts) if more in text}
    assert before & holding <= after


HOSTILE = [
    *("foo:bar", '"unclosed', "((a", "a AND", "-", "*", "?", "bilevel " * 700, "😀", "'; DROP TABLE papers"),
    *(
        "\x00",
        "a\x00b",
        "\ud800",
        "OR OR",
        "author:",
        "year:abc",
        "title:(",
        "--",
        "+",
        "(" * 5000,
        "a" * 5000,
    ),
    *("]]>", "%s%n", "NOT", "NOT NOT a", '"" ""', "venue:nowhere", "status:nonsense", "\u202eabc", "年："),
    *("AND (", "topic:", "x:y:z"),
]


@pytest.mark.parametrize("query", HOSTILE)
def test_no_text_is_an_error(make_library: MakeLibrary, paper_of: PaperOf, query: str) -> None:
    library = make_library([paper_of("a", "A bilevel study")])
    response = ask(library, query)
    assert response.query_reading or not query.strip("\x00\ud800 ")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=80))
def test_any_text_is_a_query(make_library: MakeLibrary, paper_of: PaperOf, query: str) -> None:
    ask(make_library([paper_of("a", "A bilevel study")]), query)


def test_a_question_of_thirty_words_is_answered(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library(
        [paper_of("it", "Bilevel optimization with noisy gradients"), paper_of("no", "Speech synthesis")]
    )
    question = (
        "Could you please recommend some recent papers that AND study how bilevel optimization behaves when "
        'the gradients are "very noisy" and the lower level problem is not strongly convex in practice?'
    )
    assert ids(ask(library, question))[0] == "it"


@pytest.mark.parametrize(
    "typed", ["零阶", "零阶优化", "“零阶”", "关于零阶优化的研究", "ZO零阶优化", "零阶：优化"]
)
def test_chinese_is_found_as_chinese(make_library: MakeLibrary, paper_of: PaperOf, typed: str) -> None:
    library = make_library(
        [
            paper_of("it", "Zeroth-order search", summary={"zh": "本文研究零阶优化方法的收敛速度。"}),
            paper_of("no", "Other", summary={"zh": "语音合成系统。"}),
        ]
    )
    assert "it" in ids(ask(library, typed))
    assert "no" not in ids(ask(library, typed))


def test_chinese_and_code_in_one_run_are_read_apart(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("it", "gen-itgc 重跑后的结果"), paper_of("no", "其他结果")])
    assert ids(ask(library, "重跑gen-itgc后"))[0] == "it"


def test_nothing_found_says_which_word_ended_it(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("a", "Lagrangian duality"), paper_of("b", "Lagrangian mechanics")])
    response = ask(library, "lagrangain")
    assert response.total == 0
    assert response.explanation == 'no paper has "lagrangain"'
    assert [(s.query, s.total) for s in response.suggestions] == [("lagrangian", 2)]


def test_nothing_found_says_which_filter_ended_it(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("a", "Duality", year=2023), paper_of("b", "Other", venue="ACL")])
    response = ask(library, "duality", venue=("ACL",))
    assert response.total == 0
    assert response.explanation == "there are papers for the query, none with venue: ACL"
    assert response.suggestions[0].total == 1
    assert response.suggestions[0].request.venue == ()


def test_an_empty_library_says_so(make_library: MakeLibrary) -> None:
    assert "empty" in ask(make_library([]), "anything").explanation


def test_a_venue_alone_is_listed_newest_first(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library(
        [
            paper_of("old", "Old", year=2001),
            paper_of("new", "New", year=2025),
            paper_of("b-mid", "Mid", year=2012),
            paper_of("a-mid", "Mid", year=2012),
            paper_of("other", "X", venue="ACL"),
        ]
    )
    assert ids(ask(library, venue=("icml",))) == ["new", "a-mid", "b-mid", "old"]
    assert ids(ask(library, "venue:ICML")) == ["new", "a-mid", "b-mid", "old"]
    assert ids(ask(library, "venue:icml", sort=Sort.CITATIONS)) == ["a-mid", "b-mid", "new", "old"]
