"""Signing in through an organization's own provider."""
