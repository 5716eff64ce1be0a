"""Clusters: who takes part with what, whose projects, what hosts are called."""
