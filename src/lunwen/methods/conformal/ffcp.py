"""Accelerating Feature Conformal Prediction via Taylor Approximation.

Problem. Conformal prediction on the features of a network, rather than on its output, gives shorter bands,
but each score asks which features would have given the true answer (a descent), and each band how far the
output moves over a ball of features (bound propagation). Both are slow.

Idea. To first order an output that is off by r needs features that are off by r over the norm of the
gradient. So divide the residual by that norm: one backward pass gives the score, and the same norm turns the
quantile of the scores back into a band. It is wide where the output reacts strongly to the features.

    s(x, y) = |y - g(v)| / ||grad g(v)||,    v = h(x)
    C(x)    = g(v) +- ||grad g(v)|| Q

h is the encoder and g the head of the network, v the features; the norm is the dual of the one in which
features are close (2 for 2); Q is the ceil((n + 1)(1 - alpha))-th smallest score of n calibration rows. The
slow original (FCP): s(x, y) = inf{||u - v||: g(u) = y}, and C(x) all outputs of g on the ball of radius Q.

Differs from the paper. (Read from public copies of the authors' code of FCP, CQR, RAPS; the abstract.)
1. 1e-6 is added to each gradient norm (authors' code), so that a dead ReLU divides by something.
2. INFERRED: a vector of outputs has the largest of its scores, so that the band covers all outputs at once.
3. FCP bounds the head by interval propagation alone (the code's default; it also offers CROWN), and stops its
   search for the number of steps at the first one that covers (the code tries all 200, with the same result,
   and wants more than 1 - alpha where here 1 - alpha is enough).
4. Classification follows the authors' code, not the formula: it adds delta times the gradient norm of each
   probability to it and takes RAPS scores of the sums. Its delta is searched there; here it is given.
5. The claims' networks are fitted on at most 400 rows (paper: two fifths of all).

Not covered. The quantile and local variants (FFCQR, FFLCP); segmentation; features and rows in batches.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np
import torch
from torch import nn

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Evidence, Finding, numbers
from lunwen.methods.conformal._fcp import FeatureConformalRegressor, SearchingAll, ball_bounds
from lunwen.methods.conformal._given import at_least, labels, rows, whole
from lunwen.methods.conformal._noisy_digits import NoisyDigits, covered
from lunwen.methods.conformal._regression_data import NAMES, inside, mean_coverage, problem, seconds, width
from lunwen.methods.conformal._split import (
    BandConformal,
    FeatureConformal,
    dual,
    finite,
    outputs_of,
    quantile,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    Floats = NDArray[np.float64]

__all__ = [
    "FastFeatureConformalClassifier",
    "FastFeatureConformalRegressor",
    "FeatureConformalRegressor",
    "ball_bounds",
    "gradient_norm",
]

CARD = Card(
    paper_id="001-09",
    title="Accelerating Feature Conformal Prediction via Taylor Approximation",
    authors=("Zihao Tang", "Boyuan Wang", "Chuan Wen", "Jiaye Teng"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2412.00653",
    area="conformal",
    needs=("numpy", "scipy", "sklearn", "torch", "mapie"),
    seconds=62,
    example="""\
import torch
from sklearn.datasets import make_friedman1
from torch import nn
from lunwen.methods.conformal.ffcp import FastFeatureConformalRegressor

X, y = make_friedman1(1500, noise=1.0, random_state=0)
encoder = nn.Sequential(nn.Linear(10, 64), nn.ReLU())
head = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
network = nn.Sequential(encoder, head)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for step in range(100):
    optimizer.zero_grad()
    residual = network(torch.tensor(X[:500]).float())[:, 0] - torch.tensor(y[:500]).float()
    residual.square().mean().backward()
    optimizer.step()
