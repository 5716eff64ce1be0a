"""Signing in through an organization's own provider: set up, asked, checked, let in."""
