"""What parties changed in a cluster: told by each of itself, an event beside incidents."""
