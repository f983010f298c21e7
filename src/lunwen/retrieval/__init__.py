"""A query in, the right papers out."""
