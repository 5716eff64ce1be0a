"""Formats of the programs of a session: one module a program, facts of formats only."""
