"""Backward Conformal Prediction.

Problem. A conformal classifier is given a coverage and answers with a set as large as it must be; a doctor
who can follow up two diagnoses has no use for a set of five.

Idea. Turn it round: a rule says for each input how many labels the set may hold, and the level of
miscoverage follows from the data. Because that level is chosen after looking, p-values no longer protect it;
e-values do. What the level is on average is estimated from the calibration rows alone, each seen as a test
point of the others.

    E(y)  = (n + 1) S(x, y) / (S_1 + ... + S_n + S(x, y))
    alpha = inf{a in (0, 1): #{y: E(y) < 1/a} <= T}
    C(x)  = {y: E(y) < 1/alpha}

S is a score of at least 0, large where a label fits badly (here -log of its probability); S_i are the scores
of the n calibration rows with their own labels; E(y) is the e-value of label y, of expectation 1 for the true
one; T is the size that the rule allows; alpha the miscoverage that follows. With E_(1) <= ... <= E_(K),
alpha = min(1, 1/E_(T+1)) and C = {y: E(y) < E_(T+1)}; alpha = 0 and C = all labels where T = K.
Exactly, E[1{Y not in C} E_(T+1)] <= 1, which is E[1{Y not in C}/alpha] <= 1 where alpha is below 1; to first
order P(Y in C) >= 1 - E[alpha].

Differs from the paper. (The method was read from the authors' code and the public abstract page.)
1. The level comes from the sorted e-values; the authors' code bisects it to .005.
2. Leaving one row out uses the factor n for the n - 1 others and the row; the code keeps n + 1.
3. Neighbouring labels: k neighbours for test points as for calibration points (the code takes k + 1), and
   sizes end at max_size where a test point's entropy is beyond all calibration points' (the code goes on).
4. INFERRED: where E_(T+1) < 1, so that no alpha below 1 keeps to the rule, alpha is 1 and promises nothing.

Not covered. Other losses than miscoverage; fitting the classifier, which comes fitted. "To first order" is
meant: where scores are mostly tiny and a few are huge, coverage can stay a little below 1 - E[alpha].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods.conformal._given import labels, rows, scores
from lunwen.methods.conformal._noisy_digits import NoisyDigits, covered, sets_by_p_values
from lunwen.methods.conformal._size_rule import (
    ConstantSize,
    NeighbourEntropySize,
    SizeRule,
    checked_sizes,
    leave_one_out_sizes,
    rule_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Levels = dict[tuple[int, int], list[tuple[Floats, ...]]]

__all__ = [
    "BackwardConformalClassifier",
    "ConstantSize",
    "NeighbourEntropySize",
    "SizeRule",
    "backward_sets",
    "e_values",
    "leave_one_out",
]

CARD = Card(
    paper_id="003-09",
    title="Backward Conformal Prediction",
    authors=("Etienne Gauthier", "Francis Bach", "Michael Jordan"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2505.13732",
    area="conformal",
    needs=("numpy", "scipy", "sklearn", "mapie"),
    seconds=45,
    example="""\
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.utils import shuffle
from lunwen.methods.conformal.backward_conformal import BackwardConformalClassifier

