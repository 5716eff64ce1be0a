"""Schema of what the interface remembers."""