bands = FastFeatureConformalRegressor(encoder, head, alpha=0.1).calibrate(X[500:1000], y[500:1000])
low, high = bands.predict_interval(X[1000:])
print("covered:", ((low <= y[1000:]) & (y[1000:] <= high)).mean(), " width:", (high - low).mean())
""",
    unchecked=(
        "Cityscapes and ImageNet: networks and data of that size do not fit here.",
        "That FCP and FFCP are equally short: FCP gives bounds of its sets, not the sets; see the notes.",
        "The speed of classification: the slow original of it was not found in enough detail.",
        "That sets of classes are smaller than those of RAPS: the authors search delta, here it is given.",
    ),
)

DEAD = 1e-6  # authors' code


def gradient_norm(head: nn.Module, v: Tensor, *, ball: float = 2.0) -> tuple[Tensor, Tensor]:
    """Return the head's outputs, shape (n, m), and the norm of each output's gradient, shape (n, m).

    Args:
        head: from features (n, ...) to outputs (n,) or (n, m), each row by itself.
        v: features.
        ball: the norm in which features are close; the gradient has its dual.

    Raises:
        UsageError: v holds no floating point numbers, or the head does not depend on them.
    """
    if not isinstance(v, torch.Tensor) or not v.is_floating_point():
        raise UsageError(
            f"v is {getattr(v, 'dtype', type(v).__name__)}. Give a tensor of floating point numbers"
        )
    with torch.enable_grad():
        v = v.detach().requires_grad_()
        outputs = outputs_of(head, v)
        if not outputs.requires_grad:
            raise UsageError(
                "the head's outputs have no gradient in the features. Give a head that depends on them"
            )
        gradients = [
            torch.autograd.grad(one.sum(), v, retain_graph=True)[0].flatten(1)
            for one in outputs.unbind(dim=1)
        ]
    return outputs.detach(), torch.stack([g.norm(dual(ball), dim=1) for g in gradients], dim=1) + DEAD


class FastFeatureConformalRegressor(BandConformal):
    """Prediction bands from one backward pass through the head: FFCP.

    Args:
        encoder: from rows to features, fitted on other rows than those of ``calibrate``.
        head: from features to outputs.
        alpha: the share of true answers that may lie outside their band.
        ball: the norm in which features are close, 1 or more.

    Attributes:
        scores_: of the calibration rows, shape (n,).
        quantile_: Q.
    """

    def __init__(self, encoder: nn.Module, head: nn.Module, alpha: float = 0.1, *, ball: float = 2.0) -> None:
        self.encoder = encoder
        self.head = head
        self.alpha = alpha  # paper: 0.1
        self.ball = ball  # authors' code: 2

    def score(self, v: Tensor, y: Tensor) -> Tensor:
        """Return the largest of a row's residuals over gradient norms, shape (n,)."""
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        return ((y - outputs).abs() / norms).amax(dim=1)  # s(x, y)

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        """Return both ends of the bands, shape (n, m)."""
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        return outputs - norms * Q, outputs + norms * Q  # C(x)


