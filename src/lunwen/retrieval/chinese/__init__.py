"""Chinese queries: read term by term into weighted English, so that they find English text too.

``read`` is the way in. Nothing here is loaded before the first text with a Chinese character.
"""
