"""Inventories and session events: taken at the door, carried out by workers, piece by piece.

Reading order: pieces, accept, carry_out, drain, outcome.
"""
