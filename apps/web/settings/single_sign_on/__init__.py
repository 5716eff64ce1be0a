"""Signing in through the organization's own provider, as its admins set it up."""