class FastFeatureConformalClassifier(FeatureConformal):
    """Prediction sets by RAPS scores of probabilities and their gradient norms.

    Args:
        encoder: from rows to features, fitted on other rows than those of ``calibrate``.
        head: from features to logits; nn.Identity() where the encoder gives logits, as in the authors' code.
        alpha: the share of true labels that may lie outside their set.
        delta: how much of a probability's gradient norm is added to it; 0 is RAPS (authors' code: searched).
        k_reg: how many labels a set may hold without a penalty (authors' code: searched).
        lam: the penalty of each further label (authors' code: searched).
        random_state: of the uniform draws that make coverage exact; with a number, the same sets each time.

    Attributes:
        scores_: of the calibration rows, shape (n,).
        quantile_: Q.
    """

    def __init__(
        self,
        encoder: nn.Module,
        head: nn.Module,
        alpha: float = 0.1,
        *,
        delta: float = 0.01,
        k_reg: int = 1,
        lam: float = 0.01,
        random_state: int | None = None,
    ) -> None:
        self.encoder = encoder
        self.head = head
        self.alpha = alpha
        self.delta = delta
        self.k_reg = k_reg
        self.lam = lam
        self.random_state = random_state

    def calibrate(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Score rows that the network was not fitted on; y counts classes from 0.

        Raises:
            UsageError: rows that are no numbers, labels that the network does not know, or too few for alpha.
        """
        self.freeze()
        for name in ("delta", "lam"):
            at_least(getattr(self, name), name, 0)
        whole(self.k_reg, "k_reg", 0)
        given = rows(X)
        scores = self._scores(self.features_of(given), 0)
        place = labels(y, np.arange(scores.shape[1]), len(given))
        self.scores_ = scores[np.arange(len(given)), place]
        self.quantile_ = quantile(self.scores_, self.alpha)
        return self

    def predict_set(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return for each row which labels are in its set, shape (n, K).

        Raises:
            NotFittedError: calibrate was not called.
            UsageError: X holds no rows of numbers.
        """
        return self._scores(self.calibrated_features(X), 1) <= self.quantile_

    def _scores(self, v: Tensor, use: int) -> Floats:
        seed = (
            self.random_state
            if self.random_state is None
            else [whole(self.random_state, "random_state", 0), use]
        )
        u = np.random.default_rng(seed).random((len(v), 1))  # other draws for new rows than for calibration
        outputs, norms = gradient_norm(nn.Sequential(self.head_, nn.Softmax(dim=1)), v)
        p = finite(outputs + self.delta * norms)  # (n, K)
        order = np.argsort(-p, axis=1, kind="stable")
        sorted_p = np.take_along_axis(p, order, axis=1)
        before = sorted_p.cumsum(axis=1) - sorted_p
        penalty = self.lam * np.maximum(np.arange(1, p.shape[1] + 1) - self.k_reg, 0)
        scores = np.empty_like(p)
        np.put_along_axis(scores, order, before + u * sorted_p + penalty, axis=1)
        return scores


@claim(
    says="Bands and sets cover the asked share of new answers, whatever the distribution.",
    where="abstract",
    kind="bound",
)
def coverage(trials: Trials) -> Evidence:
    """The control takes the scores from rows that the network was fitted on."""
    shares: dict[str, list[float]] = {name: [] for name in (*NAMES, "digits, classes")}
    from_fitted = []
    for seed in trials:
        for name in NAMES:
            given = problem(name, seed, trials.pick(fast=3000, full=11_200))  # full: 10,000 to try
            bands = FastFeatureConformalRegressor(given.encoder, given.head)
            shares[name].append(mean_coverage(bands, given, seed, trials.pick(fast=6, full=40)))
        fitted = problem("diabetes", seed, trials.pick(fast=3000, full=11_200))
        bands = FastFeatureConformalRegressor(fitted.encoder, fitted.head)
        from_fitted.append(inside(bands.calibrate(*fitted.fitted), fitted.X, fitted.y))
        shares["digits, classes"].append(_in_classes(NoisyDigits(seed), trials.pick(fast=6, full=40)))
    least, most = partial(Finding, limit=0.88, side=">="), partial(Finding, limit=0.92, side="<=")
    return Evidence(
        findings=(
            *(least(what=f"coverage, {name}, least", values=numbers(one)) for name, one in shares.items()),
            *(most(what=f"coverage, {name}, most", values=numbers(one)) for name, one in shares.items()),
        ),
        control=least(what="coverage, diabetes, scores of fitted rows, least", values=numbers(from_fitted)),
    )


@claim(
    says="Bands are shorter than those of ordinary split conformal prediction.",
    where="abstract",
    kind="order",
)
def shorter_than_split(trials: Trials) -> Evidence:
    """The control puts the features before the last layer, where the gradient is the same everywhere."""
    ours: dict[str, list[float]] = {name: [] for name in NAMES}
    split: dict[str, list[float]] = {name: [] for name in NAMES}
    last, slow = [], []
    for seed in trials:
        for name in NAMES:
            given = problem(name, seed, trials.pick(fast=3000, full=11_200))
            cal, X, y = given.halves()
            bands = FastFeatureConformalRegressor(given.encoder, given.head).calibrate(*cal)
            ours[name].append(width(bands, X))
            split[name].append(given.split_width())
            if name == NAMES[0]:
                early, top = nn.Sequential(given.encoder, given.head[:-1]), given.head[-1]
                last.append(width(FastFeatureConformalRegressor(early, top).calibrate(*cal), X))
                fcp = FeatureConformalRegressor(given.encoder, given.head, random_state=seed).calibrate(*cal)
                slow.append((width(fcp, X) / split[name][-1], inside(fcp, X, y)))
    ratio, share = np.mean(slow, axis=0)
    what = "length over split conformal,"
    return Evidence(
        findings=tuple(
            Finding(
                what=f"{what} {name}",
                values=tuple(ours[name]),
                baseline=tuple(split[name]),
                limit=0.95 if name == NAMES[0] else 1.0,
                margin=0.0 if name == NAMES[0] else 0.03,
                side="<=",
            )
            for name in NAMES
        ),
        control=Finding(
            what=f"{what} {NAMES[0]}, features before the last layer",
            values=tuple(last),
            baseline=tuple(split[NAMES[0]]),
            limit=0.95,
            side="<=",
        ),
        notes=(
            "Dividing by the gradient norm shortens bands where noise grows with the slope (multiplicative).",
            f"There FCP's bounds of its sets are {ratio:.2f} of split conformal and cover {share:.3f}.",
        ),
    )


@claim(
    says="FFCP takes about a fiftieth of FCP's time, calibrating and predicting together.",
    where="abstract",
    kind="number",
)
def faster(trials: Trials) -> Evidence:
    """The control keeps FCP's scores and has only the linear bands of FFCP."""
    took: dict[str, list[float]] = {}
    for seed in trials:
        for name in ("friedman1", "heteroscedastic"):
            given = problem(name, seed, trials.pick(fast=3000, full=11_200))
            network, count = (given.encoder, given.head), trials.pick(fast=400, full=2800)
            methods = {
                "ours": FastFeatureConformalRegressor(*network),
                "stopping at the first that covers": FeatureConformalRegressor(*network, random_state=seed),
            }
            if name == "friedman1":
                methods["all 200 numbers of steps tried"] = SearchingAll(*network, random_state=seed)
                methods["linear bands"] = _LinearBands(*network, random_state=seed)
            for what, bands in methods.items():
                took.setdefault(f"{what}, {name}", []).append(seconds(bands, given, count))
    ours = {what.split(", ")[1]: values for what, values in took.items() if what.startswith("ours")}

    def over(slow: str, other: list[float], what: str) -> Finding:
        return Finding(
            what=f"seconds of FCP over {what}",
            values=tuple(took[slow]),
            baseline=tuple(other),
            limit=50,
            margin=30,
            side=">=",
        )

    return Evidence(
        findings=tuple(
            over(slow, ours[slow.split(", ")[1]], f"FFCP, {slow}")
            for slow in took
            if slow.startswith(("all", "stopping"))
        ),
        control=over(
            "all 200 numbers of steps tried, friedman1",
            took["linear bands, friedman1"],
            "FCP with linear bands",
        ),
        notes=(
            "The authors' code of FCP tries all 200 numbers of steps; stopping gives the same bands.",
            "Where the first steps already cover (heteroscedastic), stopping leaves little to save.",
        ),
    )


class _LinearBands(SearchingAll):
    """FCP's descent with FFCP's bands."""

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        return outputs - norms * Q, outputs + norms * Q


def _in_classes(digits: NoisyDigits, repeats: int) -> float:
    weights = {"weight": torch.tensor(digits.model.coef_), "bias": torch.tensor(digits.model.intercept_)}
    logits = nn.Linear(64, 10)
    logits.load_state_dict(weights)
    shares = []
    for _ in range(repeats):
        cal, test = digits.draw(400), digits.draw(800)
        state = int(digits.rng.integers(2**31))  # other draws for each seed
        sets = FastFeatureConformalClassifier(logits, nn.Identity(), random_state=state)
        sets.calibrate(digits.X[cal], digits.y[cal])
        shares.append(covered(sets.predict_set(digits.X[test]), digits.y[test]))
    return float(np.mean(shares))
