"""Which nodes of a cluster fail again: concentration, lemons, and when the next one comes."""
