"""What was measured, and the verdict that follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONFIDENCE = 0.95


class Verdict(StrEnum):
    """What a measurement says of a claim, from the worst to the best."""

    FAILS = "fails"
    UNDECIDED = "undecided"
    WEAKER = "weaker"
    HOLDS = "holds"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One quantity measured on every seed, and the limit it has to keep.

    Attributes:
        what: the quantity, with where it was measured ("width, uniform, n = 1000").
        values: the quantity per seed; for a rate, how often it happened in ``trials`` per seed.
        limit: what it has to keep to.
        side: whether it may be at most or at least the limit.
        margin: how far beyond the limit still has the claim's direction; there the verdict is *weaker*.
        spread: whether the seeds' mean is meant (95 % t interval), every single value (their range), or a
            rate (95 % Clopper-Pearson interval of the sum).
        baseline: the same quantity of the baseline per seed; then the ratio of the two is compared with
            the limit, in the mean of its logarithms.
        trials: of a rate, how often per seed it could have happened.
    """

    what: str
    values: tuple[float, ...]
    limit: float
    side: Literal["<=", ">="]
    margin: float = 0.0
    spread: Literal["mean", "every", "rate"] = "mean"
    baseline: tuple[float, ...] = ()
    trials: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no interval follows from.

        Raises:
            ValueError: no values, a negative margin, not finite, or values that do not fit each other.
        """
        partner = self.baseline or self.trials
        if not self.values or self.margin < 0 or (partner and len(partner) != len(self.values)):
            raise ValueError(f"{self.what}: give values, margin >= 0, and as many baseline values or trials")
        if not all(map(math.isfinite, (*self.values, *self.baseline))):
            raise ValueError(f"{self.what}: only finite values; give a diverged run a large number")
        if (self.spread == "rate") != bool(self.trials):
            raise ValueError(f"{self.what}: a rate needs trials, and nothing else has them")
        if self.baseline and min(*self.values, *self.baseline) <= 0:
            raise ValueError(f"{self.what}: a ratio needs values above 0")

    @property
    def estimate(self) -> float:
        """What is compared with the limit: the mean, the rate, the mean ratio, or the worst value."""
        if self.spread == "rate":
            return sum(self.values) / sum(self.trials)
        low, high = min(self._compared()), max(self._compared())
        if self.spread == "every":
            return high if self.side == "<=" else low
        return self._shown(_mean(self._scaled()))

    @property
    def interval(self) -> tuple[float, float]:
        """The interval that decides; infinite where one seed alone was asked for a mean."""
        if self.spread == "every":
            return min(self._compared()), max(self._compared())
        if self.spread == "rate":
            return _clopper_pearson(round(sum(self.values)), sum(self.trials))
        low, high = _t_interval(self._scaled())
        return self._shown(low), self._shown(high)

    @property
    def verdict(self) -> Verdict:
        """Computed from the interval, the limit and the margin."""
        low, high = self.interval
        if self.side == ">=":
            best, worst, limit = -high, -low, -self.limit
        else:
            best, worst, limit = low, high, self.limit
        if worst <= limit:
            return Verdict.HOLDS
        if worst <= limit + self.margin:
            return Verdict.WEAKER
        return Verdict.FAILS if best > limit + self.margin else Verdict.UNDECIDED

    def room(self, value: float) -> float:
        """Return how far a value is within the limit, as a share of it, or as it is where that is 0."""
        within = self.limit - value if self.side == "<=" else value - self.limit
        return within / (abs(self.limit) or 1.0)

    def _compared(self) -> list[float]:
        """Per seed, what is compared with the limit."""
        if self.baseline:
            return [value / other for value, other in zip(self.values, self.baseline, strict=True)]
        return list(self.values)

    def _scaled(self) -> list[float]:
        """On the scale on which means are taken: ratios by their logarithms."""
        return [math.log(value) for value in self._compared()] if self.baseline else self._compared()

    def _shown(self, value: float) -> float:
        return math.exp(min(value, 700.0)) if self.baseline else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A line of a claim's plot."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    dashed: bool = False  # a reference: a bound, a slope, a limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The plot of a claim: its axes and its curves."""

    x: str
    y: str
    curves: tuple[Curve, ...]
    log: Literal["", "x", "y", "xy"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a claim measured: its findings, its control, and a picture where one says more.

    Attributes:
        findings: each has to keep its limit for the claim to hold.
        control: the same measurement with the paper's idea removed; it must fail.
        notes: what the figures do not show.
    """

    findings: tuple[Finding, ...]
    control: Finding
    picture: Picture | None = None
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst of the findings'."""
        return self.decisive[0].verdict

    @property
    def decisive(self) -> tuple[Finding, ...]:
        """The findings, those that decide first: of the worst verdict, then with the least room."""
        order = list(Verdict)
        return tuple(
            sorted(
                self.findings, key=lambda one: (order.index(one.verdict), min(map(one.room, one.interval)))
            )
        )

    @property
    def control_failed(self) -> bool:
        """Whether the control is beyond the limit with all its interval."""
        return self.control.verdict is Verdict.FAILS


def numbers(values: Iterable[float]) -> tuple[float, ...]:
    """Return plain floats, whatever array or tensor they come from."""
    return tuple(float(value) for value in values)


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the least-squares slope of log y over log x: the exponent of a power law."""
    logs = [(math.log(a), math.log(b)) for a, b in zip(x, y, strict=True)]
    middle = _mean([a for a, _ in logs])
    return sum((a - middle) * b for a, b in logs) / sum((a - middle) ** 2 for a, _ in logs)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _t_interval(values: Sequence[float]) -> tuple[float, float]:
    if len(values) < 2:
        return -math.inf, math.inf
    from scipy.special import stdtrit  # noqa: PLC0415 - long to load, and only intervals need it

    middle = _mean(values)
    variance = math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)
    half = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * math.sqrt(variance / len(values))
    return middle - half, middle + half


def _clopper_pearson(count: int, trials: int) -> tuple[float, float]:
    from scipy.special import betaincinv  # noqa: PLC0415 - long to load, and only intervals need it

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(count, trials - count + 1, tail)) if count else 0.0
    return low, float(betaincinv(count + 1, trials - count, 1 - tail)) if count < trials else 1.0
