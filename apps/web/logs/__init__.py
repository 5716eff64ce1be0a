"""Logs that an organization holds: which there are, and one read, searched or beside others."""
