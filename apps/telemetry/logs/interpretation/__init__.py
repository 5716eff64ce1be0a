"""Streams read on: whose turn it is, what their lines mean, and the rows written of it."""
