"""What schedulers and operators report of sessions, and what it touches."""
