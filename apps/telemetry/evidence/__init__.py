"""Metrics around an incident, kept so that proof outlives its source."""
