"""The HTTP API and the feeds: adapters from URLs to the library, and from its answers to JSON and Atom."""
