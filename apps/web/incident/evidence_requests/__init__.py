"""Requests for evidence in words: those there are, and what can be asked of whom."""
