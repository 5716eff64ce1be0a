"""What is unusual in metrics."""
