"""Setting a portal up: a description (parties, reading, asking) becomes rows (making)."""
