"""What schedulers reported of a session: its states as lanes over all attempts, and as rows."""
