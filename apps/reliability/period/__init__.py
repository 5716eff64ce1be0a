"""A span of days in figures: for whom it is counted, what stopped, what it cost, what was lost."""
