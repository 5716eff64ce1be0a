"""What the parties tell beside lines and metrics."""
