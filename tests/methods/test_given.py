"""Settings and arrays as users give them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.sparse import csr_array

from lunwen.errors import UsageError
from lunwen.methods._given import array, choice, level, matrix, number, vector, whole


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 5))
def test_a_whole_number_passes_within_its_range_alone(value: int, least: int, room: int) -> None:
    if least <= value <= least + room:
        assert whole("k", np.int64(value), least=least, most=least + room) == value
    else:
        with pytest.raises(UsageError):
            whole("k", value, least=least, most=least + room)


@given(st.floats(), st.floats(-2, 2), st.floats(0, 2))
def test_a_number_passes_where_it_is_finite_and_within_its_range(
    value: float, least: float, room: float
) -> None:
    if math.isfinite(value) and least <= value < least + room:
        assert number("lr", np.float64(value), least=least, below=least + room) == value
    else:
        with pytest.raises(UsageError):
            number("lr", value, least=least, below=least + room)


@given(arrays(np.float32, array_shapes(max_dims=3, max_side=3), elements=st.floats(-9, 9, width=32)))
def test_arrays_lists_tables_and_tensors_are_the_same_numbers(values: np.ndarray) -> None:
    tensor = torch.tensor(values, requires_grad=True)
    for form in (values, values.tolist(), tensor, tensor * 1):
        found = array("X", form, ndim=values.ndim)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, values)


def test_half_precision_and_sparse_forms_are_numbers_too() -> None:
    assert array("X", torch.tensor([1.5], dtype=torch.bfloat16)).tolist() == [1.5]  # type: ignore[arg-type]
    assert array("X", csr_array([[1.0, 0.0]])).tolist() == [[1.0, 0.0]]
    assert array("X", torch.eye(2).to_sparse()).tolist() == [[1.0, 0.0], [0.0, 1.0]]  # type: ignore[arg-type]


class Masked:
    """A missing value, as tables have it."""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: whole("k", True), "k is True. Give a whole number of at least 1"),
        (lambda: whole("k", 2.0, most=9), "k is 2.0. Give a whole number from 1 to 9"),
        (lambda: number("lr", "1", above=0), "lr is '1'. Give a number above 0"),
        (lambda: number("b", math.inf), "b is inf. Give a finite number"),
        (lambda: number("b", math.inf, above=0), "b is inf. Give a finite number above 0"),
        (lambda: number("mu", 1, least=0, below=1), "mu is 1. Give a number of at least 0 and below 1"),
        (
            lambda: level(90),
            "alpha is 90. Give a number above 0 and below 1, the share that may be missed, such as 0.1",
        ),
        (lambda: whole("k", np.float64(2.5)), "k is 2.5. Give a whole number of at least 1"),
        (lambda: number("k", "x" * 99), f"k is '{'x' * 56}…. Give a finite number"),
        (lambda: choice("side", "up", ("both", "one")), "side is 'up'. Give one of: both, one"),
        (lambda: array("X", [[1], [1, 2]]), "X has rows of different lengths. Give rows of equal length"),
        (lambda: array("X", ["1"]), "X holds text. Give numbers; encode text and categories first"),
        (
            lambda: array("X", [1j]),
            "X holds complex128 values. Give numbers; encode text and categories first",
        ),
        (lambda: array("X", [None, "a"]), "X holds text. Give numbers; encode text and categories first"),
        (
            lambda: array("X", [Masked(), 1.0]),
            "X holds what is no number. Give numbers; fill or drop these rows first",
        ),
        (
            lambda: array("X", np.ma.masked_equal([1.0, 2.0], 2)),
            "X has masked values. Give finite numbers; fill or drop these rows first",
        ),
        (lambda: array("X", []), "X is empty, of shape (0,). Give at least one number"),
        (lambda: array("X", [1.0], ndim=3), "X has shape (1,). Give 3 dimensions"),
        (
            lambda: array("X", [math.nan]),
            "X holds NaN or infinity. Give finite numbers; fill or drop these rows first",
        ),
        (lambda: vector("y", [[1]]), "y has shape (1, 1). Give shape (n,)"),
        (lambda: vector("y", [1, 2], count=3), "y has shape (2,). Give shape (3,), one number for each row"),
        (lambda: matrix("X", [1]), "X has shape (1,). Give shape (rows, columns)"),
        (
            lambda: matrix("X", [[1, 2]], columns=3),
            "X has 2 columns, the fit had 3. Give the same columns",
        ),
    ],
)
def test_what_no_method_can_begin_with_is_told(call: Any, message: str) -> None:
    with pytest.raises(UsageError) as told:
        call()
    assert str(told.value) == message


def test_infinity_passes_where_it_may() -> None:
    assert array("X", [math.inf], finite=False).tolist() == [math.inf]
