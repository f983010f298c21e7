import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lunwen.errors import UsageError
from lunwen.methods.training.paso import StepParallelOptimizer, gradients_of, solve_tne

TARGETS = np.random.default_rng(0).normal(size=(40, 3))


def pull(w, targets):  # gradient of |w - target|^2 / 2
    return w - targets


def test_two_steps_by_hand():
    # f = w^2 / 2, lr 1/2: the run is 8, 4, 2; the guesses are 8 8 8, then 8 4 0, then 8 4 2.
    rounds = []

    def gradient(w, _):
        rounds.append(w[:, 0].tolist())
        return w

    w, info = StepParallelOptimizer("sgd", 0.5, window=2, tol=0.0).run(gradient, [8.0], [0, 0])
    assert rounds == [[8, 8], [4]]  # w_1 = 4 is exact after the first round, so the second begins there
    assert w == pytest.approx([2.0])
    assert (info.parallel_steps, info.grad_evals, info.errors) == (2, 3, (8.0, 2.0))


def test_a_map_by_hand():
    path, rounds = solve_tne(lambda w, t: w * w + t[:, None], [2.0], 3)
    assert path[:, 0].tolist() == [2, 4, 17, 291]
    assert rounds == 3


@given(st.integers(1, 50), st.none() | st.integers(1, 50), st.floats(0.01, 3.0), st.integers(1, 40))
def test_never_more_rounds_than_steps_and_exact_without_tolerance(window, order, lr, steps):
    optimizer = StepParallelOptimizer("sgd", lr, window=window, order=order, tol=0.0)
    w, info = optimizer.run(pull, np.ones(3), TARGETS[:steps])
    slow = np.ones(3)
    for target in TARGETS[:steps]:
        slow = slow - lr * (slow - target)
    assert info.parallel_steps <= steps
    np.testing.assert_allclose(w, slow, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", [None, 1, 5])
@pytest.mark.parametrize(
    ("base", "torch_optimizer"),
    [
        ("sgd", lambda w: torch.optim.SGD(w, lr=0.1)),
        ("momentum", lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.9)),
        ("adam", lambda w: torch.optim.Adam(w, lr=0.1)),
    ],
)
def test_agrees_with_torch(base, torch_optimizer, order):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
    x = torch.tensor(TARGETS)
    y = x.prod(dim=1, keepdim=True)
    batches = np.random.default_rng(1).integers(len(x), size=(30, 8))
    grad_fn, w0 = gradients_of(model, torch.nn.functional.mse_loss, x, y)
    w, info = StepParallelOptimizer(base, 0.1, window=12, order=order, tol=1e-12).run(grad_fn, w0, batches)
    optimizer = torch_optimizer(model.parameters())
    for batch in torch.tensor(batches):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x[batch]), y[batch]).backward()
        optimizer.step()
    expected = torch.nn.utils.parameters_to_vector(model.parameters()).detach().numpy()
    np.testing.assert_allclose(w, expected, atol=1e-8)
    assert info.parallel_steps <= 30


def test_weights_that_need_no_gradient_stay_out():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    model[0].requires_grad_(False)
    grad_fn, w0 = gradients_of(model, torch.nn.functional.mse_loss, torch.ones(9, 3), torch.zeros(9, 1))
    assert grad_fn(np.stack([w0, w0]), np.array([[0, 1], [2, 3]])).shape == (2, 5)


def test_the_tolerance_follows_the_errors():
    fixed = StepParallelOptimizer("sgd", 0.02, window=8, tol=0.0).run(pull, np.ones(3), TARGETS)[1]
    moving = StepParallelOptimizer("sgd", 0.02, window=8, tol=0.0, tol_ema=0.5).run(
        pull, np.ones(3), TARGETS
    )[1]
    assert moving.parallel_steps < fixed.parallel_steps


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: StepParallelOptimizer("lion", 0.1),
            "base 'lion' is unknown. Give one of: 'sgd', 'momentum', 'adam'",
        ),
        (lambda: StepParallelOptimizer("sgd", 0), "lr = 0 is out of range. Give a number above 0"),
        (
            lambda: StepParallelOptimizer("sgd", 0.1, window=0),
            "window = 0 is out of range. Give a whole number of at least 1",
        ),
        (
            lambda: StepParallelOptimizer("adam", 0.1, betas=(0.9,)),
            "betas = (0.9,) is no pair. Give two numbers, such as (0.9, 0.999)",
        ),
        (
            lambda: StepParallelOptimizer("sgd", 0.1).run(pull, np.ones(3), iter(TARGETS)),
            "batches is empty or no sequence. Give one batch per step, in a list or an array",
        ),
        (
            lambda: StepParallelOptimizer("sgd", 0.1).run(pull, [np.nan], TARGETS),
            "w0 is empty or holds NaN or infinity. Give finite numbers",
        ),
        (
            lambda: StepParallelOptimizer("sgd", 0.1).run(lambda w, _: w[0], np.ones(3), TARGETS),
            "grad_fn returned shape (3,). Return one row per guess: (32, 3)",
        ),
        (
            lambda: solve_tne(lambda w, _: w[0], [1.0, 2.0], 4),
            "phi returned shape (2,). Return one row per guess: (4, 2)",
        ),
        (
            lambda: StepParallelOptimizer("sgd", 0.1).run(pull, np.ones(3), TARGETS * np.nan),
            "the weights are not finite after step 1. Look for NaN in the data, or give a smaller lr",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(UsageError) as refusal:
        call()
    assert str(refusal.value) == message
