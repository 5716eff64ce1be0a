"""Log lines: accepted as batches, joined into streams, read into events."""
