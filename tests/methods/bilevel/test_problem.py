from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from lunwen.errors import UsageError
from lunwen.methods.bilevel import BilevelProblem, LinearConstraint, Result, box
from lunwen.methods.bilevel._problem import Run
from lunwen.methods.bilevel.dbgd import dbgd, stationarity
from lunwen.methods.bilevel.sflcb import hyperobjective, sflcb
from lunwen.methods.bilevel.sipba import Settings, sipba

if TYPE_CHECKING:
    from collections.abc import Callable

PAIR = BilevelProblem(upper=lambda x, y: (x * y).sum(), lower=lambda x, y: ((y - x) ** 2).sum())
ALONE = BilevelProblem(upper=lambda x: (x**2).sum(), lower=lambda x: x[0] ** 2)
UNDER = BilevelProblem(PAIR.upper, PAIR.lower, constraint=LinearConstraint([[1.0]], [[0.0]], [1.0]))
STEPS = Settings(alpha0=0.1, beta0=0.001)
SOLVERS: dict[str, Callable[..., Result]] = {
    "sipba": lambda problem=PAIR, x0=(1.0,), **more: sipba(
        problem, x0, [1.0], settings=STEPS, steps=3, **more
    ),
    "dbgd": lambda problem=ALONE, x0=(1.0, 2.0), **more: dbgd(problem, x0, steps=3, **more),
    "sflcb": lambda problem=UNDER, x0=(1.0,), **more: sflcb(problem, x0, steps=3, **more),
}
each_solver = pytest.mark.parametrize("solver", SOLVERS)


