"""Attempts of sessions as reliability measures them: their time and their retries."""
