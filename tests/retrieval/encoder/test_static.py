from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.errors import CouldNot
from lunwen.retrieval.encoder.static import StaticEncoder

if TYPE_CHECKING:
    from lunwen.retrieval.encoder import Encoder

PACKAGED = StaticEncoder()
LARGEST = 16_000_000  # bytes: it ships in the wheel


def _write(file: Path, **changes: object) -> Path:
    """Write a model of four words, a pair and two pieces, in two dimensions."""
    held: dict[str, object] = {
        "vectors": np.array([[0, 0], [127, 0], [0, 127], [127, 127], [0, 64], [64, 0], [-127, 0]], np.int8),
        "scales": np.full(7, 1 / 127, np.float32),
        "words": np.frombuffer(b"graph\ngraphs\nnode\ntree", np.uint8),
        "word_rows": np.array([1, 1, 2, 3], np.uint16),
        "pieces": np.frombuffer("▁un\nseen".encode(), np.uint8),
        "pairs": np.array([1 << 16 | 2], np.uint32),
        "revision": np.array("small"),
        **changes,
    }
    np.savez(file, **{name: value for name, value in held.items() if value is not None})
    return file


@pytest.fixture
def small(tmp_path: Path) -> StaticEncoder:
    return StaticEncoder(_write(tmp_path / "small.npz"))


def _encode(encoder: Encoder, *texts: str) -> np.ndarray:
    return encoder.encode(texts, kind="document")


def _unit(x: float, y: float) -> list[float]:
    return [x / np.hypot(x, y), y / np.hypot(x, y)]


def test_a_text_is_the_sum_of_its_words(small: StaticEncoder) -> None:
    assert _encode(small, "Tree node").tolist() == [pytest.approx(_unit(1, 2), abs=1e-6)]


def test_a_word_said_again_counts_less(small: StaticEncoder) -> None:
    assert _encode(small, "tree tree node tree").tolist() == [
        pytest.approx(_unit(3**0.75, 1 + 3**0.75), abs=1e-6)
    ]


def test_forms_of_a_word_share_a_row(small: StaticEncoder) -> None:
    graph, graphs = _encode(small, "graph tree", "graphs tree")
    assert graph.tolist() == graphs.tolist()


def test_two_words_side_by_side_add_their_pair(small: StaticEncoder) -> None:
    beside, reversed_, parted = _encode(small, "graph node", "node graph", "graph x node")
    assert beside.tolist() == pytest.approx(_unit(0, 1), abs=1e-6)  # (1, 0) + (0, 1) + (-1, 0)
    assert reversed_.tolist() == pytest.approx(_unit(1, 1), abs=1e-6)
    assert parted.tolist() == pytest.approx(_unit(1, 1), abs=1e-6)


def test_an_unknown_word_is_the_sum_of_its_pieces(small: StaticEncoder) -> None:
    assert _encode(small, "unseen").tolist() == [pytest.approx(_unit(64, 64), abs=1e-6)]
    assert _encode(small, "unxseen").tolist() == [pytest.approx(_unit(64, 64), abs=1e-6)]  # x: no piece
    assert _encode(small, "un").tolist() == [pytest.approx([0, 1], abs=1e-6)]


@pytest.mark.parametrize("text", ["", "   ", "…!?", "数", "\ud800", "xyz"])
def test_what_says_nothing_is_zero(small: StaticEncoder, text: str) -> None:
    assert _encode(small, text).tolist() == [[0, 0]]


def test_a_documents_first_line_counts_twice(small: StaticEncoder) -> None:
    assert _encode(small, "tree\nnode").tolist() == [pytest.approx(_unit(2**0.75, 1 + 2**0.75), abs=1e-6)]
    asked = small.encode(["tree\nnode"], kind="query")
    assert asked.tolist() == [pytest.approx(_unit(1, 2), abs=1e-6)]


def test_no_texts_are_no_rows(small: StaticEncoder) -> None:
    assert _encode(small).shape == (0, 2)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "none.npz"
    message = (
        f"no encoder in \"{file}\" ([Errno 2] No such file or directory: '{file}'). "
        "Semantic search needs its weights. Install lunwen again"
    )
    with pytest.raises(CouldNot, match=f"^{re.escape(message)}$"):
        StaticEncoder(file)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"text"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "damaged.npz"
    file.write_bytes(content)
    with pytest.raises(CouldNot, match=re.escape(f'no encoder in "{file}"')):
        StaticEncoder(file)


def test_a_file_without_a_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CouldNot, match=r"pairs"):
        StaticEncoder(_write(tmp_path / "partial.npz", pairs=None))


def test_the_contract_names_the_weights(small: StaticEncoder) -> None:
    assert small.contract == "static-small/2/query:strip-request/document:title-twice/fold-lower-tf0.75-l2"
    assert re.fullmatch(
        r"static-[0-9a-f]{12}/256/query:strip-request/document:title-twice/fold-lower-tf0.75-l2",
        PACKAGED.contract,
    )


def test_the_packaged_weights_are_small() -> None:
    assert Path(str(files("lunwen.retrieval.encoder") / "static.npz")).stat().st_size <= LARGEST


def test_rows_have_length_one() -> None:
    vectors = _encode(PACKAGED, "Graph neural networks", "the", "antidisestablishmentarianism 42")
    assert vectors.shape == (3, PACKAGED.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    texts = [
        f"learning to rank number {number} unseenword{number}" for number in range(600)
    ]  # several chunks
    together = PACKAGED.encode(texts, kind="document")
    assert np.array_equal(together, PACKAGED.encode(texts, kind="document"))
    for number in (0, 255, 256, 599):
        assert np.array_equal(together[number], _encode(PACKAGED, texts[number])[0])


@given(st.lists(st.text(), max_size=4))
def test_any_text_has_a_finite_row(texts: list[str]) -> None:
    vectors = PACKAGED.encode(texts, kind="query")
    assert vectors.shape == (len(texts), PACKAGED.dimensions)
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-4) | (lengths == 0))


def test_spellings_of_one_text_have_one_row() -> None:
    plain, fancy = "Poincare embeddings of non-linear flows", "Poincaré  EMBEDDINGS of non‑linear ﬂows"
    vectors = _encode(PACKAGED, plain, fancy)
    assert np.array_equal(*vectors)


def test_a_query_leaves_the_request_out() -> None:
    asked = PACKAGED.encode(["Can you recommend papers about graph matching?"], kind="query")
    assert np.array_equal(asked, PACKAGED.encode(["graph matching"], kind="query"))
    assert not np.array_equal(asked, _encode(PACKAGED, "Can you recommend papers about graph matching?"))


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("making large language models smaller", "compressing LLMs by quantization", "making images larger"),
        ("zeroth-order optimization", "derivative-free black-box search", "first-order logic provers"),
        ("agents that learn by trial and error", "reinforcement learning policies", "error correcting codes"),
        ("removing rain from photographs", "image deraining", "text summarization"),
        ("labels are expensive", "active learning with few annotations", "speech synthesis"),
        ("forgetting old tasks", "continual learning", "medical segmentation"),
        ("heart attack", "myocardial infarction in patients", "jet engine"),
        ("wing lift", "aerodynamics of an airfoil", "sentence parsing"),
    ],
)
def test_what_means_the_same_is_nearer(query: str, near: str, far: str) -> None:
    asked = PACKAGED.encode([query], kind="query")[0]
    nearer, farther = _encode(PACKAGED, near, far) @ asked
    assert nearer > farther
