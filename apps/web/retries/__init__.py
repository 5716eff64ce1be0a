"""Retry chains of an organization or a cluster over a time, and how long recoveries took."""
