"""Open pages: what changes is told by a stream or answers one by one, and what a page has seen."""
