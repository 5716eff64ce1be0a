"""Clusters and who takes part in them, and their nodes."""
