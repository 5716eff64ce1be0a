"""Backups: a snapshot of every table and file into one archive, and back into an empty portal."""
