"""Bounds on what a sample leaves unknown, valid at every sample size."""
