"""Bilevel optimisation: one problem within another, solved by calls like ``scipy.optimize.minimize``."""
