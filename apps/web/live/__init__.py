"""Open pages: a stream that says when to look again, and what a page has seen."""
