"""Who may say what, and whose rows count for whom."""
