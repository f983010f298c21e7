"""How a model is trained: the steps of an optimizer, and the paths they take."""
