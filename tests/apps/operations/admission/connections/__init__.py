"""Connections: how many, how long, and what is read of their headers."""
