"""What incidents cite, and what they take of what is kept."""
