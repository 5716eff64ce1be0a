"""Real runs of PyTorch over gloo on this machine's processors, each broken in one way."""
