"""Metrics of a command: tables of series in files, or a server named beside them."""
