"""Whose lines these are: which log, which job, which attempt, which rank and host."""
