"""Servers of metrics, asked over HTTP: Prometheus and those that answer like it."""
