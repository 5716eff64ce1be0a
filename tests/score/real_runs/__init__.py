"""Runs that were really made and broken, labelled by how they were, and what is said of them."""