X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
model = LogisticRegression(max_iter=3000).fit(X[:600], y[:600])
backward = BackwardConformalClassifier(model, size_rule=2).fit_calibration(X[600:1200], y[600:1200])
sets, alpha = backward.predict_set(X[1200:])
print("largest set:", sets.sum(axis=1).max(), " covered:", sets[range(len(sets)), y[1200:]].mean())
print("promised from the calibration rows alone:", 1 - backward.loo_miscoverage())
""",
    unchecked=("CIFAR-10 with a trained network: noisy digits and logistic regression stand in for it.",),
)


def e_values(S_cal: Floats, S: Floats) -> Floats:
    """Return the e-values of all labels, shape (m, K).

    Args:
        S_cal: scores of the calibration rows with their own labels, shape (n,).
        S: scores of m rows with each label, shape (m, K).

    Raises:
        UsageError: a score is negative or not finite, there are none, or they have other shapes.
    """
    S_cal, S = scores(S_cal, 1), scores(S, 2)
    return _ratio(len(S_cal) + 1, S, S_cal.sum() + S)


def backward_sets(E: Floats, T: NDArray[Any] | int) -> tuple[NDArray[np.bool_], Floats]:
    """Return the sets, shape (m, K), and the miscoverage of each, shape (m,).

    Args:
        E: e-values, shape (m, K).
        T: the largest size of each row's set, from 1 to K.

    Raises:
        UsageError: an e-value is negative or not finite, there are none, or a size is outside 1 to K.
    """
    E = scores(E, 2)
    m, K = E.shape
    sizes = checked_sizes(T, m, K)
    ordered = np.concatenate([np.sort(E, axis=1), np.full((m, 1), np.inf)], axis=1)
    next_one = ordered[np.arange(m), sizes]  # E_(T+1); infinite where T = K
    # compared with E_(T+1) itself: 1 / (1 / E) may be a hair above E and let one label too many in
    sets = np.less(E, next_one[:, None])
    return sets, 1 / np.maximum(next_one, 1)  # min(1, 1 / E_(T+1))


def leave_one_out(S_cal: Floats, S: Floats, T: NDArray[Any] | int) -> Floats:
    """Return the miscoverage of each calibration row as a test point of the n - 1 others, shape (n,).

    Args:
        S_cal: scores of the calibration rows with their own labels, shape (n,).
        S: their scores with each label, shape (n, K).
        T: the size of each row's set.

    Raises:
        UsageError: a score is negative or not finite, there are none, or they or T do not fit each other.
    """
    S_cal, S = scores(S_cal, 1), scores(S, 2)
    if len(S_cal) != len(S):
        raise UsageError(f"S_cal has {len(S_cal)} rows, S has {len(S)}. Give the scores of the same rows")
    before, after = (np.cumsum(np.append(0, one[:-1])) for one in (S_cal, S_cal[::-1]))
    others = before + after[::-1]  # a row's own score is never subtracted: it may dwarf the others
    return backward_sets(_ratio(len(S_cal), S, others[:, None] + S), T)[1]


class BackwardConformalClassifier(BaseEstimator):  # type: ignore[misc]
    """Prediction sets of a size that you choose, with the miscoverage that follows.

    Args:
        estimator: a fitted classifier with ``predict_proba`` and ``classes_``.
        score: "cross_entropy", or a function from probabilities (m, K) to scores (m, K) of at least 0.
        size_rule: the size of every set, or a rule from the calibration rows and new rows to sizes.

    Attributes:
        classes_: the K labels, in the order of a set's columns.
        calibration_scores_: the scores of the calibration rows with their own labels.
    """

    def __init__(
        self,
        estimator: Any,
        score: str | Callable[[Floats], Floats] = "cross_entropy",
        size_rule: int | SizeRule = 1,
    ) -> None:
        self.estimator = estimator
        self.score = score
        self.size_rule = size_rule

    def fit_calibration(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Keep the scores of rows that the estimator was not fitted on.

        Raises:
            UsageError: the estimator gives no probabilities, X holds no numbers, or y does not fit it.
        """
        if not hasattr(self.estimator, "predict_proba") or not hasattr(self.estimator, "classes_"):
            raise UsageError(
                f"estimator {type(self.estimator).__name__} has no predict_proba and classes_. "
                "Give a classifier that is fitted and has both"
            )
        self._X = rows(X)
        self.classes_ = np.asarray(self.estimator.classes_)
        place = labels(y, self.classes_, len(self._X))
        if len(place) < 2:
            raise UsageError("1 calibration row was given. Give at least 2; a hundred give a usable estimate")
        self._y, self._S = np.asarray(y), self._all_scores(X)
        self.calibration_scores_ = self._S[np.arange(len(place)), place]
        return self

    def predict_set(self, X: ArrayLike) -> tuple[NDArray[np.bool_], Floats]:
        """Return for each row which labels are in its set, shape (m, K), and the miscoverage, shape (m,).

        Raises:
            NotFittedError: fit_calibration was not called.
            UsageError: X holds no numbers, or the rule gives a size outside 1 to K.
        """
        self._check()
        given = rows(X)
        E = e_values(self.calibration_scores_, self._all_scores(X))
        return backward_sets(E, np.asarray(rule_of(self.size_rule)(self._X, self._y, given)))

    def loo_miscoverage(self) -> float:
        """Return the estimate of E[alpha] from the calibration rows: coverage is about 1 less it, or more.

        Raises:
            NotFittedError: fit_calibration was not called.
        """
        self._check()
        sizes = leave_one_out_sizes(rule_of(self.size_rule), self._X, self._y)
        return float(leave_one_out(self.calibration_scores_, self._S, sizes).mean())

    def _check(self) -> None:
        if not hasattr(self, "calibration_scores_"):
            raise NotFittedError("the classifier is not calibrated yet. Call fit_calibration(X, y) first")

    def _all_scores(self, X: ArrayLike) -> Floats:
        named = hasattr(X, "columns")  # the estimator may know the columns of a table by name
        p = scores(self.estimator.predict_proba(X if named else rows(X)), 2)  # (m, K)
        if self.score == "cross_entropy":
            return -np.log(np.clip(p, np.finfo(np.float64).tiny, 1))
        if not callable(self.score):
            raise UsageError(f'score is {self.score!r}. Allowed: "cross_entropy" or a function')
        S = scores(self.score(p), 2)
        if S.shape != p.shape:
            raise UsageError(f"score gives shape {S.shape}. Give one for each of {p.shape} probabilities")
        return S


