"""Tokens: their rows, the form that makes one, the commands that use them."""
