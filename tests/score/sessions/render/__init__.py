"""Voices → files: session, kernel and scheduler logs in the collectors' envelopes."""
