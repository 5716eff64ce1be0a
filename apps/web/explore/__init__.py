"""Metrics asked for by signal or PromQL: of one's own sources, and what is kept of an incident."""
