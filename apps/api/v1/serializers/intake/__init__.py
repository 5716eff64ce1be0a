"""Sources, and what became of what came in, as they are sent."""
