"""Papers for other programs: BibTeX, JSON Lines, CSV."""
