"""Prediction sets and bands with guaranteed coverage, around a model that is already fitted."""
