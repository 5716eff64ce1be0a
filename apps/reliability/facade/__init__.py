"""What others ask of reliability: each function needs the scope of its actor, returns values."""
