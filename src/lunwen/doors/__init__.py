"""The doors of a library: adapters only, no ranking and no SQL."""
