"""An incident as one organization reads it."""
