"""Models in ONNX form, by onnxruntime: no PyTorch, no network."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.errors import CouldNot
from lunwen.retrieval.encoder.extra import need
from lunwen.retrieval.encoder.prompt import prompts_of
from lunwen.retrieval.encoder.revision import fingerprint
from lunwen.retrieval.encoder.unit import says_something, unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lunwen.retrieval.encoder import Kind

LONGEST = 256  # tokens of a text that are read
_BATCH = 16  # texts of about one length
_FORM = (
    "It needs a folder or an installed package with one .onnx file and its tokenizer.json, or two of them "
    "joined by +"
)


class OnnxEncoder:
    """Encodes with a sentence transformer that was exported to ONNX; an ``Encoder``.

    Args:
        named: a folder, a file or an installed package, or several of them joined by "+": the model is taken
            from the first that holds one, and so is the tokenizer.

    Raises:
        CouldNot: onnxruntime, the model or its tokenizer is missing, or does not work.
    """

    def __init__(self, named: str) -> None:
        runtime, tokenizers = need("onnxruntime", "onnx"), need("tokenizers", "onnx")
        places = _places(named)
        model = _find(places, "*.onnx", named)
        split = _find(places, "tokenizer.json", named)
        self._pool = _mean if _pools_by_mean(places) else _first
        try:
            options = runtime.SessionOptions()
            options.log_severity_level = 3  # errors; warnings would go to the terminal
            # threads that wait for each other sleep: spinning halves the speed of busy cores
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._inputs = {given.name for given in self._session.get_inputs()}
            self._tokenizer = tokenizers.Tokenizer.from_file(str(split))
            self._tokenizer.enable_truncation(LONGEST)
            self._tokenizer.enable_padding()
            self._prompts = prompts_of(f"{named} {model}")
            self.dimensions = self._run(["a"]).shape[1]
            revision = fingerprint((model, split))
        except Exception as error:  # both libraries raise that very class, or kinds derived from nothing else
            reason = " ".join(str(error).split())[:200]
            raise CouldNot(f'the encoder in "{model}" does not work ({reason}). {_FORM}') from error
        self.contract = (
            f"onnx-{revision}/{self.dimensions}/{self._prompts}/{self._pool.__name__[1:]}-{LONGEST}-l2"
        )

    def encode(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """Return one row per text, of length one; a text that says nothing is a row of zeros."""
        prompt = self._prompts.before(kind)
        return unit_rows(texts, self.dimensions, lambda said: self._encode([prompt + text for text in said]))

    def knows(self, text: str) -> bool:
        """Whether there is anything to encode."""
        return says_something(text)

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        rows = np.empty((len(texts), self.dimensions), np.float32)
        by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(texts), _BATCH):
            places = by_length[start : start + _BATCH]
            rows[places] = self._run([texts[place] for place in places])
        return rows

    def _run(self, texts: list[str]) -> NDArray[np.float32]:
        split = self._tokenizer.encode_batch(texts)
        mask = np.array([one.attention_mask for one in split], np.int64)
        given = {
            "input_ids": np.array([one.ids for one in split], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        answer = self._session.run(None, {name: given[name] for name in self._inputs})
        pooled = next((array for array in answer if array.ndim == 2), None)
        return self._pool(answer[0], mask) if pooled is None else pooled.astype(np.float32)


def _mean(hidden: NDArray[Any], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    weights = mask[:, :, None].astype(np.float32)
    return np.asarray((hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1), np.float32)


def _first(hidden: NDArray[Any], _mask: NDArray[np.int64]) -> NDArray[np.float32]:
    return np.asarray(hidden[:, 0], np.float32)


def _places(named: str) -> list[Path]:
    parts = [named] if Path(named).expanduser().exists() else named.split("+")
    return [_place(part.strip()) for part in parts]


def _place(part: str) -> Path:
    path = Path(part).expanduser()
    if path.exists():
        return path
    module = part.replace("-", "_")
    spec = find_spec(module) if module.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        raise CouldNot(f'no encoder in "{part}": neither a folder nor an installed package. {_FORM}')
    return Path(spec.submodule_search_locations[0])


def _search(places: list[Path], pattern: str) -> list[Path]:
    """Return the files in the first place that has any, in it or one folder down."""
    for place in places:
        folder = place if place.is_dir() else place.parent
        found = [place] if place.match(pattern) else [*folder.glob(pattern), *folder.glob(f"*/{pattern}")]
        if found:
            return sorted(found)
    return []


def _find(places: list[Path], pattern: str, named: str) -> Path:
    found = _search(places, pattern)
    usual = [file for file in found if file.name == "model.onnx"] or found
    if len(usual) == 1:
        return usual[0]
    several = f"several ({', '.join(file.name for file in usual)}), name the one" if usual else "none there"
    raise CouldNot(f'no {pattern} in "{named}": {several}. {_FORM}')


def _pools_by_mean(places: list[Path]) -> bool:
    """Return whether a text's vector is the mean of its tokens'; a few models take the first token's."""
    for file in _search(places, "1_Pooling/config.json"):
        try:
            return not json.loads(file.read_bytes()).get("pooling_mode_cls_token", False)
        except (OSError, ValueError, AttributeError):
            continue
    return True
