"""What to paste where, whether the first line has come, and what is missing."""
