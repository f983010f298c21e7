"""The only HTTP client: polite, cached, bounded, resumable."""
