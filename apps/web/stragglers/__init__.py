"""Stragglers: of one session on its page, and of all sessions with a step trace."""
