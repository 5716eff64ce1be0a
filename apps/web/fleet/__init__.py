"""The fleet: nodes and their parts coloured by a metric at any time, and one node beside it."""
