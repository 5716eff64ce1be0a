"""Signing in: by password or link, and how guesses are slowed."""
