"""Logs and metrics that an organization holds itself: lines of logs, and queries of its sources."""
