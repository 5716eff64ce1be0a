"""Hosts and their names."""