@claim(
    says="Sets never hold more labels than the rule allows, whatever the data.",
    where="abstract",
    kind="identity",
)
def size_is_kept(trials: Trials) -> Evidence:
    """The control fixes what coverage T = 2 reaches instead, as split conformal prediction (MAPIE) does."""
    rules: dict[str, int | SizeRule] = {"T = 1": 1, "T = 2": 2, "neighbours' entropy": NeighbourEntropySize()}
    beyond: dict[str, list[float]] = {name: [] for name in rules}
    split, seen = [], []
    for seed in trials:
        digits = NoisyDigits(seed)
        for name, rule in rules.items():
            cal, test = digits.draw(200), digits.draw(400)
            sets, alpha = _calibrated(digits, cal, rule).predict_set(digits.X[test])
            allowed = rule(digits.X[cal], digits.y[cal], digits.X[test]) if callable(rule) else rule
            beyond[name].append(float((sets.sum(axis=1) - allowed).max()))
            if name == "T = 2":
                y, promised = digits.y[test], 1 - float(alpha.mean())
                ours = covered(sets, y)
                reached, same = (digits.split_sets(cal, test, level) for level in (ours, promised))
                split.append(float(reached.sum(axis=1).max()) - 2)
                seen.append((promised, ours, sets.sum(1).mean(), covered(same, y), same.sum(1).mean()))
    what = "largest size less allowed,"
    promised, ours, size, theirs, their_size = np.mean(seen, axis=0)
    note = (
        f"Where both promise {promised:.3f}, ours (T = 2) is more conservative: it covers {ours:.3f} "
        f"with {size:.2f} labels on average, split conformal {theirs:.3f} with {their_size:.2f}."
    )
    return Evidence(
        findings=tuple(
            Finding(what=f"{what} {name}", values=tuple(over), limit=0, side="<=", spread="every")
            for name, over in beyond.items()
        ),
        control=Finding(what=f"{what} T = 2, split conformal", values=tuple(split), limit=0, side="<="),
        notes=(note,),
    )


@claim(
    says="Coverage is at least 1 - E[alpha], to first order, though alpha is chosen after seeing the data.",
    where="abstract",
    kind="bound",
)
def coverage(trials: Trials) -> Evidence:
    """The control chooses its level after looking by conformal p-values in the place of e-values."""
    found = _levels(trials, ((50, 1), (100, 1), (100, 2), (400, 2)))
    spare: dict[str, list[float]] = {"n = 100, neighbours' entropy": []}
    for (n, T), seeds in found.items():
        spare[f"n = {n}, T = {T}"] = [alpha.mean() - missed.mean() for missed, alpha, _, _ in seeds]
    for seed in trials:
        digits, gaps = NoisyDigits(seed), []
        for _ in range(trials.pick(fast=20, full=100)):
            cal, test = digits.draw(100), digits.draw(100)
            sets, alpha = _calibrated(digits, cal, NeighbourEntropySize()).predict_set(digits.X[test])
            gaps.append(covered(sets, digits.y[test]) - 1 + float(alpha.mean()))
        spare["n = 100, neighbours' entropy"].append(sum(gaps) / len(gaps))
    by_p = [alpha.mean() - missed.mean() for _, _, missed, alpha in found[50, 1]]
    what = "coverage less 1 - E[alpha],"
    return Evidence(
        findings=tuple(
            Finding(what=f"{what} {cell}", values=numbers(values), limit=0, side=">=")
            for cell, values in spare.items()
        ),
        control=Finding(what=f"{what} by p-values, n = 50, T = 1", values=numbers(by_p), limit=0, side=">="),
    )


