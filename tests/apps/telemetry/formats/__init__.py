"""Forms of what is pushed, read without a table."""
