"""What people and organizations choose to be told, and when."""
