"""What attempts did with their time, kept as facts come. Reading order: attempts, rows, orders."""
