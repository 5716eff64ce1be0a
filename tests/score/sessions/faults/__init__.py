"""What can break: one module per layer, each a list of faults."""
