import numpy as np
import pandas as pd
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


@given(st.sampled_from([1e-9, 1e-3, 1e6]), st.sampled_from([None, 1, 4]))
def test_the_tolerance_means_the_same_for_every_scale(scale, order):
    optimizer = StepParallelOptimizer("sgd", 0.05, window=8, order=order)
    w, info = optimizer.run(pull, np.ones(3), TARGETS)
    scaled, same = optimizer.run(lambda w, t: pull(w, scale * t), np.full(3, scale), TARGETS)
    np.testing.assert_allclose(scaled, scale * w, rtol=1e-9)
    assert same.parallel_steps == info.parallel_steps < 40 + (order == 1)


def test_the_whole_path_comes_back_where_it_is_asked_for():
    optimizer = StepParallelOptimizer("momentum", 0.05, window=8, tol=0.0)
    path, _ = optimizer.run(pull, np.ones(3), TARGETS, path=True)
    assert path.shape == (41, 3)
    assert path[0].tolist() == [1, 1, 1]
    for t in (1, 17, 40):
        np.testing.assert_allclose(path[t], optimizer.run(pull, np.ones(3), TARGETS[:t])[0])


LINEAR = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))


@pytest.mark.parametrize("form", [torch.tensor, np.asarray, list])
def test_weights_that_need_no_gradient_stay_out(form):
    LINEAR[0].requires_grad_(False)
    rows = form([[1.0, 2.0, 3.0]] * 4)
    grad_fn, w0 = gradients_of(LINEAR, torch.nn.functional.mse_loss, rows, form([[0.0]] * 4))
    assert grad_fn(np.stack([w0, w0]), [[0, 1], [2, 3]]).shape == (2, 5)


def test_the_tolerance_follows_the_errors():
    fixed = StepParallelOptimizer("sgd", 0.02, window=8, tol=0.0).run(pull, np.ones(3), TARGETS)[1]
    moving = StepParallelOptimizer("sgd", 0.02, window=8, tol=0.0, tol_ema=0.5).run(
        pull, np.ones(3), TARGETS
    )[1]
    assert moving.parallel_steps < fixed.parallel_steps


def test_a_tolerance_that_follows_the_errors_stays_one_where_the_run_is_not_smooth():
    def steep(w, targets):
        return np.tanh(10 * (w - targets))

    slow = np.ones(3)
    for target in TARGETS:
        slow = slow - 0.3 * steep(slow, target)
    optimizer = StepParallelOptimizer("sgd", 0.3, tol_ema=0.9)
    np.testing.assert_allclose(optimizer.run(steep, np.ones(3), TARGETS)[0], slow, atol=0.02)


@pytest.mark.parametrize("kind", [object, "Int64", "bool"])
def test_tables_of_any_columns_pass(kind):
    X = pd.DataFrame({"a": [0, 1, 1, 0], "b": [True, False, True, True]}).astype(kind)  # noqa: N806
    y = pd.Series([0, 1, 1, 0], dtype=object)
    grad_fn, w0 = gradients_of(torch.nn.Linear(2, 2), torch.nn.functional.cross_entropy, X, y)
    plain, _ = gradients_of(
        torch.nn.Linear(2, 2), torch.nn.functional.cross_entropy, X.to_numpy(float), y.to_numpy(int)
    )
    np.testing.assert_allclose(grad_fn(w0[None], [[0, 1, 2]]), plain(w0[None], [[0, 1, 2]]))


def sgd(grad_fn=pull, w0=(1, 1, 1), batches=TARGETS, **settings):
    return StepParallelOptimizer("sgd", 0.1, **settings).run(grad_fn, w0, batches)


def of_layers(*layers, batches=((0, 1),)):
    module = torch.nn.Sequential(torch.nn.Linear(3, 1), *layers)
    grad_fn, w0 = gradients_of(module, torch.nn.functional.mse_loss, torch.ones(9, 3), torch.zeros(9, 1))
    return grad_fn(w0[None], batches)


NO_BATCHES = "batches is a {}, empty or no sequence. Give one batch per step, in a list or an array"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: StepParallelOptimizer("lion", 0.1),
            "base is 'lion'. Give one of: sgd, momentum, adam",
        ),
        (lambda: StepParallelOptimizer("sgd", 0), "lr is 0. Give a number above 0"),
        (
            lambda: sgd(tol_unit="weight"),
            "tol is None. Give a change of weights, such as 1e-3, or leave tol_unit at 'update'",
        ),
        (lambda: sgd(window=True), "window is True. Give a whole number of at least 1"),
        (lambda: sgd(tol_ema=""), "tol_ema is ''. Give a number of at least 0 and below 1"),
        (lambda: sgd(betas=(0.9,)), "betas is (0.9,). Give two numbers, such as (0.9, 0.999)"),
        (lambda: sgd(batches=iter(TARGETS)), NO_BATCHES.format("iterator")),
        (lambda: sgd(batches={0: 1}), NO_BATCHES.format("dict")),
        (
            lambda: sgd(batches=torch.utils.data.TensorDataset(torch.tensor(TARGETS))),
            NO_BATCHES.format("TensorDataset"),
        ),
        (
            lambda: sgd(w0=[np.nan]),
            "w0 holds NaN or infinity. Give finite numbers; fill or drop these rows first",
        ),
        (lambda: sgd(3), "grad_fn is 3. Give a function"),
        (
            lambda: sgd(lambda w, _: w[0]),
            "grad_fn returned shape (3,). Return shape (32, 3), that of its input",
        ),
        (
            lambda: sgd(lambda w, _: w * 1j),
            "what grad_fn returned holds complex128 values. Give numbers; encode text and categories first",
        ),
        (
            lambda: solve_tne(lambda w, _: w[0], [1.0, 2.0], 4),
            "phi returned shape (2,). Return shape (4, 2), that of its input",
        ),
        (
            lambda: sgd(batches=TARGETS * np.nan),
            "the weights are not finite after step 1. Look for NaN in the data, or take smaller steps",
        ),
        (
            lambda: StepParallelOptimizer("sgd", 1e200).run(pull, np.ones(3), TARGETS),
            "the weights are not finite after step 2. Look for NaN in the data, or take smaller steps",
        ),
        (
            lambda: of_layers(torch.nn.Dropout()),
            (
                "the module or its loss cannot run for many weights at once: vmap: called "
                "random operation while in randomness error mode. Give it after module.eval(), a loss of "
                "(outputs, targets), and X of the module's width, as floats unless it holds codes for an "
                "embedding"
            ),
        ),
        (
            lambda: of_layers(batches=[[9]]),
            "batches hold what is no row of X. Give whole numbers from 0 to 8",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(UsageError) as refusal:
        call()
    assert str(refusal.value) == message
