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
Exactly, E[1{Y not in C} E_(T+1)] <= 1, so that E[1{Y not in C, alpha < 1}/alpha] <= 1; to first order
P(Y in C) >= 1 - E[alpha].

Differs from the paper. (The method was read from the authors' code and the public abstract page.)
1. The level comes from the sorted e-values; the authors' code bisects it to .005.
2. Leaving one row out uses the factor n for the n - 1 others and the row; the code keeps n + 1. A rule of
   sizes is asked anew for each row, so that its plane and neighbours do not know the row either.
3. Neighbouring labels: k neighbours for test points as for calibration points (the code takes k + 1), and
   sizes end at max_size where a test point's entropy is beyond all calibration points' (the code goes on).
4. INFERRED: where E_(T+1) < 1, so that no alpha below 1 keeps to the rule, alpha is 1 and promises nothing.

Not covered. Other losses than miscoverage; fitting the classifier, which comes fitted. Labels of equal scores
fall out of a set together, which leaves it empty where they come first. "To first order" is meant, and can be
far off: where few rows are doubtful, alpha is large just where misses happen, and there are far more of them
than E[alpha]. What holds always is E[1{Y not in C, alpha < 1}/alpha] <= 1; INFERRED from it, by Cauchy and
Schwarz: P(Y not in C, alpha < 1) <= E[alpha]^1/2.
"""
# Longer than 400 lines: four claims, each with the data on which it is weakest.

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import indexable

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods._given import array
from lunwen.methods.conformal._labelled_rows import (
    DATA,
    covered,
    sets_by_p_values,
    split_sets,
    tried,
)
from lunwen.methods.conformal._labels import places
from lunwen.methods.conformal._size_rule import (
    ConstantSize,
    NeighbourEntropySize,
    SizeRule,
    checked_sizes,
    leave_one_out_sizes,
    rule_of,
    takes,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from lunwen.methods.conformal._labelled_rows import Pool

    Floats = NDArray[np.float64]
    Sets = NDArray[np.bool_]

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
    seconds=75,
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
print("estimated from the calibration rows alone:", 1 - backward.loo_miscoverage())
""",
    unchecked=(
        "CIFAR-10 with a trained network: noisy digits and logistic regression stand in for it.",
        "The levels on CIFAR-10 that the authors' code has saved.",
    ),
)

HUGE = 1e100  # scores up to here can be summed


def e_values(S_cal: ArrayLike, S: ArrayLike) -> Floats:
    """Return the e-values of all labels, shape (m, K).

    Args:
        S_cal: scores of the calibration rows with their own labels, shape (n,).
        S: scores of m rows with each label, shape (m, K).

    Raises:
        UsageError: a score is negative, huge or no number, there are none, or they have other shapes.
    """
    own, each = _scores("S_cal", S_cal, 1), _scores("S", S, 2)
    return _ratio(len(own) + 1, each, own.sum() + each)


def backward_sets(E: ArrayLike, T: ArrayLike) -> tuple[Sets, Floats]:
    """Return the sets, shape (m, K), and the miscoverage of each, shape (m,).

    Args:
        E: e-values, shape (m, K).
        T: the largest size of each row's set, from 1 to K, or of all.

    Raises:
        UsageError: an e-value is negative, huge or no number, there are none, or a size is outside 1 to K.
    """
    e = _scores("E", E, 2)
    m, K = e.shape
    sizes = checked_sizes(T, m, K)
    ordered = np.concatenate([np.sort(e, axis=1), np.full((m, 1), np.inf)], axis=1)
    next_one = ordered[np.arange(m), sizes]  # E_(T+1); infinite where T = K
    # compared with E_(T+1) itself: 1 / (1 / E) may be a hair above E and let one label too many in
    sets = np.less(e, next_one[:, None])
    return sets, 1 / np.maximum(next_one, 1)  # min(1, 1 / E_(T+1))


