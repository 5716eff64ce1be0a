"""What other apps ask of sessions: each function opens a door for its actor and returns values."""
