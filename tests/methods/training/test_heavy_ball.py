import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lunwen.errors import UsageError
from lunwen.methods.training.heavy_ball import (
    DiagonalLinearNetwork,
    HBFlow,
    HeavyBall,
    directional_smoothness,
    gradient,
    quadratic_coefficients,
)

momenta = st.floats(0.0, 0.9)


def parabola(x):
    return (x**2).sum() / 2


def test_two_steps_and_pieces_by_hand():
    # f = x^2 / 2: x_1 = 1 - 1/10, x_2 = 9/10 - 9/100 + (9/10 - 1)/2
    path = HeavyBall(0.1, 0.5).run(gradient(parabola), [1.0], 2)
    np.testing.assert_allclose(path[:, 0], [1.0, 0.9, 0.76])
    assert HBFlow(0.1, 0.5).coefficients(0) == pytest.approx((1, 1 / 2, 1 / 3, 1 / 12))  # gradient descent's
    assert HBFlow(0.1, 0.5, order=1).coefficients(1) == pytest.approx((3 / 2, 13 / 8, 0, 0))


@given(momenta)
def test_coefficients_reach_their_limits(mu):
    late, limit = HBFlow(0.1, mu).coefficients(1000), HBFlow(0.1, mu, transient=False).coefficients(0)
    assert late == pytest.approx(limit, rel=1e-6)
    assert limit[:2] == pytest.approx((1 / (1 - mu), (1 + mu) / (2 * (1 - mu) ** 3)))


@given(momenta, st.integers(0, 30))
def test_coefficients_are_those_of_the_logarithm_of_a_step(mu, k):
    gamma = quadratic_coefficients(mu, k + 1, 2)
    assert gamma[k] == pytest.approx(HBFlow(0.1, mu).coefficients(k)[:3], rel=1e-9)


@given(st.floats(0.001, 0.02), momenta)
def test_all_terms_together_reproduce_every_step(eta, mu):
    path = HeavyBall(eta, mu).run(lambda x: x, [1.0], 4)[:, 0]
    gamma = quadratic_coefficients(mu, 4, 12)
    flow = np.exp(-np.cumsum(gamma @ eta ** np.arange(1, 14)))
    np.testing.assert_allclose(flow, path[1:], rtol=1e-12)


@pytest.mark.parametrize(("part", "helps"), [(0.5, True), (1.5, False)])
def test_more_terms_help_within_the_range_of_curvature_alone(part, helps):
    curvature = part * HBFlow(0.1, 0.9).curvature_limit
    path = HeavyBall(0.1, 0.9).run(lambda x: curvature * x, [1.0], 200)[1:, 0]
    gamma, powers = quadratic_coefficients(0.9, 200, 40), (0.1 * curvature) ** np.arange(1, 42)
    few, many = (np.abs(np.exp(-np.cumsum(gamma[:, :n] @ powers[:n])) - path).max() for n in (11, 41))
    assert many < 1e-6 * few if helps else many > 0.9 * few


@pytest.mark.parametrize(("mu", "eta"), [(0.5, 0.2), (0.9, 0.1)])
@pytest.mark.parametrize("order", [0, 1])
def test_the_path_is_the_exact_solution_beyond_the_range_too(mu, eta, order):
    curvatures = np.array([0.1, 1.0, 2.0])
    gamma, powers = (
        quadratic_coefficients(mu, 60, order),
        (eta * curvatures[:, None]) ** [*range(1, order + 2)],
    )
    exact = np.exp(-np.cumsum(gamma @ powers.T, axis=0))
    scale = torch.tensor(curvatures)
    flow = HBFlow(eta, mu, order).integrate(lambda x: (scale * x**2).sum() / 2, np.ones(3), 60)
    np.testing.assert_allclose(flow[1:], exact, atol=1e-6)


def test_agrees_with_torch():
    def quartic(x):
        return (x**4).sum() / 4 + x[0] * x[1]

    path = HeavyBall(0.05, 0.8).run(gradient(quartic), [1.0, -0.5], 20)
    x = torch.tensor([1.0, -0.5], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.05, momentum=0.8)
    for k in range(20):
        np.testing.assert_allclose(x.detach().numpy(), path[k], rtol=1e-12)
        optimizer.zero_grad()
        quartic(x).backward()
        optimizer.step()


