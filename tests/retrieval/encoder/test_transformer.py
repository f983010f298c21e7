from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from lunwen.errors import CouldNot

if TYPE_CHECKING:
    from pathlib import Path

    from lunwen.retrieval.encoder.transformer import TransformerEncoder

library = pytest.importorskip("sentence_transformers", reason="needs the extra lunwen[transformers]")


def _load(named: str | Path) -> TransformerEncoder:
    from lunwen.retrieval.encoder.transformer import TransformerEncoder  # noqa: PLC0415  only with the extra

    return TransformerEncoder(str(named))


def _write(folder: Path, prompts: dict[str, str] | None = None, tree: float = 3) -> Path:
    """Save a model that looks words up: graph (1, 0), node (0, 1), tree (3, 4)."""
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415  same

    words = {"[UNK]": 0, "graph": 1, "node": 2, "tree": 3}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))  # noqa: S106  a word, not a secret
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    table = np.array([[0, 0], [1, 0], [0, 1], [tree, 4]], np.float32)
    module = library.sentence_transformer.modules.StaticEmbedding(tokenizer, embedding_weights=table)
    library.SentenceTransformer(modules=[module], prompts=prompts, device="cpu").save(str(folder))
    return folder


def test_texts_are_rows_of_length_one(tmp_path: Path) -> None:
    encoded = _load(_write(tmp_path / "m")).encode(["tree", "", "graph node"], kind="document")
    assert encoded.tolist() == [pytest.approx([0.6, 0.8]), [0, 0], pytest.approx([0.5**0.5] * 2)]


def test_a_model_brings_its_own_prompts(tmp_path: Path) -> None:
    encoder = _load(_write(tmp_path / "m", {"query": "node ", "document": ""}))
    assert encoder.encode(["graph"], kind="query").tolist() == [pytest.approx([0.5**0.5] * 2)]
    assert encoder.encode(["graph"], kind="document").tolist() == [[1, 0]]


def test_weights_and_prompts_are_in_the_contract(tmp_path: Path) -> None:
    folders = (_write(tmp_path / "a" / "m"), _write(tmp_path / "b" / "m", {"query": "node "}))
    again, other = _write(tmp_path / "c" / "m"), _write(tmp_path / "d" / "m", tree=2)
    assert len({_load(folder).contract for folder in (*folders, again, other)}) == 3


def test_a_model_that_is_not_on_this_machine_is_not_fetched() -> None:
    with pytest.raises(
        CouldNot, match=r'no model "nobody/nothing" on this machine .*hf download nobody/nothing'
    ):
        _load("nobody/nothing")
