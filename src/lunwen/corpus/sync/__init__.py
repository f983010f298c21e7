"""Following what sites publish: which editions there are, how their pages are walked, what came of it."""