def test_the_field_is_that_of_full_derivatives():
    def loss(x):
        return torch.sin(x[0]) * x[1] ** 2 + x[1] * x[2] ** 3 + torch.exp(x[0] * x[2])

    x = torch.tensor([0.3, -0.7, 0.5], dtype=torch.float64)
    flow, piece = HBFlow(0.1, 0.5), HBFlow(0.1, 0.5).coefficients(3)
    hessian = torch.func.jacrev(torch.func.grad(loss))
    g, H = torch.func.grad(loss)(x), hessian(x)  # noqa: N806
    third = torch.einsum("ijk,j,k->i", torch.func.jacrev(hessian)(x), g, g)
    a, c, d, e = piece
    expected = -a * g - 0.1 * c * H @ g - 0.01 * (d * H @ H @ g + e * third)
    np.testing.assert_allclose(flow._field(loss, x, piece), expected, rtol=1e-12)
    assert directional_smoothness(loss, x) == pytest.approx(float(g @ H @ g / (g @ g)))


def test_gradient_flow_conserves_u_v():
    rng = np.random.default_rng(0)
    network = DiagonalLinearNetwork(rng.normal(size=(6, 4)), rng.normal(size=6))
    start = network.start(0.3)
    assert network.weights(start).tolist() == [0] * 4
    end = HBFlow(0.01, 0.5, order=0, transient=False).integrate(network.loss, start, 100)[-1]
    np.testing.assert_allclose(end.prod(axis=0), 0.09, rtol=1e-6)
    assert network.loss(torch.tensor(end)) < network.loss(torch.tensor(start))
    assert network.loss(torch.tensor(start, dtype=torch.float32)) == pytest.approx(
        float(network.loss(torch.tensor(start)))
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: HeavyBall(0.1, 1.0), "mu is 1.0. Give a number of at least 0 and below 1"),
        (
            lambda: HBFlow(0.1, 0.5, order=3),
            "order is 3. Give a whole number from 0 to 2, or see quadratic_coefficients",
        ),
        (
            lambda: HeavyBall(0.1, 0.5).run(lambda x: x[0], [1.0, 2.0], 3),
            "grad returned shape (). Return shape (2,), that of its input",
        ),
        (
            lambda: HBFlow(0.1, 0.5).integrate(parabola, ["a"], 3),
            "x0 holds text. Give numbers; encode text and categories first",
        ),
        (
            lambda: HBFlow(0.1, 0.5).integrate(lambda x: torch.exp(200 * x).sum(), [1.0], 9),
            (
                "the equation is too stiff to follow to step 1. Give a smaller eta, "
                "or a loss of curvature below 0.858 and without kinks"
            ),
        ),
        (
            lambda: HBFlow(0.1, 0.5).integrate(lambda x: (x * np.nan).sum(), [1.0], 3),
            "the path is not finite after step 1. Look for NaN in the loss, or give a smaller eta",
        ),
        (
            lambda: HBFlow(0.1, 0.5).integrate(lambda x: x**2, [1.0, 2.0], 3),
            "the loss returned shape (2,), torch.float64. Return one real number as a tensor of torch",
        ),
        (
            lambda: gradient(lambda x: np.asarray(x).sum())([1.0]),
            (
                "the loss stopped at x of shape (1,): Can't call numpy() on Tensor that requires grad. "
                "Write it in functions of torch, for a tensor of that shape"
            ),
        ),
        (
            lambda: DiagonalLinearNetwork([[1.0, 2.0]], [1.0]).weights(np.ones((2, 5))),
            "parameters has shape (2, 5). Give shape (2, 2), u above v",
        ),
        (
            lambda: DiagonalLinearNetwork([[1.0, 2.0]], [1.0, 2.0]),
            "X has shape (1, 2), y (2,). Give X [n, d] and y [n]",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(UsageError) as refusal:
        call()
    assert str(refusal.value) == message
