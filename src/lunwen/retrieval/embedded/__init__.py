"""The default engine, in a folder of the library: tantivy."""
