"""Retention: what is kept, for how long, and what went."""
