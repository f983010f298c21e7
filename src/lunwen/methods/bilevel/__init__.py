"""Bilevel optimisation: one problem within another, solved by calls like ``scipy.optimize.minimize``."""

from lunwen.methods.bilevel._problem import BilevelProblem, LinearConstraint, Result, box

__all__ = ["BilevelProblem", "LinearConstraint", "Result", "box"]
