"""The command that people install: what it offers, its quick start, and completion by shells."""
