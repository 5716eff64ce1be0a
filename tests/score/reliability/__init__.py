"""How well the arithmetic of training runs does, a row per number that was published."""
