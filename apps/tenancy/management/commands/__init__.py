"""Commands of operators."""
