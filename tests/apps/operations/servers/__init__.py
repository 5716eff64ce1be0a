"""What runs a portal on one machine, without running it."""
