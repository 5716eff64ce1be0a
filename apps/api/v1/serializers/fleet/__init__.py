"""Clusters, parts in them and nodes, as they are sent."""
