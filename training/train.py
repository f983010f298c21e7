"""Step 3: starting weights, papers and a teacher's vectors → the weights that ship.

    python training/train.py PAPERS... --start start.npz [--teacher teacher.npz] --out static.npz

One core, one process. Two losses on one table of vectors, summed over the rows of a text:

- a text must find its own paper among a batch's (InfoNCE both ways): title ↔ abstract, a sentence ↔ the rest,
  half of the sentences ↔ the other half. Half of a batch comes from clusters of like papers, so that the
  others in it are hard to tell apart; clusters are made anew each epoch with what has been learned.
- texts must be as near to each other as the teacher has them (KL of the softmax over a batch), so that words
  outside the field keep their sense. Where the text is a title, its whole paper may stand for it.

A share of the stems is written in pieces in every batch, so that pieces learn too. The weights are the mean
of the last fifth's.
"""

from __future__ import annotations

import argparse
import logging
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import torch
from bag import Bag, Mix, Pieces, Shelf, draw_pairs, shelve
from lesson import read_lessons
from torch.nn import functional
from weights import load, save

from lunwen.retrieval.encoder.static import StaticEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bag import Rows
    from lesson import Lesson
    from numpy.typing import NDArray
    from torch import Tensor

_MEAN_FROM = 0.8  # of the run
_MEAN_EVERY = 20  # steps


@dataclass(frozen=True, kw_only=True)  # no slots: its defaults are the options'
class Plan:
    """What a run is."""

    minutes: float = 8.0  # of processor time
    seed: int = 1
    rate: float = 2e-3
    batch: int = 2048
    group: int = 128  # papers of a cluster side by side
    temperature: float = 0.05
    spelt: float = 0.08
    teacher: float = 0.5  # weight of its loss
    teacher_batch: int = 1024
    teacher_group: int = 64
    whole: float = 0.5  # of the titles: the paper stands for it


