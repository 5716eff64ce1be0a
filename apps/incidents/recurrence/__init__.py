"""What happened before: earlier incidents with the same cause, or of the same parts."""
