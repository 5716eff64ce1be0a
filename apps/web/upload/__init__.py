"""Drop files, see what was taken, and be led to the incident they tell of."""
