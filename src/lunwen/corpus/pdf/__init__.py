"""Papers' PDFs: where they may be had, what they say, how they are kept."""
