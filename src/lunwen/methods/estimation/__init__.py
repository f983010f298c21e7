"""Papers on estimating: fairly, robustly, and what people choose."""
