"""What other apps ask of incidents: each function opens a door for its actor and returns values."""
