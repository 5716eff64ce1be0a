"""The first page: what waits for the reader, then the state of things."""
