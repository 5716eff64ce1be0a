"""Where data comes from, and what became of it."""
