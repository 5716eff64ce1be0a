"""Agreements as documents that live in git: read, compared, carried out."""
