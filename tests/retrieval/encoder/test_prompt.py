from __future__ import annotations

import pytest

from lunwen.retrieval.encoder.prompt import Prompts, prompts_of


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("/models/models--intfloat--e5-base-v2/snapshots/0", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-base-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-m3", "", ""),
        ("snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("snowflake-arctic-embed-m", "Represent this sentence for searching relevant passages: ", ""),
        ("nomic_embed_text", "search_query: ", "search_document: "),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("text-embedding-3-small", "", ""),
        ("made5e5z", "", ""),
    ],
)
def test_models_are_asked_as_they_were_trained(model: str, query: str, document: str) -> None:
    assert prompts_of(model) == Prompts(query, document)


def test_instructed_models_take_an_instruction() -> None:
    prompts = prompts_of("intfloat/multilingual-e5-large-instruct")
    assert prompts.before("query").startswith("Instruct: ")
    assert prompts.before("query").endswith("\nQuery: ")
    assert prompts.before("document") == ""


def test_the_contract_tells_a_prompt_from_none() -> None:
    assert str(Prompts("query: ", "")) == "query:'query: ',document:''"
    assert str(Prompts("", "query: ")) != str(Prompts("query: ", ""))
