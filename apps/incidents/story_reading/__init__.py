"""Moments of stories as they are stored, and what a process keeps of them."""
