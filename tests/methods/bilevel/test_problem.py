from __future__ import annotations

import numpy as np
import pytest
import torch

from lunwen.errors import UsageError
from lunwen.methods.bilevel import BilevelProblem, Result, box
from lunwen.methods.bilevel._problem import Run, start


def test_a_gradient_is_taken_in_every_argument_and_counted() -> None:
    run = Run()
    x, y = start("x0", [1.0, 2.0]), start("y0", [3.0, 4.0])
    in_x, in_y = run.gradient(lambda x, _: (x**2).sum(), x, y)
    assert in_x.tolist() == [2.0, 4.0]
    assert in_y.tolist() == [0.0, 0.0]
    assert run.n_gradients == 1


def test_a_callback_sees_every_step_and_stops_the_run() -> None:
    seen: list[Result] = []

    def stop_at_two(at: Result) -> bool:
        seen.append(at)
        return at.iterations == 2

    run, x = Run(stop_at_two), torch.ones(1, dtype=torch.float64)
    assert run.goes_on(x, loss=3.0)
    assert not run.goes_on(x, loss=2.0)
    assert [at.iterations for at in seen] == [1, 2]
    assert run.result(x).message == "stopped by the callback at step 2"
    assert run.result(x).history == {"loss": [3.0, 2.0]}


def test_a_run_that_leaves_the_finite_numbers_says_so() -> None:
    run, x = Run(), torch.tensor([np.inf], dtype=torch.float64)
    assert not run.goes_on(x)
    assert run.result(x).message == "diverged at step 1; choose smaller steps"


def test_a_box_is_a_projection() -> None:
    assert box(0, 1)(torch.tensor([-1.0, 0.5, 2.0])).tolist() == [0.0, 0.5, 1.0]
    assert box([0, 1], [1, 3])(torch.tensor([2.0, 2.0])).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((1, 0), "box got 1 and 0; give lower bounds <= upper bounds"),
        (("a", 0), "box got 'a' and 0; give numbers, or one for each coordinate"),
    ],
)
def test_what_bounds_no_box_is_refused(bounds: tuple[object, object], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        box(*bounds)  # type: ignore[arg-type]
    assert str(refusal.value) == message


def test_a_start_may_be_a_tensor_that_is_differentiated() -> None:
    assert start("x0", torch.ones(2, requires_grad=True)).tolist() == [1.0, 1.0]


def test_a_problem_is_made_of_functions() -> None:
    with pytest.raises(UsageError) as refusal:
        BilevelProblem(upper=3, lower=lambda x: x.sum())  # type: ignore[arg-type]
    assert str(refusal.value) == "upper is 3; give a function of torch vectors"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1.0]], "x0 has shape (1, 1); give a vector of finite numbers"),
        ([], "x0 has shape (0,); give a vector of finite numbers"),
        ([np.nan], "x0 has NaN or infinity in it; give a vector of finite numbers"),
        (["a"], "x0 is not made of numbers; give a vector of finite numbers"),
    ],
)
def test_what_is_no_start_is_refused(given: list[object], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        start("x0", given)  # type: ignore[arg-type]
    assert str(refusal.value) == message


@pytest.mark.parametrize(("objective", "given"), [(lambda x: x, "shape (2,)"), (lambda _: 3.0, "float")])
def test_an_objective_that_returns_no_scalar_is_refused(objective: object, given: str) -> None:
    with pytest.raises(UsageError) as refusal:
        Run().gradient(objective, torch.ones(2))  # type: ignore[arg-type]
    assert (
        str(refusal.value) == f"an objective returned {given}; return a scalar made by torch of its arguments"
    )
