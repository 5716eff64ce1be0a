"""Bundles as files, and what is done with them."""
