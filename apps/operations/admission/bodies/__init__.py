"""Bodies of requests: a budget of bytes, a lowest pace, and how much each sender may hold."""
