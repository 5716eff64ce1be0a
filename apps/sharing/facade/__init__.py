"""What other apps ask of sharing: each function opens a door for its actor and returns values."""