class Run:
    """The table of vectors and how it learns."""

    def __init__(self, plan: Plan, vectors: NDArray[np.float32], pieces: Pieces) -> None:
        self.plan = plan
        self.chance = np.random.default_rng(plan.seed)
        self._pieces = pieces
        lengths = np.linalg.norm(vectors, axis=1)
        self.table = torch.nn.Parameter(torch.tensor(vectors / lengths[lengths > 0].mean()))
        self.adam = torch.optim.Adam([self.table], lr=plan.rate, betas=(0.9, 0.99), fused=True)

    def embed(self, bag: Bag) -> Tensor:
        """Return unit vectors of texts."""
        order = np.argsort(bag.text, kind="stable")
        starts = np.zeros(bag.count, np.int64)
        np.cumsum(np.bincount(bag.text, minlength=bag.count)[:-1], out=starts[1:])
        rows = torch.from_numpy(bag.row[order])
        sums = functional.embedding_bag(rows, self.table, torch.from_numpy(starts), mode="sum")
        return functional.normalize(sums, dim=1, eps=1e-6)

    def contrast(self, shelf: Shelf, papers: Rows) -> Tensor:
        """Return the loss of finding each paper by a text of it."""
        asks, answers = draw_pairs(shelf, papers, Mix(), self.chance)
        asked, answered = self.embed(self._spell(asks)), self.embed(self._spell(answers))
        near = asked @ answered.T / self.plan.temperature
        own = torch.arange(len(papers))
        return (functional.cross_entropy(near, own) + functional.cross_entropy(near.T, own)) / 2

    def imitate(self, bag: Bag, taught: Tensor) -> Tensor:
        """Return how far the nearness of texts is from the teacher's."""
        vectors = self.embed(self._spell(bag))
        oneself = torch.eye(bag.count, dtype=torch.bool)
        theirs = (taught @ taught.T / self.plan.temperature).masked_fill(oneself, -1e4).log_softmax(1)
        ours = (vectors @ vectors.T / self.plan.temperature).masked_fill(oneself, -1e4).log_softmax(1)
        return functional.kl_div(ours, theirs, reduction="batchmean", log_target=True)

    def _spell(self, bag: Bag) -> Bag:
        return self._pieces.mix_in(bag, self.plan.spelt, self.chance)

    def embed_all(self, shelf: Shelf, papers: Rows) -> NDArray[np.float32]:
        """Return unit vectors of whole papers."""
        with torch.no_grad():
            parts = np.array_split(papers, max(1, len(papers) // 4096))
            return np.concatenate([self.embed(shelf.take(part)[0]).numpy() for part in parts])

    def order(self, vectors: NDArray[np.float32], clusters: int, group: int) -> Rows:
        """Return all numbers in an order in which runs of ``group`` are of one cluster."""
        centres = vectors[self.chance.choice(len(vectors), min(clusters, len(vectors)), replace=False)]
        for _ in range(3):
            parts = np.array_split(vectors, max(1, len(vectors) // 8192))
            nearest = np.concatenate([(part @ centres.T).argmax(axis=1) for part in parts])
            for number in range(len(centres)):
                members = vectors[nearest == number]
                if len(members):
                    mean = members.mean(axis=0)
                    centres[number] = mean / max(np.linalg.norm(mean), 1e-6)
        sorted_ = np.lexsort((self.chance.random(len(vectors)), nearest))
        cuts = range(int(self.chance.integers(1, group + 1)), len(vectors), group)
        groups = np.split(sorted_, list(cuts))
        return np.concatenate([groups[place] for place in self.chance.permutation(len(groups))])


class Teacher:
    """A teacher's vectors of texts, some of them titles of papers on the shelf."""

    def __init__(self, file: Path, lessons: Sequence[Lesson], encoder: StaticEncoder) -> None:
        with np.load(file, allow_pickle=False) as held:
            texts = held["texts"].tobytes().decode().split("\n")
            self._vectors = held["vectors"].astype(np.float32)
        self._shelf = Shelf(((text,) for text in texts), encoder)
        paper = {lesson.title: number for number, lesson in enumerate(lessons) if lesson.sentences}
        self._paper = np.array([paper.get(text, -1) for text in texts])

    def batches(self, run: Run, shelf: Shelf) -> Iterator[tuple[Bag, Tensor]]:
        """Yield batches without end: half of each from clusters, half from everywhere."""
        plan, half = run.plan, run.plan.teacher_batch // 2
        while True:
            order = run.order(self._vectors, 200, plan.teacher_group)
            for start in range(0, len(order) - half, half):
                spread = run.chance.integers(0, len(order), half)
                texts = np.unique(np.concatenate([order[start : start + half], spread]))
                bag, _ = self._shelf.take(texts)
                whole = (self._paper[texts] >= 0) & (run.chance.random(len(texts)) < plan.whole)
                papers, _ = shelf.take(self._paper[texts[whole]])
                kept = ~whole[bag.text]
                text = np.concatenate([bag.text[kept], np.flatnonzero(whole)[papers.text]])
                row = np.concatenate([bag.row[kept], papers.row])
                yield Bag(text, row, len(texts)), torch.from_numpy(self._vectors[texts])


def main() -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("papers", nargs="+", type=Path)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--teacher", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=Plan.minutes)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(asked.seed)
    encoder = StaticEncoder(asked.start)
    vocabulary, vectors = load(asked.start)
    stems = len(vectors) - len(vocabulary.pieces) - len(vocabulary.pairs)
    lessons = list(read_lessons(asked.papers))
    run = Run(Plan(minutes=asked.minutes, seed=asked.seed), vectors, Pieces(vocabulary.words, encoder, stems))
    shelf = shelve(lessons, encoder)
    teacher = Teacher(asked.teacher, lessons, encoder) if asked.teacher else None
    logging.info("%d papers", len(lessons))
    trained = train(run, shelf, teacher, lambda part: save(asked.out, vocabulary, part))
    logging.info("revision %s", save(asked.out, vocabulary, trained))


def train(
    run: Run, shelf: Shelf, teacher: Teacher | None, checkpoint: Callable[[NDArray[np.float32]], object]
) -> NDArray[np.float32]:
    """Return the mean of the last fifth of the run; ``checkpoint`` gets the vectors now and then."""
    plan = run.plan
    papers = np.flatnonzero(shelf.parts_of > 2)  # a title and two sentences
    lessons = teacher.batches(run, shelf) if teacher else None
    epoch = _batches(run, shelf, papers)
    mean, means, start, step, done = torch.zeros_like(run.table), 0, process_time(), 0, 0.0
    while (done := (process_time() - start) / (60 * plan.minutes)) < 1:
        rate = plan.rate * (min(1, (step + 1) / 20) * (1 - done) + 0.02)
        for group in run.adam.param_groups:
            group["lr"] = rate
        loss = contrast = run.contrast(shelf, next(epoch))
        if lessons:
            loss = contrast + plan.teacher * run.imitate(*next(lessons))
        run.adam.zero_grad(set_to_none=True)
        loss.backward()
        run.adam.step()
        step += 1
        if step % 50 == 0:
            logging.info(
                "%.0f%% step %d contrast %.3f all %.3f", 100 * done, step, contrast.item(), loss.item()
            )
        if step % 500 == 0:
            checkpoint(run.table.detach().numpy())
        if done > _MEAN_FROM and step % _MEAN_EVERY == 0:
            means += 1
            mean += (run.table.detach() - mean) / means
    return (mean if means else run.table.detach()).numpy()


def _batches(run: Run, shelf: Shelf, papers: Rows) -> Iterator[Rows]:
    half = run.plan.batch // 2
    while True:
        order = papers[run.order(run.embed_all(shelf, papers), 400, run.plan.group)]
        for start in range(0, len(order) - half, half):
            yield np.unique(
                np.concatenate([order[start : start + half], run.chance.choice(papers, half, replace=False)])
            )


if __name__ == "__main__":
    main()
