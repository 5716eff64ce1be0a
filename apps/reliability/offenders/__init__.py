"""Nodes that fail again: what is counted of each, and how unevenly it lies on a cluster."""
