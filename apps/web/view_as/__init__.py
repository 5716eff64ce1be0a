"""Incidents as another party would see them: marked, to be read only."""