def told(call: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as refusal:
        call()
    return str(refusal.value)


@each_solver
def test_a_callback_sees_snapshots_and_stops_the_run(solver: str) -> None:
    seen: list[Result] = []
    end = SOLVERS[solver](callback=lambda at: seen.append(at) or at.iterations == 2)
    assert end.message == "stopped by the callback at step 2"
    assert [at.message for at in seen] == ["running", "running"]
    assert [len(values) for at in seen for values in at.history.values()] == [
        *[1] * len(end.history),
        *[2] * len(end.history),
    ]
    again = SOLVERS[solver](x0=end.x)
    assert again.iterations == 3


def test_a_callback_stops_by_stop_iteration_and_true_alone() -> None:
    def enough(_: Result) -> None:
        raise StopIteration

    assert SOLVERS["dbgd"](callback=enough).message == "stopped by the callback at step 1"
    assert SOLVERS["dbgd"](callback=lambda _: np.True_).iterations == 1
    for other in (None, np.ones(2), "go on"):
        assert SOLVERS["dbgd"](callback=lambda _, other=other: other).iterations == 3


def test_a_result_is_printed_on_a_screen() -> None:
    shown = str(dbgd(ALONE, np.ones(1000), steps=40)).split("\n")
    assert [line.split(":")[0].strip() for line in shown] == [one.name for one in fields(Result)]
    assert shown[0].startswith("          x: [0.039485 0.039485 0.039485 ... ")
    assert "; lam 0 to" in shown[-2]
    assert max(map(len, shown)) < 160


def test_gradients_are_taken_where_torch_takes_none_of_its_own() -> None:
    with torch.no_grad():
        assert SOLVERS["dbgd"]().x.tolist() == SOLVERS["dbgd"]().x.tolist()
    with torch.inference_mode():
        assert told(SOLVERS["dbgd"]) == (
            "torch.inference_mode is on, so that there are no gradients. Use torch.no_grad"
        )


@each_solver
def test_the_end_has_its_values_and_starts_may_be_of_any_kind(solver: str) -> None:
    end = SOLVERS[solver]()
    point = [end.x] if end.y is None else [end.x, end.y]
    problem = {"sipba": PAIR, "dbgd": ALONE, "sflcb": UNDER}[solver]
    assert (end.upper, end.lower) == (float(problem.upper(*point)), float(problem.lower(*point)))
    n = len(end.x)
    for start in (np.ones(n, np.float32), torch.ones(n, requires_grad=True), [1] * n):
        assert SOLVERS[solver](x0=start).x == pytest.approx(SOLVERS[solver](x0=[1.0] * n).x)
    assert not end.converged


def test_a_run_that_leaves_the_finite_numbers_says_so_and_has_not_converged() -> None:
    end = dbgd(BilevelProblem(lambda x: (x**4).sum(), lambda x: (x**4).sum()), [1e3], step_const=1e3)
    assert end.message.startswith("diverged at step ")
    assert not end.converged
    rooted = BilevelProblem(lambda x, y: (y - 2).sqrt().sum() + x.sum(), lambda _, y: ((y - 1) ** 2).sum())
    assert (
        told(lambda: sipba(rooted, [1.0], [1.0], settings=STEPS))
        == "upper is nan at the start. Start where it is finite"
    )
    leaves = sipba(rooted, [1.0], [2.0], settings=STEPS, steps=9)
    assert (leaves.converged, leaves.message) == (False, "diverged at step 1; choose smaller steps")


def test_an_objective_may_return_single_precision_or_one_number_in_a_vector() -> None:
    single = BilevelProblem(lambda x: (x.float() ** 2).sum(), lambda x: x[:1] ** 2)
    assert dbgd(single, [1.0, 2.0], steps=5).x == pytest.approx(dbgd(ALONE, [1.0, 2.0], steps=5).x, rel=1e-5)


def test_boxes_are_projections() -> None:
    assert box(0, 1)(torch.tensor([-1.0, 0.5, 2.0])).tolist() == [0.0, 0.5, 1.0]
    assert box([0, 1], [1, 3])(torch.tensor([2.0, 2.0])).tolist() == [1.0, 2.0]
    assert dbgd(BilevelProblem(ALONE.upper, ALONE.lower, project_x=box()), [1.0], steps=1).iterations == 1
    within = BilevelProblem(PAIR.upper, PAIR.lower, project_x=lambda x: x.numpy().clip(0, 1))  # type: ignore[arg-type, return-value]
    assert sipba(within, [3.0], [1.0], settings=STEPS, steps=1).x <= 1


CALLED = "<lambda>() takes 1 positional argument but 2 were given"
GIVE = "Give a function of such vectors, with its own data made such by torch.as_tensor(data).double()"
SINGLE = torch.ones(2)
FAILED = "failed at float64 torch vectors of"
MORE = "the problem has a constraint, which {} does not heed. Leave it out"
NONE = "the problem has no constraint, which {} is for. Give a LinearConstraint"
NO_TORCH = "an objective does not depend on its arguments by torch operations. Leave out detach"


def low(lower: object) -> Result:
    return SOLVERS["dbgd"](BilevelProblem(ALONE.upper, lower))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: box(1, 0), "box got 1 and 0. Give lower bounds <= upper bounds"),
        (lambda: box("a", 0), "low holds text. Give numbers; encode text and categories first"),
        (lambda: box([1, 2], [3, 4, 5]), "low has shape (2,), high (3,). Give the same shape"),
        (lambda: BilevelProblem(3, ALONE.lower), "upper is 3. Give a function of torch vectors"),
        (
            lambda: BilevelProblem(abs, abs, project_x=(0, 1)),  # type: ignore[arg-type]
            "project_x is (0, 1). Give a function of torch vectors, such as box(low, high)",
        ),
        (lambda: BilevelProblem(abs, abs, constraint=1), "constraint is 1. Give a LinearConstraint"),
        (
            lambda: LinearConstraint([[1, 1]], [[1]], [1, 2]),
            "rows are A 1, B 1, b 2. Give as many of each",
        ),
        (lambda: SOLVERS["dbgd"](3), "dbgd got 3 as problem. Give a BilevelProblem"),
        (lambda: SOLVERS["dbgd"](callback=3), "callback is 3. Give a function of a Result"),
        (lambda: SOLVERS["dbgd"](UNDER), MORE.format("dbgd")),
        (lambda: stationarity(UNDER, [1]), MORE.format("stationarity")),
        (lambda: SOLVERS["sipba"](UNDER), MORE.format("sipba")),
        (lambda: SOLVERS["sflcb"](PAIR), NONE.format("sflcb")),
        (lambda: hyperobjective(PAIR, [1]), NONE.format("hyperobjective")),
        (
            lambda: SOLVERS["sipba"](ALONE),
            f"upper(x, y) {FAILED} (1,), (1,): {CALLED}. {GIVE}",
        ),
        (
            lambda: low(lambda x: SINGLE @ x),
            (
                f"lower(x) {FAILED} (2,): dot : expected both vectors to have same dtype, "
                f"but found Float and Double. {GIVE}"
            ),
        ),
        (lambda: low(lambda x: x), "lower returned shape (2,). Return a scalar, by torch operations alone"),
        (lambda: low(lambda _: 3.0), "lower returned 3.0. Return a scalar, by torch operations alone"),
        (
            lambda: low(lambda x: x.detach().sum()),
            f"{NO_TORCH}, item and numpy; as a constant give 0 * x.sum()",
        ),
        (
            lambda: SOLVERS["sipba"](BilevelProblem(PAIR.upper, PAIR.lower, project_y=box([0, 0], [1, 1]))),
            "project_y returned shape (2,) for a vector of shape (1,). Return a point of the same shape",
        ),
        (lambda: SOLVERS["dbgd"](x0=[[1.0]]), "x0 has shape (1, 1). Give shape (n,)"),
        (lambda: SOLVERS["dbgd"](x0=["1"]), "x0 holds text. Give numbers; encode text and categories first"),
    ],
)
def test_what_no_solver_can_heed_is_told(call: Callable[[], Any], message: str) -> None:
    assert told(call) == message


def test_gradients_are_counted() -> None:
    run = Run("sipba", PAIR, None)
    x, y = run.start([1.0, 2.0], [3.0, 4.0])
    in_x, in_y = run.gradient(lambda x, _: (x**2).sum(), x, y)
    assert (in_x.tolist(), in_y.tolist(), run.n_gradients) == ([2.0, 4.0], [0.0, 0.0], 1)
