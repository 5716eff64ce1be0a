"""Held logs and answers of metrics sources, as they are sent."""
