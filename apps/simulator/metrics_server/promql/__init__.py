"""The part of PromQL that readers of this cluster use: parse first, then evaluate on arrays."""


class BadQuery(Exception):
    """A query that can't be read or evaluated, in words for the one who asked."""
