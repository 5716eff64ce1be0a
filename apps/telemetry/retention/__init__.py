"""How long what came in is kept. Read classes, references, raw, facts, run, then usage.

What an incident cites outlives its class. Nothing goes before its time, also not to make room.
"""
