"""What others may read of what an organization holds."""
