"""Who pushes, what a body may be, and how a push is refused."""
