"""The search: the box in the frame, what is found while somebody types, and its page."""