@claim(
    says="The e-values pay for choosing alpha after the fact: E[1{Y not in C} / alpha] is at most 1.",
    where="abstract",
    kind="bound",
)
def post_hoc(trials: Trials) -> Evidence:
    """The control divides by a level chosen after looking by conformal p-values."""
    found = _levels(trials, ((50, 1), (100, 2), (400, 1)))
    paid = {cell: [(missed / alpha).mean() for missed, alpha, _, _ in seeds] for cell, seeds in found.items()}
    by_p = [(missed / alpha).mean() for _, _, missed, alpha in found[400, 1]]
    what = "E[1{miss} / alpha],"
    return Evidence(
        findings=tuple(
            Finding(what=f"{what} n = {n}, T = {T}", values=numbers(values), limit=1, side="<=")
            for (n, T), values in paid.items()
        ),
        control=Finding(what=f"{what} by p-values, n = 400, T = 1", values=numbers(by_p), limit=1, side="<="),
    )


@claim(
    says="Leaving out one calibration row at a time estimates E[alpha], with an error that falls as n^-1/2.",
    where="abstract; the rate is not in it",
    kind="number",
)
def leave_one_out_estimates(trials: Trials) -> Evidence:
    """The control makes the same estimate from rows that the classifier was fitted on."""
    lengths = (50, 100, 400)
    gaps: dict[str, list[float]] = {f"n = {n}": [] for n in lengths}
    gaps["fitted rows, n = 100"] = []
    spread: dict[int, list[float]] = {n: [] for n in lengths}
    for seed in trials:
        digits = NoisyDigits(seed)
        for name, n in zip(gaps, (*lengths, 100), strict=True):
            y, S = digits.fitted if "fitted" in name else (digits.y, digits.S)
            estimates, actual = [], []
            for S_cal, S_test, _ in digits.splits(n, trials.pick(fast=150, full=2000)):
                some = digits.rng.integers(len(y), size=n)  # another n than S_cal: the two errors add up
                estimates.append(leave_one_out(S[some, y[some]], S[some], 1).mean())
                actual.append(backward_sets(e_values(S_cal, S_test), 1)[1].mean())
            gaps[name] += numbers(np.subtract(estimates, actual))
            if "fitted" not in name:
                spread[n].append(float(np.std(estimates, ddof=1)))
    # one test of all seeds' signed gaps: they cancel where chance alone makes them
    far = {name: float(abs(np.mean(gap)) * len(gap) ** 0.5 / np.std(gap)) for name, gap in gaps.items()}
    what = "|estimate - E[alpha]| in standard errors, all seeds,"
    *own, fitted = (
        Finding(what=f"{what} {name}", values=(z,), limit=3, side="<=", spread="every")
        for name, z in far.items()
    )
    shrinks = numbers(np.divide(spread[50], spread[400]))
    means, rate = numbers(np.mean(list(spread.values()), axis=1)), np.sqrt(np.divide(50, lengths))
    return Evidence(
        findings=(
            *own,
            Finding(what="spread at n = 50 over n = 400, least", values=shrinks, limit=2, side=">="),
            Finding(what="spread at n = 50 over n = 400, most", values=shrinks, limit=4, side="<="),
        ),
        control=fitted,
        picture=Picture(
            x="calibration rows n",
            y="standard deviation of the estimate",
            log="xy",
            curves=(
                Curve(label="T = 1", x=numbers(lengths), y=means),
                Curve(label="n^-1/2", x=numbers(lengths), y=numbers(rate * means[0]), dashed=True),
            ),
        ),
    )


def _levels(trials: Trials, cells: tuple[tuple[int, int], ...]) -> Levels:
    """Return for each (n, T), per seed, misses and levels by e-values, then misses and levels by p-values."""
    levels: Levels = {cell: [] for cell in cells}
    for seed in trials:
        digits, each = NoisyDigits(seed), np.arange(20)
        for (n, T), seeds in levels.items():
            found = []
            for S_cal, S, y in digits.splits(n, trials.pick(fast=100, full=2000)):
                sets, alpha = backward_sets(e_values(S_cal, S), T)
                p_sets, p_alpha = sets_by_p_values(S_cal, S, T)
                found.append((~sets[each, y], alpha, ~p_sets[each, y], p_alpha))
            seeds.append(tuple(np.concatenate(one).astype(np.float64) for one in zip(*found, strict=True)))
    return levels


def _calibrated(
    digits: NoisyDigits, cal: NDArray[np.int64], rule: int | SizeRule
) -> BackwardConformalClassifier:
    backward = BackwardConformalClassifier(digits.model, size_rule=rule)
    return backward.fit_calibration(digits.X[cal], digits.y[cal])


def _ratio(factor: int, S: Floats, total: Floats) -> Floats:
    """Return factor * S / total; 1 where all scores are 0, as for any scores that are equal."""
    return np.divide(factor * S, total, out=np.ones_like(S), where=total > 0)
