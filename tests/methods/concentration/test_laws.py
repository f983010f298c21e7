"""What the claims on the variance draw has the moments it states."""

from __future__ import annotations

import math

import numpy as np

from lunwen.methods.concentration._laws import BETA_2_6, ONE_SIDED_VECTORS, RARE_VECTORS, SWITCHING
from lunwen.methods.concentration._widths import half_widths
from lunwen.methods.concentration.variance_bernstein import _Sides


def test_the_widths_by_moments_are_those_of_a_large_sample() -> None:
    x = BETA_2_6.draw(np.random.default_rng(0), (200_000, 1))[..., None] - 0.5
    lower, upper, below, above = _Sides(math.log(20), horizon=200_000).feed(x)
    drawn = (below - lower)[-1, 0], (upper - above)[-1, 0]
    np.testing.assert_allclose(half_widths(BETA_2_6, 2e5, 0.05), drawn, rtol=0.1)


def test_the_laws_of_the_claims_have_the_moments_they_state() -> None:
    rng = np.random.default_rng(0)
    x = BETA_2_6.draw(rng, (1_000_000, 1))
    found = x.mean(), x.var(), ((x - BETA_2_6.mean) ** 2).var()
    np.testing.assert_allclose(found, (BETA_2_6.mean, BETA_2_6.variance, BETA_2_6.spread), rtol=0.01)
    y = SWITCHING.draw(rng, (50, 20_000))
    after_high = y[1:][y[:-1] > 0.5]
    np.testing.assert_allclose(
        (y.var(), after_high.mean(), after_high.var()), (1 / 16, 0.5, 1 / 16), rtol=0.01
    )
    for law, rtol in ((RARE_VECTORS, 0.05), (ONE_SIDED_VECTORS, 0.02)):
        vectors = law.draw(rng, (400, 100))
        np.testing.assert_allclose(((vectors - law.mean) ** 2).sum(-1).mean(), law.variance, rtol=rtol)
