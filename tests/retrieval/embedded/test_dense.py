from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.corpus.paper import Paper
from lunwen.errors import LibraryError
from lunwen.retrieval.embedded.dense import Dense, Vectors, newest, quantise
from lunwen.retrieval.engine import Change

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.retrieval.embedded.conftest import PlainEncoder


def papers(*titles: str, first: int = 1) -> Callable[[int], list[Change]]:
    changes = [
        Change(row, Paper(paper_id=f"p{row}", title=title)) for row, title in enumerate(titles, start=first)
    ]
    return lambda _: changes


def test_the_nearest_by_hand(tmp_path: Path, plain_encoder: PlainEncoder) -> None:
    dense = Dense(tmp_path, lambda: plain_encoder)
    dense.rebuild(papers("red car", "grey cat", "automobile"), 3)
    vectors = dense.vectors
    assert vectors is not None
    asked = plain_encoder.encode(["car"], kind="query")[0]
    assert vectors.rows.tolist() == [1, 2, 3]
    assert vectors.similarities(asked, np.arange(3)) == pytest.approx([0.5**0.5, 0, 1], abs=0.02)
    assert vectors.cosines(asked, np.array([3, 1, 9])) == pytest.approx([1, 0.5**0.5, 0], abs=1e-3)
    assert dense.seq == 3


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 60))
def test_the_codes_are_close_to_the_numbers(seed: int, size: int) -> None:
    from lunwen.retrieval.embedded import dense  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal((size, 32)).astype(np.float32)
    numbers /= np.linalg.norm(numbers, axis=1, keepdims=True)
    codes, scales = dense.quantise(numbers.astype(np.float16))
    nothing, signs = np.zeros(size, np.uint64), np.packbits(numbers > 0, axis=1)
    vectors = dense.Vectors(np.arange(size), nothing, signs, codes, scales, numbers.astype(np.float16))
    asked = numbers[0]
    assert np.abs(vectors.similarities(asked, np.arange(size)) - numbers @ asked).max() < 0.03


def test_only_what_changed_is_encoded(tmp_path: Path, plain_encoder: PlainEncoder) -> None:
    dense = Dense(tmp_path, lambda: plain_encoder)
    dense.rebuild(papers(*(f"title {n}" for n in range(50))), 50)
    plain_encoder.encoded.clear()
    same = Change(1, Paper(paper_id="p1", title="title 0", citations=7))  # its text is what it was
    other = Change(2, Paper(paper_id="p2", title="another title"))
    gone = Change(3, None)
    new = Change(90, Paper(paper_id="p90", title="new"))
    dense.update(lambda _: [same, other, gone, new], 54)
    assert plain_encoder.encoded == ["another title\n", "new\n"]
    vectors = dense.vectors
    assert vectors is not None
    assert vectors.rows.tolist() == [1, 2, *range(4, 51), 90]
    asked = plain_encoder.encode(["another title"], kind="query")[0]
    assert vectors.cosines(asked, np.array([2])) == pytest.approx([1], abs=1e-3)


def test_updating_gives_what_building_anew_gives(
    tmp_path: Path, plain_encoder: PlainEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lunwen.retrieval.embedded.dense._BLOCK", 7)  # written in parts
    slow, fast = (
        Dense(tmp_path / "slow", lambda: plain_encoder),
        Dense(tmp_path / "fast", lambda: plain_encoder),
    )
    titles = [f"word{n % 7} word{n % 3}" for n in range(40)]
    for row, title in enumerate(titles, start=1):
        slow.update(papers(title, first=row), row)
    fast.rebuild(papers(*titles), 40)
    one, other = slow.vectors, fast.vectors
    assert one is not None
    assert other is not None
    for name in ("rows", "hashes", "signs", "codes", "scales", "exact"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_vectors_of_another_encoder_are_never_used(tmp_path: Path) -> None:
    from tests.retrieval.embedded.conftest import PlainEncoder  # noqa: PLC0415

    old = Dense(tmp_path, lambda: PlainEncoder("plain-1"))
    old.rebuild(papers("car"), 1)
    new = Dense(tmp_path, lambda: PlainEncoder("plain-2"))
    assert new.vectors is None
    assert new.seq == 0
    new.rebuild(papers("car"), 1)
    assert new.vectors is not None
    assert old.vectors is None
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [newest(tmp_path).name]  # type: ignore[union-attr]


def test_an_empty_library_has_no_vectors(tmp_path: Path, plain_encoder: PlainEncoder) -> None:
    dense = Dense(tmp_path, lambda: plain_encoder)
    dense.rebuild(lambda _: [], 0)
    vectors = dense.vectors
    assert vectors is not None
    assert vectors.vector(1) is None
    assert len(vectors.rows) == 0


def test_damaged_vectors_are_named(tmp_path: Path, plain_encoder: PlainEncoder) -> None:
    dense = Dense(tmp_path, lambda: plain_encoder)
    dense.rebuild(papers("car"), 1)
    path = newest(tmp_path)
    assert path is not None
    (path / "codes.npy").write_bytes(b"nothing")
    with pytest.raises(LibraryError, match="Build them anew: lunwen reindex") as refused:
        _ = Dense(tmp_path, lambda: plain_encoder).vectors
    assert str(refused.value).startswith(f'vectors "{path}" cannot be read')


def test_the_likely_hold_the_nearest() -> None:
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((400, 64))
    numbers = centres[rng.integers(0, 400, 20_000)] + rng.standard_normal((20_000, 64))
    numbers = (numbers / np.linalg.norm(numbers, axis=1, keepdims=True)).astype(np.float32)
    codes, scales = quantise(numbers.astype(np.float16))
    nothing, signs = np.zeros(20_000, np.uint64), np.packbits(numbers > 0, axis=1)
    vectors = Vectors(np.arange(20_000), nothing, signs, codes, scales, numbers.astype(np.float16))
    mask = np.ones(20_000, bool)
    mask[::3] = False
    found = []
    for asked in numbers[:50]:
        likely = set(vectors.likely(asked, mask).tolist())
        assert len(likely) < 8_000
        nearest = np.argsort(-(numbers @ asked) - 9 * mask)[:20]
        found.append(len(likely.intersection(nearest.tolist())) / 20)
    assert np.mean(found) > 0.99
