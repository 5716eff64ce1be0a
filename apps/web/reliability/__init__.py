"""Reliability of training over a span of days: what failed, what it cost, where the time went."""
