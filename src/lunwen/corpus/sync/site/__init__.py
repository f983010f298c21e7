"""One file per kind of site; SITES registers them."""