def leave_one_out(S_cal: ArrayLike, S: ArrayLike, T: ArrayLike) -> Floats:
    """Return the miscoverage of each calibration row as a test point of the n - 1 others, shape (n,).

    Args:
        S_cal: scores of the calibration rows with their own labels, shape (n,).
        S: their scores with each label, shape (n, K).
        T: the size of each row's set, or of all.

    Raises:
        UsageError: a score is negative, huge or no number, there are none, or they do not fit each other.
    """
    own, each = _scores("S_cal", S_cal, 1), _scores("S", S, 2)
    if len(own) != len(each):
        raise UsageError(f"S_cal has {len(own)} rows, S has {len(each)}. Give the scores of the same rows")
    before, after = (np.cumsum(np.append(0, one[:-1])) for one in (own, own[::-1]))
    others = before + after[::-1]  # a row's own score is never subtracted: it may dwarf the others
    return backward_sets(_ratio(len(own), each, others[:, None] + each), T)[1]


class BackwardConformalClassifier(BaseEstimator):  # type: ignore[misc]
    """Prediction sets of a size that you choose, with the miscoverage that follows.

    Rows reach the estimator and the rule as they are given: text, tables, sparse rows.

    Args:
        estimator: a fitted classifier with ``predict_proba`` and ``classes_``; ``sklearn.base.clone`` leaves
            it fitted only inside a ``sklearn.frozen.FrozenEstimator``.
        score_function: "cross_entropy", or from probabilities (m, K) to scores (m, K) of at least 0.
        size_rule: the size of every set, or a rule from the calibration rows, their labels and new rows to
            sizes.

    Attributes:
        classes_: the K labels, in the order of a set's columns.
        calibration_scores_: the scores of the calibration rows with their own labels.
    """

    def __init__(
        self,
        estimator: Any,
        score_function: str | Callable[[Floats], Floats] = "cross_entropy",
        size_rule: int | SizeRule = 1,
    ) -> None:
        self.estimator = estimator
        self.score_function = score_function
        self.size_rule = size_rule

    def fit_calibration(self, X: Any, y: ArrayLike) -> Self:
        """Keep the scores of rows that the estimator was not fitted on.

        Raises:
            UsageError: the estimator gives no probabilities or does not take X, y does not fit it, or there
                is no set of the size asked for.
        """
        if not hasattr(self.estimator, "predict_proba") or not hasattr(self.estimator, "classes_"):
            raise UsageError(
                f"estimator {type(self.estimator).__name__} has no predict_proba and classes_. "
                "Give a classifier that is fitted and has both"
            )
        rule = rule_of(self.size_rule)
        self._X, self._S = self._scored(X)
        n, K = self._S.shape
        self.classes_ = np.asarray(self.estimator.classes_)
        if self.classes_.shape != (K,):
            raise UsageError(
                f"predict_proba gives {K} columns, classes_ has shape {self.classes_.shape}. "
                "Give a classifier in which they agree"
            )
        place = places(y, self.classes_, n)
        if n < 2:
            raise UsageError("1 calibration row was given. Give at least 2; a hundred give a usable estimate")
        if isinstance(rule, ConstantSize):
            checked_sizes(rule.T, n, K)
        self._y = np.asarray(y)
        self.calibration_scores_ = self._S[np.arange(n), place]
        return self

    fit = fit_calibration  # the name by which cross-validation calls it

    def predict_set(self, X: Any) -> tuple[Sets, Floats]:
        """Return for each row which labels are in its set, shape (m, K), and the miscoverage, shape (m,).

        Raises:
            NotFittedError: fit_calibration was not called.
            UsageError: the estimator does not take X, or the rule gives a size outside 1 to K.
        """
        self._check()
        rows, S = self._scored(X)
        E = e_values(self.calibration_scores_, S)
        return backward_sets(E, rule_of(self.size_rule)(self._X, self._y, rows))

    def score(self, X: Any, y: ArrayLike) -> float:
        """Return the share of rows whose label is in their set.

        Raises:
            NotFittedError: fit_calibration was not called.
            UsageError: the estimator does not take X, y does not fit it, or the rule gives no size.
        """
        sets, _ = self.predict_set(X)
        return covered(sets, places(y, self.classes_, len(sets)))

    def loo_miscoverage(self) -> float:
        """Return the estimate of E[alpha] from the calibration rows, each a test point of the n - 1 others.

        A rule other than a constant size is asked once for each row: with ``NeighbourEntropySize`` a second
        for 200 rows, minutes for thousands.

        Raises:
            NotFittedError: fit_calibration was not called.
            UsageError: the rule gives a size outside 1 to K.
        """
        self._check()
        sizes = leave_one_out_sizes(rule_of(self.size_rule), self._X, self._y)
        return float(leave_one_out(self.calibration_scores_, self._S, sizes).mean())

    def _check(self) -> None:
        if not hasattr(self, "calibration_scores_"):
            raise NotFittedError("the classifier is not calibrated yet. Call fit_calibration(X, y) first")

    def _scored(self, X: Any) -> tuple[Any, Floats]:
        """Return X as it can be indexed, and the scores of its rows with each label, shape (m, K)."""
        try:
            (X,) = indexable(X.detach().cpu().numpy() if hasattr(X, "detach") else X)
            given = self.estimator.predict_proba(X)
        except (AttributeError, TypeError, ValueError) as error:
            why = str(error).split("\n", 1)[0].rstrip(".:")
            raise UsageError(
                f"the estimator does not take X: {why}. Give rows like those it was fitted on"
            ) from error
        p = _scores("predict_proba(X)", given, 2)  # (m, K)
        scored = self.score_function
        if isinstance(scored, str) and scored == "cross_entropy":
            return X, -np.log(np.clip(p, np.finfo(np.float64).tiny, 1))
        if not callable(scored) or not takes(scored, 1):
            raise UsageError(
                f'score_function is {scored!r}. Give "cross_entropy" or a function of probabilities'
            )
        S = _scores("score_function(p)", scored(p), 2)
        if S.shape != p.shape:
            raise UsageError(
                f"score_function gives shape {S.shape}. Give one for each of {p.shape} probabilities"
            )
        return X, S


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
        digits = DATA["digits"](seed)
        for name, rule in rules.items():
            cal, test = digits.draw(200), digits.draw(400)
            sets, alpha = _calibrated(digits, cal, rule).predict_set(digits.X[test])
            allowed = rule(digits.X[cal], digits.y[cal], digits.X[test]) if callable(rule) else rule
            beyond[name].append(float((sets.sum(axis=1) - allowed).max()))
            if name == "T = 2":
                y, expected = digits.y[test], 1 - float(alpha.mean())
                ours = covered(sets, y)
                reached, same = (split_sets(digits, cal, test, level) for level in (ours, expected))
                split.append(float(reached.sum(axis=1).max()) - 2)
                seen.append((expected, ours, sets.sum(1).mean(), covered(same, y), same.sum(1).mean()))
    what = "largest size less allowed,"
    expected, ours, size, theirs, their_size = np.mean(seen, axis=0)
    note = (
        f"Where both are to cover {expected:.3f}, ours (T = 2) is more conservative: it covers {ours:.3f} "
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
    digits = (("digits", 50, 1), ("digits", 100, 1), ("digits", 100, 2), ("digits", 400, 2))
    others = (("breast cancer", 100, 1), ("a fifth doubtful", 50, 1), ("a fifth doubtful", 400, 1))
    found = tried(trials, (*digits, *others), _by_e_values)
    by_p = tried(trials, digits[:1], sets_by_p_values)
    found |= _by_neighbours(trials)
    spare = {cell: [alpha.mean() - missed.mean() for missed, alpha in seeds] for cell, seeds in found.items()}
    (control,) = [[alpha.mean() - missed.mean() for missed, alpha in seeds] for seeds in by_p.values()]
    missed, alpha = np.mean(found["a fifth doubtful, n = 400, T = 1"], axis=(0, 2))
    note = (
        f"There, with n = 400, it misses {missed:.3f} where E[alpha] is {alpha:.3f}: alpha is large just "
        "where misses happen. E[1{miss, alpha < 1} / alpha] <= 1 holds there too (the next claim)."
    )
    what = "coverage less 1 - E[alpha],"
    return Evidence(
        findings=tuple(
            Finding(what=f"{what} {cell}", values=numbers(values), limit=0, side=">=")
            for cell, values in spare.items()
        ),
        control=Finding(
            what=f"{what} {next(iter(by_p))}, by p-values", values=numbers(control), limit=0, side=">="
        ),
        notes=(
            "A fifth doubtful: a model is rightly sure of four rows in five and knows nothing of the others.",
            note,
        ),
    )


@claim(
    says="E-values pay for choosing alpha after the fact: E[1{Y not in C, alpha < 1} / alpha] is at most 1.",
    where="abstract",
    kind="bound",
)
def post_hoc(trials: Trials) -> Evidence:
    """The control divides by a level chosen after looking by conformal p-values."""
    digits = (("digits", 400, 1), ("digits", 50, 1), ("digits", 100, 2))
    others = (("breast cancer", 100, 1), ("a fifth doubtful", 400, 1), ("a fifth wrong", 100, 1))
    found = tried(trials, (*digits, *others), _by_e_values) | _by_neighbours(trials)
    ours, by_p = (
        [
            Finding(
                what=f"E[1{{miss, alpha < 1}} / alpha], {cell}",
                values=numbers((missed * (alpha < 1) / alpha).mean() for missed, alpha in seeds),
                limit=1,
                side="<=",
            )
            for cell, seeds in one.items()
        ]
        for one in (found, tried(trials, digits[:1], sets_by_p_values))
    )
    missed, alpha = np.mean(found["a fifth wrong, n = 100, T = 1"], axis=(0, 2))
    return Evidence(
        findings=tuple(ours),
        control=replace(by_p[0], what=f"{by_p[0].what}, by p-values"),
        notes=(
            "A fifth wrong: a model is rightly sure of four rows in five, and always wrong on the others.",
            f"There it misses {missed:.3f} where E[alpha] is {alpha:.3f}.",
        ),
    )


@claim(
    says="Leaving out one calibration row at a time estimates E[alpha], with an error that falls as n^-1/2.",
    where="abstract; the rate is not in it",
    kind="number",
)
def leave_one_out_estimates(trials: Trials) -> Evidence:
    """The control keeps each row among the calibration rows by which it is judged."""
    cells = (*(("digits", n) for n in (50, 100, 400, 1000)), ("a fifth doubtful", 100))
    gaps: dict[str, list[float]] = {}
    spread: dict[int, list[float]] = {n: [] for name, n in cells if name == "digits"}
    for seed in trials:
        for name, n in cells:
            pool, estimates, kept, actual = DATA[name](seed), [], [], []
            for S_cal, S_test, _ in pool.splits(n, trials.pick(fast=500, full=2000)):
                actual.append(backward_sets(e_values(S_cal, S_test), 1)[1].mean())
                rows = pool.draw(n)  # others than of S_cal: the two errors add up
                own, S = pool.S[rows, pool.y[rows]], pool.S[rows]
                estimates.append(leave_one_out(own, S, 1).mean())
                if n == 100:
                    kept.append(backward_sets(e_values(own, S), 1)[1].mean())
            gaps.setdefault(f"{name}, n = {n}", []).extend(np.subtract(estimates, actual))
            if n == 100:
                gaps.setdefault(f"{name}, n = {n}, row kept", []).extend(np.subtract(kept, actual))
            if name == "digits":
                spread[n].append(float(np.std(estimates, ddof=1)))
        pool = DATA["digits"](seed)
        for _ in range(trials.pick(fast=1, full=15)):
            backward = _calibrated(pool, pool.draw(60), NeighbourEntropySize())
            level = backward.predict_set(pool.X[pool.draw(200)])[1].mean()
            gaps.setdefault("digits, n = 60, neighbours' entropy", []).append(
                backward.loo_miscoverage() - level
            )
    # one test of all seeds' signed gaps: they cancel where chance alone makes them
    far = {name: float(abs(np.mean(gap)) * len(gap) ** 0.5 / np.std(gap)) for name, gap in gaps.items()}
    close = {
        name: Finding(
            what=f"|estimate - E[alpha]| in standard errors, all seeds, {name}",
            values=(z,),
            limit=3,
            side="<=",
            spread="every",
        )
        for name, z in far.items()
    }
    control, unseen = (close.pop(f"{name}, n = 100, row kept") for name in ("a fifth doubtful", "digits"))
    shrinking = "standard deviation of the estimate, n = 50 over n = 400"
    shrinks = numbers(np.divide(spread[50], spread[400]))
    lengths, means = numbers(spread), numbers(np.mean(list(spread.values()), axis=1))
    rate = numbers(means[0] * np.sqrt(np.divide(50, lengths)))
    return Evidence(
        findings=(
            *close.values(),
            Finding(what=f"{shrinking}, least", values=shrinks, limit=2, side=">="),
            Finding(what=f"{shrinking}, most", values=shrinks, limit=4, side="<="),
        ),
        control=control,
        notes=(
            f"On digits, n = 100, a row that is kept puts it {unseen.values[0]:.1f} standard errors off.",
        ),
        picture=Picture(
            x="calibration rows n",
            y="standard deviation of the estimate",
            log="xy",
            curves=(
                Curve(label="T = 1", x=lengths, y=means),
                Curve(label="n^-1/2", x=lengths, y=rate, dashed=True),
            ),
        ),
    )


def _by_neighbours(trials: Trials) -> dict[str, list[tuple[Floats, Floats]]]:
    """Return what ``tried`` does, for a rule that asks the neighbours."""
    seeds = []
    for seed in trials:
        pool, missed, alphas = DATA["digits"](seed), [], []
        for _ in range(trials.pick(fast=20, full=100)):
            cal, test = pool.draw(100), pool.draw(100)
            sets, alpha = _calibrated(pool, cal, NeighbourEntropySize()).predict_set(pool.X[test])
            missed.append(~sets[np.arange(len(test)), pool.y[test]])
            alphas.append(alpha)
        seeds.append((np.concatenate(missed).astype(np.float64), np.concatenate(alphas)))
    return {"digits, n = 100, neighbours' entropy": seeds}


def _by_e_values(S_cal: Floats, S: Floats, T: int) -> tuple[Sets, Floats]:
    return backward_sets(e_values(S_cal, S), T)


def _calibrated(pool: Pool, cal: NDArray[np.int64], rule: int | SizeRule) -> BackwardConformalClassifier:
    backward = BackwardConformalClassifier(pool.model, size_rule=rule)
    return backward.fit_calibration(pool.X[cal], pool.y[cal])


def _scores(name: str, S: ArrayLike, ndim: int) -> Floats:
    """Return scores, or what follows from them: neither negative, nor beyond what can be summed."""
    given = array(name, S, ndim=ndim)
    if given.min() < 0 or given.max() > HUGE:
        strange = given.min() if given.min() < 0 else given.max()
        raise UsageError(f"{name} holds {strange:g}. Give numbers of at least 0 and at most {HUGE:g}")
    return given


def _ratio(factor: int, S: Floats, total: Floats) -> Floats:
    """Return factor * S / total; 1 where all scores are 0, as for any scores that are equal."""
    return np.divide(factor * S, total, out=np.ones_like(S), where=total > 0)
