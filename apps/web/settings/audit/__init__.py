"""The audit record: who did what."""
