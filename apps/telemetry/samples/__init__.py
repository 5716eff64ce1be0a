"""Metrics that are sent, by those whose server nobody can reach: kept for a while, read as pulled.

Reading order: accept (a durable body), drain and interpret (bodies → blocks of the window), series
and blocks (how the window is kept), read (the window as a source), forward, retire.
"""
