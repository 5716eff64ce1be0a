"""What other apps ask of sessions and nodes: each function opens a door, and returns values."""
