"""Incidents as files: what an export is given, and the formats that there are."""
