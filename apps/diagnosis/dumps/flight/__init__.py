"""PyTorch's flight recorder: its pickle read without an unpickler, and as lines of text."""
