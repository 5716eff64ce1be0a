"""Stored facts of one attempt, as a diagnosis reads them."""
