"""What other apps ask of what came in: each function opens a door for its actor, returns values."""
