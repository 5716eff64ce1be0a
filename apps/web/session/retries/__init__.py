"""What retries of a session came to, and where the time of each recovery went."""
