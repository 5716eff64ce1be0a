"""Bodies at the edge, without an application behind it."""
