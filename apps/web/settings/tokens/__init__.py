"""Tokens as a tab, and their forms on the page of sources."""
