"""Reliability of training: what sessions did with their time, their retries, what these cost."""
