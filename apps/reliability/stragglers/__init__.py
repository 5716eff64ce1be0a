"""Stragglers of sessions: what step traces say, who is slow now, and all jobs together."""
