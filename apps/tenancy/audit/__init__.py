"""The record of who did what, and of what was refused to whom."""
