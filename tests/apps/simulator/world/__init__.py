"""The simulated cluster: its machines, what runs on them, what breaks, and the truth behind it."""
