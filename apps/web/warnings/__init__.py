"""What the metrics told of early, before or without a stop."""
