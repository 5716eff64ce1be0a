"""Signing in and out, and links that work once."""
