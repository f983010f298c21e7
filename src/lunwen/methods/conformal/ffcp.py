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
1. 1e-6 is added to each gradient norm (authors' code), so that a dead ReLU divides by something; y should be
   of size about 1.
2. INFERRED: a vector of outputs has the largest of its scores, so that the band covers all outputs at once;
   where features are close in another norm than 2, gradients have its dual.
3. FCP bounds the head by interval propagation alone (the code's default; it also offers CROWN), and stops its
   search for the number of steps at the first one that covers (the code tries all 200, with the same result,
   and wants more than 1 - alpha where here 1 - alpha is enough). Its coverage is counted in answers (the
   code's own: in features).
4. As in the authors' code, FCP's descent ends long before g(u) = y: its score is how far it got in as many
   steps for every row, and its bands cover because the bounds of the ball are loose.
5. The quantile version (FFCQR) divides by a gradient norm for each end, l and r, as in the authors' code:
   s(x, y) = max((l(v) - y) / ||grad l(v)||, (y - r(v)) / ||grad r(v)||).
6. Classification follows the authors' code, not the formula: it adds delta times the gradient norm of each
   probability to it and takes RAPS scores of the sums. Its delta is searched there; here it is given. A row's
   uniform draw follows from the seed and the row.
7. The claims' networks are fitted on at most 400 rows (paper: two fifths of all); on 2,400, lengths over
   those of split conformal prediction are much the same.
8. The network is split in the middle (the code reports every layer): split earlier, bands are longer; before
   the last layer they are those of split conformal prediction (see the evidence of lengths).

Not covered. The local variant (FFLCP); segmentation; features and rows in batches; encoders of whole numbers
such as token ids (give embedded rows). A head that is flat on more than a share alpha of the rows, as behind
a last ReLU or sigmoid, or where a network is split early, divides by almost nothing: bands get longer, and
where they are a hundred times too long the head is refused.
"""
# Longer than 400 lines: three estimators, and four claims that measure them beside two others.

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import torch
from torch import nn

from lunwen.errors import CouldNot, UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Evidence, Finding, numbers
from lunwen.methods._given import number, whole
from lunwen.methods.conformal._fcp import FeatureConformalRegressor, SearchingAll, ball_bounds
from lunwen.methods.conformal._labelled_rows import covered, noisy_digits
from lunwen.methods.conformal._labels import places
from lunwen.methods.conformal._regression_data import NAMES, inside, mean_coverage, problem, seconds, width
from lunwen.methods.conformal._split import (
    BandConformal,
    FeatureConformal,
    dual,
    finite,
    floating,
    generator,
    outputs_of,
    quantile,
    rows,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    Floats = NDArray[np.float64]

__all__ = [
    "FastFeatureConformalClassifier",
    "FastFeatureConformalQuantileRegressor",
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
    seconds=60,
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
QUANTILES = (0.05, 0.95)  # of the claims


def gradient_norm(head: nn.Module, v: Tensor, *, ball: float = 2.0) -> tuple[Tensor, Tensor]:
    """Return the head's outputs, shape (n, m), and the norm of each output's gradient, shape (n, m).

    Args:
        head: from features (n, ...) to outputs (n,) or (n, m), each row by itself.
        v: features.
        ball: the norm in which features are close; the gradient has its dual.

    Raises:
        UsageError: v holds no floating point numbers, or the head does not depend on them.
    """
    floating(v)
    with torch.inference_mode(False), torch.enable_grad():
        v = v.detach().clone().requires_grad_()  # what was made in inference mode knows no gradients
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


def refuse_flat(residuals: Tensor, norms: Tensor, alpha: float) -> None:
    """Refuse a head that is flat on so many rows that the bands are no use.

    Raises:
        CouldNot: bands are a hundred times as long as without gradient norms.
    """
    with_norms, without = (quantile(finite(one.amax(dim=1)), alpha) for one in (residuals / norms, residuals))
    longer = with_norms * float(norms.mean()) / without if without > 0 else 1.0
    if longer > 100:
        flat = int((norms < norms.mean() / 100).any(dim=1).sum())
        raise CouldNot(
            f"gradient norms make the bands {longer:.0e} times as long: on {flat} of {len(norms)} "
            "calibration rows the head hardly reacts to its features. "
            "Split the network later, or leave out a last ReLU or sigmoid"
        )


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

    def scores_of(self, v: Tensor, y: Tensor) -> Tensor:
        """Return the largest of a row's residuals over gradient norms, shape (n,)."""
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        residuals = (y - outputs).abs()
        refuse_flat(residuals, norms, self.alpha)
        return (residuals / norms).amax(dim=1)  # s(x, y)

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        """Return both ends of the bands, shape (n, m)."""
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        return outputs - norms * Q, outputs + norms * Q  # C(x)


class FastFeatureConformalQuantileRegressor(FastFeatureConformalRegressor):
    """Prediction bands around a network of two quantiles: FFCQR.

    Args:
        encoder: from rows to features, fitted on other rows than those of ``calibrate``.
        head: from features to the lower ends of all answers, then their upper ends.
        alpha: the share of true answers that may lie outside their band; the ends are best fitted as the
            quantiles alpha / 2 and 1 - alpha / 2.
        ball: the norm in which features are close, 1 or more.

    Attributes:
        scores_: of the calibration rows, shape (n,); negative inside the quantiles.
        quantile_: Q.
    """

    ends: ClassVar[int] = 2

    def scores_of(self, v: Tensor, y: Tensor) -> Tensor:
        """Return how far a row's answers lie outside their quantiles, over gradient norms, shape (n,)."""
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        low, high = outputs.chunk(2, dim=1)
        outside = torch.cat([low - y, y - high], dim=1)
        refuse_flat(outside, norms, self.alpha)
        return (outside / norms).amax(dim=1)

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        """Return both ends of the bands, shape (n, m)."""
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        (low, high), (low_norm, high_norm) = outputs.chunk(2, dim=1), norms.chunk(2, dim=1)
        return low - low_norm * Q, high + high_norm * Q


class FastFeatureConformalClassifier(FeatureConformal):
    """Prediction sets by RAPS scores of probabilities and their gradient norms; some may be empty.

    Args:
        encoder: from rows to features, fitted on other rows than those of ``calibrate``.
        head: from features to logits; nn.Identity() where the encoder gives logits, as in the authors' code.
        alpha: the share of true labels that may lie outside their set.
        delta: how much of a probability's gradient norm is added to it; 0 is RAPS (authors' code: searched).
        k_reg: how many labels a set may hold without a penalty (authors' code: searched).
        lam: the penalty of each further label (authors' code: searched).
        random_state: of the uniform draws that make coverage exact; a row's own follows from it and the row.

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

    @torch.inference_mode(False)
    def calibrate(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Score rows that the network was not fitted on; y counts classes from 0.

        Raises:
            UsageError: rows that are no numbers, labels that the network does not know, too few for alpha, or
                probabilities in the place of logits.
        """
        self.freeze()
        for name in ("delta", "lam"):
            number(name, getattr(self, name), least=0)
        whole("k_reg", self.k_reg, least=0)
        self._key = generator(self.random_state).bytes(16)
        logits = outputs_of(self.head_, self.features_of(self.inputs_of(rows(X))))
        if logits.shape[1] < 2:
            raise UsageError("the head gives 1 output. Give one with a logit for each of at least 2 classes")
        if (logits >= 0).all() and torch.allclose(logits.sum(dim=1), torch.ones_like(logits[:, 0])):
            raise UsageError(
                "the head gives probabilities. Give one that gives logits, without a last softmax"
            )
        scores = self._scores(X)
        place = places(y, np.arange(scores.shape[1]), len(scores))
        self.scores_ = scores[np.arange(len(scores)), place]
        self.quantile_ = quantile(self.scores_, self.alpha)
        return self

    fit = calibrate  # the name by which cross-validation calls it

    @torch.inference_mode(False)
    def predict_set(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return for each row which labels are in its set, shape (n, K).

        Raises:
            NotFittedError: calibrate was not called.
            UsageError: X holds no rows of numbers that the network takes.
        """
        self.check_calibrated()
        return self._scores(X) <= self.quantile_

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the share of rows whose label is in their set.

        Raises:
            NotFittedError: calibrate was not called.
            UsageError: X holds no rows of numbers that the network takes, or y labels that it does not know.
        """
        sets = self.predict_set(X)
        return float(sets[np.arange(len(sets)), places(y, np.arange(sets.shape[1]), len(sets))].mean())

    def _scores(self, X: ArrayLike) -> Floats:
        inputs = self.inputs_of(rows(X))
        u = np.array([_uniform(self._key, row) for row in inputs.double().cpu().numpy()])[:, None]
        outputs, norms = gradient_norm(nn.Sequential(self.head_, nn.Softmax(dim=1)), self.features_of(inputs))
        p = finite(outputs + self.delta * norms)  # (n, K)
        order = np.argsort(-p, axis=1, kind="stable")
        sorted_p = np.take_along_axis(p, order, axis=1)
        before = sorted_p.cumsum(axis=1) - sorted_p
        penalty = self.lam * np.maximum(np.arange(1, p.shape[1] + 1) - self.k_reg, 0)
        scores = np.empty_like(p)
        np.put_along_axis(scores, order, before + u * sorted_p + penalty, axis=1)
        return scores


def _uniform(key: bytes, row: Floats) -> float:
    """Return a draw from [0, 1) that a row always gets again, whatever rows come with it."""
    return int.from_bytes(hashlib.blake2b(row.tobytes(), digest_size=8, key=key).digest(), "big") / 2**64


@claim(
    says="Bands and sets cover the asked share of new answers, whatever the distribution.",
    where="abstract; of sets and quantiles, the authors' code",
    kind="bound",
)
def coverage(trials: Trials) -> Evidence:
    """The control takes the scores from rows that the network was fitted on: what any such bound rests on."""
    size, repeats = trials.pick(fast=3000, full=11_200), trials.pick(fast=4, full=10)  # full: 10,000 to try
    shares: dict[str, list[float]] = {}
    from_fitted = []
    for seed in trials:
        for name in NAMES:
            given = problem(name, seed, size)
            bands = FastFeatureConformalRegressor(given.encoder, given.head)
            shares.setdefault(name, []).append(mean_coverage(bands, given, seed, repeats))
        given = problem(NAMES[0], seed, size, QUANTILES)
        quantiles = FastFeatureConformalQuantileRegressor(given.encoder, given.head)
        shares.setdefault(f"{NAMES[0]}, quantiles", []).append(mean_coverage(quantiles, given, seed, repeats))
        shares.setdefault("digits, classes", []).append(_in_classes(seed, 4 * repeats))
        given = problem("diabetes", seed, size)
        bands = FastFeatureConformalRegressor(given.encoder, given.head).calibrate(*given.fitted)
        from_fitted.append(inside(bands, given.X, given.y))
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
    slow: dict[str, list[tuple[float, float]]] = {name: [] for name in NAMES}
    quantiles: dict[str, list[float]] = {name: [] for name in NAMES}
    earlier: dict[str, list[float]] = {name: [] for name in NAMES}
    last, size = [], trials.pick(fast=3000, full=11_200)
    for seed in trials:
        for name in NAMES:
            given = problem(name, seed, size)
            cal, X, y = given.halves()
            ours[name].append(
                width(FastFeatureConformalRegressor(given.encoder, given.head).calibrate(*cal), X)
            )
            split[name].append(given.split_width())
            fcp = FeatureConformalRegressor(given.encoder, given.head, random_state=seed).calibrate(*cal)
            slow[name].append((width(fcp, X) / split[name][-1], inside(fcp, X, y)))
            if name == NAMES[0]:
                most, top = nn.Sequential(given.encoder, given.head[:-1]), given.head[-1]
                last.append(width(FastFeatureConformalRegressor(most, top).calibrate(*cal), X))
            few, rest = given.encoder[:2], nn.Sequential(given.encoder[2:], given.head)
            with suppress(CouldNot):  # flat on too many rows
                bands = FastFeatureConformalRegressor(few, rest).calibrate(*cal)
                earlier[name].append(width(bands, X) / split[name][-1])
            given = problem(name, seed, size, QUANTILES)
            cal, X, _ = given.halves()
            ends = FastFeatureConformalQuantileRegressor(given.encoder, given.head).calibrate(*cal)
            quantiles[name].append(width(ends, X) / given.split_width())
    what = "length over split conformal,"
    fcp_seen = ", ".join(
        f"{name} {ratio:.2f} ({share:.3f})"
        for name, seeds in slow.items()
        for ratio, share in [np.mean(seeds, axis=0)]
    )
    quantiles_seen = ", ".join(f"{name} {np.mean(ratios):.2f}" for name, ratios in quantiles.items())
    earlier_seen = ", ".join(
        f"{name} {np.mean(ratios):.2f} (taken {len(ratios)} times in {len(ours[name])})"
        for name, ratios in earlier.items()
        if ratios
    )
    others = [float(np.exp(np.log(np.divide(ours[one], split[one])).mean())) for one in NAMES[1:]]
    elsewhere = f"bands are {min(others):.2f} to {max(others):.2f} times as long"
    return Evidence(
        findings=tuple(
            Finding(
                what=f"{what} {name}",
                values=tuple(ours[name]),
                baseline=tuple(split[name]),
                limit=0.95 if name == NAMES[0] else 1.0,  # there the slope tracks the noise
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
            f"Shorter only where noise grows with the slope, as in {NAMES[0]}; elsewhere {elsewhere}.",
            f"Split one layer earlier, and refused where the head is then flat: {earlier_seen}.",
            f"The bounds that FCP gives of its sets, over split conformal (coverage): {fcp_seen}.",
            f"Quantiles (FFCQR), over conformalized quantile regression (MAPIE): {quantiles_seen}.",
        ),
    )


@claim(
    says="FFCP takes at most a fiftieth of FCP's time, calibrating and predicting together.",
    where="abstract",
    kind="number",
)
def faster(trials: Trials) -> Evidence:
    """The control keeps FCP's scores and has only the linear bands of FFCP."""
    return _times(trials, SearchingAll, _LinearSearchingAll, "FCP")


@claim(
    says="The factor is as large where FCP's search stops at the first number of steps that covers.",
    where="not in the paper, whose code tries all 200: the same bands for less",
    kind="number",
)
def faster_than_stopping(trials: Trials) -> Evidence:
    """The control keeps FCP's scores and has only the linear bands of FFCP."""
    return _times(trials, FeatureConformalRegressor, _LinearStopping, "stopping FCP")


class _LinearBands(BandConformal):
    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        outputs, norms = gradient_norm(self.head_, v, ball=self.ball)
        return outputs - norms * Q, outputs + norms * Q


class _LinearSearchingAll(_LinearBands, SearchingAll):
    """FCP's descent with FFCP's bands."""


class _LinearStopping(_LinearBands, FeatureConformalRegressor):
    """The same, stopping at the first number of steps that covers."""


def _times(
    trials: Trials,
    slow: type[FeatureConformalRegressor],
    linear: type[FeatureConformalRegressor],
    called: str,
) -> Evidence:
    size = trials.pick(fast=3000, full=11_200)
    names = ("friedman1", "heteroscedastic")
    took: dict[tuple[str, str], list[float]] = {}
    for seed in trials:
        for name in names:
            given, count = problem(name, seed, size), trials.pick(fast=300, full=2800)
            ours = FastFeatureConformalRegressor(given.encoder, given.head)
            others: dict[str, BandConformal] = {
                "FFCP": ours,
                "FCP": slow(given.encoder, given.head, random_state=seed),
            }
            if name == names[0]:
                others["linear"] = linear(given.encoder, given.head, random_state=seed)
            for what, bands in others.items():
                took.setdefault((what, name), []).append(seconds(bands, given, count))

    def over(what: str, name: str, said: str) -> Finding:
        return Finding(
            what=f"seconds of {called} over {said}, {name}",
            values=tuple(took["FCP", name]),
            baseline=tuple(took[what, name]),
            limit=50,
            margin=30,  # twenty times is still the paper's direction
            side=">=",
        )

    return Evidence(
        findings=tuple(over("FFCP", name, "FFCP") for name in names),
        control=over("linear", names[0], f"{called} with linear bands"),
    )


def _in_classes(seed: int, repeats: int) -> float:
    """Return the coverage of digits by a logistic regression's ten classes."""
    digits = noisy_digits(seed)
    logits = nn.Linear(64, 10)
    logits.load_state_dict(
        {"weight": torch.tensor(digits.model.coef_), "bias": torch.tensor(digits.model.intercept_)}
    )
    shares = []
    for _ in range(repeats):
        cal, test = digits.draw(400), digits.draw(800)
        state = int(digits.rng.integers(2**31))  # other draws for each seed
        sets = FastFeatureConformalClassifier(logits, nn.Identity(), random_state=state)
        sets.calibrate(digits.X[cal], digits.y[cal])
        shares.append(covered(sets.predict_set(digits.X[test]), digits.y[test]))
    return float(np.mean(shares))
