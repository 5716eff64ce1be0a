"""The search, and views of lists that people keep."""
